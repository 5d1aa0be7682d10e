import PAMStack

/// Stacks that ask for a code although the password was wrong, or has not been asked for yet.
enum CodeBeforePassword: Examination {
  static func findings(on chart: Chart) -> [Finding] { chart.asked.compactMap { finding($0) } }

  private static let harm =
    "who does not know the password is asked for a code all the same, and can use up a person's "
    + "attempts"

  private static func finding(_ service: AskedService) -> Finding? {
    let stack = service.stack
    for (index, entry) in stack.entries.enumerated()
    where index < service.index && PAMModule.asksForPassword(entry) {
      let goesOn = stack.isReached(service.index, from: index) { other in
        PAMModule.failsOnWrongPassword(other)
      }
      guard goesOn else { continue }
      return Finding(
        severity: .warning, code: "required-before", services: [service.name],
        place: VisibleText.escaping(entry.position.text),
        message: "\(harm): a wrong password does not end the stack",
        hint: hint(entry))
    }
    let later = stack.entries.indices.first {
      $0 > service.index && PAMModule.asksForPassword(stack.entries[$0])
    }
    guard let later else { return nil }
    // With forward_pass both are typed at once, and both are to be checked.
    guard !service.takesPassword else {
      guard service.control.onFailure == .deniesAtOnce else { return nil }
      return Finding(
        severity: .warning, code: "requisite-forward-pass", services: [service.name],
        place: service.place,
        message: "a wrong code ends the stack before the password is checked: the time that a "
          + "denial takes tells who is enrolled",
        hint: "write \"required\" in the place of \"requisite\" (\"bad\" in the place of \"die\")")
    }
    return Finding(
      severity: .warning, code: "code-before-password", services: [service.name],
      place: service.place,
      message: "\(harm): the password is asked for after it, at "
        + VisibleText.escaping(stack.entries[later].position.text),
      hint: "move the line of pam_mfa.so below the lines that ask for the password")
  }

  private static func hint(_ entry: StackEntry) -> String {
    guard case .module(_, _, let control) = entry.kind, control.onFailure == .denies else {
      return entry.level > 0
        ? "name the file by \"include\" in the place of \"substack\", and see that it ends by "
          + "\"requisite pam_deny.so\""
        : "write \"auth requisite pam_deny.so\" where a wrong password goes on"
    }
    return "write \"requisite\" in the place of \"required\" (\"die\" in the place of \"bad\")"
  }
}
