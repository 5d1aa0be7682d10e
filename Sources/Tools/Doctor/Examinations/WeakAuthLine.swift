import MFAAdminOutput
import MFAPAMStack

/// Finds `auth` lines that let the stack ignore a denial by the module.
package enum WeakAuthLine: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { finding($0) }
  }

  /// Returns the finding for the stack of one service, or nil.
  package static func finding(_ service: ServiceWithModule) -> Finding? {
    if !service.control.deniesEveryFailure,
      !PAMModule.isDenied(from: service.index, behind: service.index, in: service.stack)
    {
      return Finding(
        severity: .error, code: "auth-denial-ignored", services: [service.name],
        place: service.place,
        message: "a wrong code does not deny the sign-in: the control of this line lets the stack "
          + "succeed",
        hint: "change the line to \"auth required pam_mfa.so\" and keep its arguments")
    }
    guard let obstacle = service.stack.entries.first(where: { $0.mayReset }) else { return nil }
    return Finding(
      severity: .error, code: "auth-result-reset", services: [service.name],
      place: VisibleText.escaping(obstacle.position.text),
      message: "a wrong code might not deny the sign-in: this line can reset the result of "
        + "pam_mfa.so",
      hint: "remove the action 'reset' from this line")
  }
}
