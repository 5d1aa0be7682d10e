import MFABase

/// The services that are tied to one session of one user.
package enum SessionService: Equatable, Sendable {
  /// Starts a session for each connection.
  case sshd
  /// Starts a session at a terminal.
  case login
  /// A program that a user runs within a session.
  case command

  private static var commands: [StaticString] { ["sudo", "sudo-i", "su", "su-l", "doas"] }

  /// Returns the service with this PAM name, or nil for any other service, which may be a daemon.
  package init?(_ name: [UInt8]) {
    let sshd: StaticString = "sshd"
    let login: StaticString = "login"
    if name == sshd.bytes {
      self = .sshd
    } else if name == login.bytes {
      self = .login
    } else if Self.commands.contains(where: { name == $0.bytes }) {
      self = .command
    } else {
      return nil
    }
  }
}
