import CPOSIX

/// The system log, for programs of our own. The module has its lines written by libpam instead.
public enum Log {
  /// Writes a line to the facility `authpriv`, under the program's name.
  public static func write(_ priority: LogPriority, _ line: LogLine) {
    let terminated = line.text.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the line ends with a NUL and lives through the call, which copies it.
    unsafe terminated.withUnsafeBufferPointer { line in
      guard let line = line.baseAddress else { return }
      unsafe cposix_syslog(LOG_AUTHPRIV | priority.number, line)
    }
  }
}
