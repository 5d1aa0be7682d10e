import MFAAdminOutput
import MFAPAMStack

/// Finds lines that end the stack before the module or jump over it, so that no code is required.
package enum BypassedModule: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { finding($0) }
  }

  /// Returns the finding for the stack of one service, or nil.
  package static func finding(_ service: ServiceWithModule) -> Finding? {
    let entries = service.stack.entries
    for (index, entry) in entries.enumerated() where index < service.index {
      guard service.stack.maySkip(service.index, at: index),
        !PAMModule.isHarmless(entry, at: service.name), !isDenied(at: index, service)
      else { continue }
      let isCondition = PAMModule.isCondition(entry)
      let who =
        isCondition ? "users who match this line" : "users who pass \(PAMModule.name(entry))"
      return Finding(
        severity: isCondition ? .warning : .error, code: "auth-skippable",
        services: [service.name], place: VisibleText.escaping(entry.position.text),
        message: "\(who) are never asked for a code: this line can end the stack before "
          + "pam_mfa.so or jump over it",
        hint: isCondition
          ? "if this is not intended, move the pam_mfa.so line above this line"
          : "make this line \"[success=ok default=die]\" or \"requisite\", or make its jump end at "
            + "the pam_mfa.so line")
    }
    return nil
  }

  /// Returns whether only sign-ins that fail at an entry skip the module, and then reach a line
  /// that always denies.
  private static func isDenied(at index: Int, _ service: ServiceWithModule) -> Bool {
    let stack = service.stack
    guard case .module(_, _, let control) = stack.entries[index].kind, !control.mayEndStack,
      case .jumps(let count) = control.onFailure, control.jumps == [count],
      control.onSuccess != control.onFailure
    else { return false }
    return PAMModule.isDenied(from: index, behind: service.index, in: stack)
  }
}
