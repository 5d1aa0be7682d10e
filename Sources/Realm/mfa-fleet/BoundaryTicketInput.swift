#if Fleet
import MFACPOSIX
import MFARealm
import MFARealmTransport
import MFABase

/// The standard input, from which a ticket is read.
enum TicketInput {
  /// The longest line that is read, in bytes.
  private static var longest: Int { 256 }

  /// Reads a ticket from the standard input. If that is a terminal, the ticket is not shown.
  static func read() throws(RealmError) -> SecretBytes {
    guard isatty(STDIN_FILENO) == 1 else { return try line() }
    var shown = termios()
    // SAFETY: the call writes the settings, which outlive it.
    guard unsafe tcgetattr(STDIN_FILENO, &shown) == 0 else {
      throw RealmError("cannot use the terminal", hint: "use --ticket-file FILE")
    }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // SAFETY: the calls read the settings, which outlive them.
    _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    // SAFETY: as above.
    defer { _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
    return try line()
  }

  private static func line() throws(RealmError) -> SecretBytes {
    var buffer = SecretBytes(count: longest)
    let count = buffer.withMutableSpan { span in
      // SAFETY: the call writes at most the bytes of the span.
      unsafe span.withUnsafeMutableBufferPointer { buffer in
        unsafe MFACPOSIX.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      }
    }
    guard count > 0 else { throw RealmError("there is no ticket", hint: "enter it on one line") }
    return buffer.prefix(count)
  }
}
#endif
