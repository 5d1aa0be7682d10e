import MFAPAMStack
import MFAStackEffect

/// Finds stacks through which enrolled users cannot sign in even with a code, and stacks that ask for
/// two codes.
package enum ClosedStack: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { finding($0) }
  }

  private static func finding(_ service: ServiceWithModule) -> Finding? {
    let effect = service.effect(for: Claimant([.password, .code, .other]))
    guard effect.canSucceed else {
      return Finding(
        severity: .error, code: "nobody-signs-in", services: [service.name], place: service.place,
        message:
          "enrolled users cannot sign in: this stack fails whatever its modules return",
        hint: "put the lines in order as README.md shows; run mfa-admin explain --service "
          + service.visibleName + " --user NAME")
    }
    return askedTwice(service, effect)
  }

  /// Returns the finding if the stack of one service asks for two codes.
  package static func askedTwice(_ service: ServiceWithModule) -> Finding? {
    askedTwice(service, service.effect(for: Claimant([.password, .code, .other])))
  }

  private static func askedTwice(_ service: ServiceWithModule, _ effect: StackEffect) -> Finding? {
    guard effect.calls > 1 else { return nil }
    return Finding(
      severity: .error, code: "asked-twice", services: [service.name], place: service.place,
      message:
        "the stack calls pam_mfa.so twice, and no code is accepted twice: users have to wait "
        + "for another code, or cannot sign in",
      hint: "remove all auth lines of pam_mfa.so but one, also from included files")
  }
}
