import PAMStack

/// Lines before the module's that end the stack, or jump over it: whoever passes there is never asked.
enum BypassedModule: Examination {
  static func findings(on chart: Chart) -> [Finding] { chart.asked.compactMap { finding($0) } }

  /// What is found in the stack of one service.
  static func finding(_ service: AskedService) -> Finding? {
    let entries = service.stack.entries
    for (index, entry) in entries.enumerated() where index < service.index {
      guard service.stack.mayPassOver(service.index, at: index),
        !PAMModule.isHarmless(entry, at: service.name), !isDenied(at: index, service)
      else { continue }
      let isCondition = PAMModule.isCondition(entry)
      let who =
        isCondition ? "whoever this line is true of" : "whoever passes \(PAMModule.name(entry))"
      return Finding(
        severity: isCondition ? .warning : .error, code: "auth-passed-over",
        services: [service.name], place: VisibleText.escaping(entry.position.text),
        message: "\(who) is never asked for a code: this line may end the stack before, or jump "
          + "over, the one of pam_mfa.so",
        hint: isCondition
          ? "if that is not meant, move the line of pam_mfa.so above this one"
          : "make this line \"[success=ok default=die]\" or \"requisite\", or have its jump end at "
            + "the line of pam_mfa.so")
    }
    return nil
  }

  /// Whether an entry leaves the module out for those alone who fail at it, and who then come to a line
  /// that denies everybody.
  private static func isDenied(at index: Int, _ service: AskedService) -> Bool {
    let stack = service.stack
    guard case .module(_, _, let control) = stack.entries[index].kind, !control.mayEndStack,
      case .jumps(let count) = control.onFailure, control.jumps == [count],
      control.onSuccess != control.onFailure
    else { return false }
    return PAMModule.isDenied(from: index, behind: service.index, in: stack)
  }
}
