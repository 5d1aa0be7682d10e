import MFAAdmin
import MFAPAMStack

/// Finds lines through which users sign in without being asked for a code: they end the stack before
/// the module, or jump over it.
package enum BypassedModule: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { findings($0) }
  }

  /// Returns the findings for the stack of one service.
  package static func findings(_ service: ServiceWithModule) -> [Finding] {
    let skipping = service.stepsWithoutCode(\.skipping).map { step in
      let entry = service.stack.entries[step.index]
      let isCondition = ModuleKind(entry) == .condition
      return Finding(
        severity: isCondition ? .warning : .error, code: "auth-skippable",
        services: [service.name], place: VisibleText.escaping(entry.position.text),
        message:
          "\(who(entry, step.codes)) are never asked for a code: this line can end the stack "
          + "before pam_mfa.so or jump over it",
        hint: isCondition
          ? "if this is not intended, move the pam_mfa.so line above this line"
          : "make this line \"[success=ok default=die]\" or \"requisite\", or make its jump end at "
            + "the pam_mfa.so line")
    }
    return skipping + (onlyAfterKey(service).map { [$0] } ?? [])
  }

  /// Returns a finding if the only line that calls the module applies to sign-ins with a key.
  private static func onlyAfterKey(_ service: ServiceWithModule) -> Finding? {
    guard service.stack.entries[service.index].callsModuleAfterKey,
      service.effect(for: Claimant([.password, .other])).canSucceed
    else { return nil }
    return Finding(
      severity: .error, code: "auth-skippable", services: [service.name], place: service.place,
      message:
        "users who sign in without a key are never asked for a code: after_key leaves them to "
        + "the lines that follow, and none of these calls pam_mfa.so",
      hint:
        "add \"auth requisite pam_mfa.so after_password\" below the lines that ask for the password"
    )
  }

  private static func who(_ entry: StackEntry, _ codes: [PAMReturnCode]) -> String {
    let name = VisibleText.escaping(entry.moduleName)
    switch ModuleKind(entry) {
    case .condition: return "users who match this line"
    case .caller, .permission: return "all users"
    case .code, .password, .otherAuthenticator, .denial, .preparation, .unknown:
      guard !codes.contains(.success) else { return "users who pass \(name)" }
      // Name the codes that administrators know best.
      let known: [PAMReturnCode] = [.userUnknown, .authenticationInfoUnavailable, .maximumTries]
      let named = known.filter { codes.contains($0) } + codes.filter { !known.contains($0) }
      return "users for whom \(name) returns \(NameList.text(named.map { "\($0.name)" }, most: 2))"
    }
  }
}
