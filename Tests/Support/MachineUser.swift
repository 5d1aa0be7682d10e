/// A user with an account on the private machine.
package struct MachineUser: Sendable {
  /// The name of the account.
  package let name: String

  /// The password of the account.
  package let password: String

  /// Creates a value for an existing account.
  package init(name: String, password: String) {
    self.name = name
    self.password = password
  }

  /// The home folder.
  package var home: String { name == "root" ? "/root" : "/home/\(name)" }

  /// The identity of the programs that this user starts.
  package var identity: Identity { .user(name) }
}

extension MachineUser {
  private static let enroll = "/usr/bin/mfa-enroll"

  /// Starts mfa-enroll at a terminal of the user.
  package func startEnroll(_ arguments: String...) throws(HarnessFailure) -> TerminalSession {
    try TerminalSession([Self.enroll] + arguments, as: identity)
  }

  /// Runs mfa-enroll without a terminal.
  package func runEnroll(
    _ arguments: String..., input: String = ""
  ) throws(HarnessFailure) -> Command {
    try Command.run([Self.enroll] + arguments, input: Array(input.utf8), as: identity)
  }

  /// Runs mfa-enroll, which must succeed, without a terminal. Returns its output.
  @discardableResult
  package func mustEnroll(_ arguments: String...) throws(HarnessFailure) -> String {
    try Command.succeed([Self.enroll] + arguments, as: identity)
  }
}
