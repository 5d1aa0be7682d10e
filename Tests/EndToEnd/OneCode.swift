import TestSupport

/// The stack that most tests sign in through: the module, and nothing beside it.
enum OneCode {
  static let stack = ["auth required pam_mfa.so", "account required pam_permit.so"]

  /// Fields of the one line that the module logged since `start`.
  static func logged(
    _ machine: Machine, since start: SystemLog.Position
  ) throws -> [LogEntry] {
    try machine.log.entries(since: start).filter { $0.message.contains("result=") }
  }

  /// The results of the lines that were logged since `start`.
  static func results(
    _ machine: Machine, since start: SystemLog.Position
  ) throws -> [String] {
    try logged(machine, since: start).compactMap { $0.fields["result"] }
  }
}
