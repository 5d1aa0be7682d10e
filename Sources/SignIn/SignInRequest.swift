import Factors
import Secrets

/// One sign-in, as PAM describes it. None of it is trusted.
public struct SignInRequest: Sendable {
  /// PAM_USER
  public let user: [UInt8]
  /// PAM_SERVICE
  public let service: [UInt8]
  /// PAM_RHOST: an address, a name, or nothing
  public let remoteHost: [UInt8]?
  /// PAM_TTY
  public let terminal: [UInt8]?
  /// The module's arguments in the service file
  public let arguments: [[UInt8]]

  /// From where the person signs in.
  var source: Source { Source(remoteHost: remoteHost, terminal: terminal) }

  /// Whether the application runs on the user's own terminal, as `login`, `su` and `sudo` do: there is
  /// no remote host, and PAM names a terminal. sshd says "ssh", and cron "cron".
  var isAtTerminal: Bool {
    guard remoteHost?.isEmpty ?? true, let terminal else { return false }
    let names: [StaticString] = ["/dev/tty", "/dev/pts/", "tty", "pts/"]
    return names.contains { terminal.starts(with: $0.bytes) }
  }

  /// Puts a request together.
  public init(
    user: [UInt8], service: [UInt8], remoteHost: [UInt8]? = nil, terminal: [UInt8]? = nil,
    arguments: [[UInt8]] = []
  ) {
    self.user = user
    self.service = service
    self.remoteHost = remoteHost
    self.terminal = terminal
    self.arguments = arguments
  }
}
