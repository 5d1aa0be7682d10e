import MFACPOSIX

/// The system log of this project's own programs. The PAM module logs through libpam instead.
package enum Log {
  /// Writes a line to the facility `authpriv` under the program's name.
  package static func write(_ priority: LogPriority, _ line: LogLine) {
    // SAFETY: the line ends with a NUL and outlives the call, which copies it.
    unsafe cposix_syslog(LOG_AUTHPRIV | priority.number, cString(line.text))
  }

  /// Writes why a part of the product does not work.
  package static func writeError(
    in part: StaticString, reason: StaticString, _ error: SystemError? = nil
  ) {
    var line = LogLine()
    line.add("result", "error")
    line.add("part", part)
    line.add("reason", reason)
    if let error { line.add(error) }
    write(.error, line)
  }
}
