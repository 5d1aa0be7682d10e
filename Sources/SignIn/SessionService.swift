import Secrets

/// The services that have something to do with one session of one user.
public enum SessionService: Equatable, Sendable {
  /// Begins a session for each connection.
  case sshd
  /// Begins a session at a terminal.
  case login
  /// Is a program that a user starts in a session.
  case command

  private static var commands: [StaticString] { ["sudo", "sudo-i", "su", "su-l", "doas"] }

  /// What the service of this name is; nil where it may be a daemon.
  public init?(_ name: [UInt8]) {
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
