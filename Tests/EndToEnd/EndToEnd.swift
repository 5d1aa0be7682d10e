import Foundation
import MFATestSupport
import Testing

/// Tests of the installed programs, run as users and servers run them. The tests run one after the
/// other, because they share one machine.
@Suite(.serialized, .privateMachine, .machine)
enum EndToEnd {}

/// The stack of most tests: only the module.
enum OneCode {
  static let stack = ["auth required pam_mfa.so tries=1", "account required pam_permit.so"]

  /// Returns the lines of a service in which the module lets the user try this many codes.
  static func lines(_ lines: [String], tries: Int) -> [String] {
    lines.map { line in
      guard line.hasPrefix("auth"), let module = line.range(of: "pam_mfa.so") else { return line }
      return line.replacingCharacters(in: module, with: "pam_mfa.so tries=\(tries)")
    }
  }

  /// Returns the log lines with the results of sign-ins and factor changes since `start`, without
  /// those about a changed configuration.
  static func logged(
    _ machine: Machine, since start: SystemLog.Position
  ) throws -> [LogEntry] {
    try machine.log.entries(since: start).filter {
      $0.message.contains("result=") && !$0.message.contains("result=policy-changed")
    }
  }

  /// Returns the results logged since `start`.
  static func results(
    _ machine: Machine, since start: SystemLog.Position
  ) throws -> [String] {
    try logged(machine, since: start).compactMap { $0.fields["result"] }
  }
}

extension Machine {
  /// Adds an enrolled user, and a service with only the module.
  func addSignIn() throws -> (user: MachineUser, enrollment: Enrollment, service: String) {
    let (user, enrollment) = try addEnrolledUser()
    return (user, enrollment, try makeService(OneCode.stack))
  }
}
