import MFAWire
import MFABase
import MFAModel

extension SignInRequest {
  /// The source of the sign-in, for the log and for notices.
  var source: Source { Source(remoteHost: remoteHost, terminal: terminal) }

  /// Whether the application runs on the user's own terminal, as `login`, `su` and `sudo` do: PAM
  /// names a terminal and no remote host. The terminal of sshd is "ssh", and that of cron is
  /// "cron".
  var isAtTerminal: Bool {
    guard remoteHost?.isEmpty ?? true, let terminal else { return false }
    let names: [StaticString] = ["/dev/tty", "/dev/pts/", "tty", "pts/"]
    return names.contains { terminal.starts(with: $0.bytes) }
  }
}
