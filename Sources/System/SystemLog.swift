import CPOSIX

/// The system log of a program of our own. A module in somebody else's program uses PAM's instead.
public enum SystemLog {
  /// Writes a line to authpriv.
  public static func write(_ priority: LogPriority, _ line: LogLine) {
    let terminated = line.text.filter { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the text ends with a NUL and outlives the call.
    unsafe terminated.withUnsafeBufferPointer { text in
      guard let text = text.baseAddress else { return }
      unsafe cposix_syslog(LOG_AUTHPRIV | priority.number, text)
    }
  }
}
