import MFAAdmin
import MFAPAMStack

/// Finds stacks that ask for a code after a wrong password, or before the password.
enum CodeBeforePassword: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      service.isNamed("sshd") && requiresKey(snapshot.sshd) ? nil : finding(service)
    }
  }

  /// Returns whether sshd asks for a code only after it has verified a key, so that an attacker without
  /// the key cannot use up attempts.
  private static func requiresKey(_ sshd: SSHDView) -> Bool {
    guard case .known(let cases, _, _) = sshd else { return false }
    return cases.allSatisfy { item in
      guard let lists = item.settings.methodLists else { return false }
      return lists.allSatisfy { $0.first == "publickey" }
    }
  }

  private static let harm =
    "an attacker without the password is asked for a code and can use up the user's attempts"

  private static func finding(_ service: ServiceWithModule) -> Finding? {
    let stack = service.stack
    // A line with after_key asks for a code in the place of the password.
    guard !stack.entries[service.index].callsModuleAfterKey else { return nil }
    if let way = service.effect(for: Claimant([.other])).wayToModule,
      let entry = way.map({ stack.entries[$0.index] }).first(where: \.asksForPassword)
    {
      return Finding(
        severity: .warning, code: "required-before", services: [service.name],
        place: VisibleText.escaping(entry.position.text),
        message: "\(harm): a wrong password does not end the stack",
        hint: hint(entry))
    }
    let later = stack.entries.indices.first {
      $0 > service.index && stack.entries[$0].asksForPassword
    }
    guard let later else { return nil }
    // With forward_pass, the user enters the password and the code together, and both must be
    // checked.
    guard !service.takesPassword else {
      guard service.control.onFailure == .die else { return nil }
      return Finding(
        severity: .warning, code: "requisite-forward-pass", services: [service.name],
        place: service.place,
        message: "a wrong code ends the stack before the password is checked, so the time that a "
          + "denial takes reveals which users are enrolled",
        hint: "replace \"requisite\" with \"required\" (\"die\" with \"bad\")")
    }
    return Finding(
      severity: .warning, code: "code-before-password", services: [service.name],
      place: service.place,
      message: "\(harm): the password is asked for only later, at "
        + VisibleText.escaping(stack.entries[later].position.text),
      hint: "move the pam_mfa.so line below the lines that ask for the password")
  }

  private static func hint(_ entry: StackEntry) -> String {
    guard case .module(_, _, let control) = entry.kind, control.onFailure == .bad else {
      return entry.level > 0
        ? "replace \"substack\" with \"include\", and make sure that the included file ends with "
          + "\"requisite pam_deny.so\""
        : "add \"auth requisite pam_deny.so\" where the stack continues after a wrong password"
    }
    return "replace \"required\" with \"requisite\", or \"bad\" with \"die\" in brackets"
  }
}
