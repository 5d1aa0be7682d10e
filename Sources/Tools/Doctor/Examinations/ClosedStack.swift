import MFAPAMStack

/// Finds stacks through which enrolled users cannot sign in even with a code, and stacks that ask for
/// two codes.
package enum ClosedStack: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { finding($0, snapshot.stacks(of: $0.name)) }
  }

  private static func finding(_ service: ServiceWithModule, _ stacks: ServiceStacks) -> Finding? {
    let claimant = Claimant([.password, .code, .other])
    guard let denial = stacks.denial(of: claimant) else { return askedTwice(service) }
    let message: String
    switch denial.cause {
    // `FaultyLine` and `UnloadableModule` report these.
    case .module: return nil
    case .lines(.auth):
      message = "enrolled users cannot sign in: this stack fails whatever its modules return"
    case .lines, .unreadable: message = "enrolled users cannot sign in: \(denial.reason)"
    }
    return Finding(
      severity: .error, code: "nobody-signs-in", services: [service.name],
      place: denial.cause == .lines(.auth) ? service.place : denial.place, message: message,
      hint: "put the lines in order (EXAMPLES in man pam_mfa); run mfa-admin explain --service "
        + service.visibleName + " --user NAME")
  }

  /// Returns the finding if the stack of one service asks for two codes.
  package static func askedTwice(_ service: ServiceWithModule) -> Finding? {
    guard service.effect(for: Claimant([.password, .code, .other])).calls > 1 else { return nil }
    return Finding(
      severity: .error, code: "asked-twice", services: [service.name], place: service.place,
      message:
        "the stack calls pam_mfa.so twice, and no code is accepted twice: users have to wait "
        + "for another code, or cannot sign in",
      hint: "remove all auth lines of pam_mfa.so but one, also from included files")
  }
}
