import TestSupport

/// The stack that most tests sign in through: the module, and nothing beside it.
enum OneCode {
  static let stack = ["auth required pam_mfa.so", "account required pam_permit.so"]

  /// The lines that tell what came of a sign-in, or of a change of factors, since `start`; not that it
  /// was the first to go by another configuration.
  static func logged(
    _ machine: Machine, since start: SystemLog.Position
  ) throws -> [LogEntry] {
    try machine.log.entries(since: start).filter {
      $0.message.contains("result=") && !$0.message.contains("result=policy-changed")
    }
  }

  /// The results of the lines that were logged since `start`.
  static func results(
    _ machine: Machine, since start: SystemLog.Position
  ) throws -> [String] {
    try logged(machine, since: start).compactMap { $0.fields["result"] }
  }
}
