import MFAAdmin
import MFAAttempt

extension Console {
  /// Prints a warning if a change could not be entered in the audit log.
  static func printError(_ entered: AuditLogOutcome) {
    guard let problem = entered.problem else { return }
    printError("WARNING: this change is not in the audit log: \(problem.sentence)")
    printError("hint: \(problem.hint(for: nil))")
  }
}
