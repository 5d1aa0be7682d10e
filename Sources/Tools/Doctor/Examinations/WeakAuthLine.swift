import MFAAdmin
import MFAPAMStack

/// Finds lines through which users sign in with a wrong code: those that call the module without
/// denying, and those that discard its result.
package enum WeakAuthLine: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { findings($0) }
  }

  /// Returns the findings for the stack of one service.
  package static func findings(_ service: ServiceWithModule) -> [Finding] {
    service.stepsWithoutCode(\.ignoring).map { step in
      let entry = service.stack.entries[step.index]
      let place = VisibleText.escaping(entry.position.text)
      guard ModuleKind(entry) == .code else {
        return Finding(
          severity: .error, code: "auth-result-reset", services: [service.name], place: place,
          message: "a wrong code might not deny the sign-in: this line can reset the result of "
            + "pam_mfa.so",
          hint: "remove the action 'reset' from this line")
      }
      return Finding(
        severity: .error, code: "auth-denial-ignored", services: [service.name], place: place,
        message: "a wrong code does not deny the sign-in: the control of this line lets the stack "
          + "succeed",
        hint: "change the line to \"auth required pam_mfa.so\" and keep its arguments")
    }
  }
}
