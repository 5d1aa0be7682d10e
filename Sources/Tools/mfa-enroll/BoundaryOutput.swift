import MFABase
import Glibc
import MFAQRCode

/// A stream to which the program writes.
struct Output: Sendable {
  let descriptor: Int32

  static let standardOutput = Output(descriptor: STDOUT_FILENO)
  static let standardError = Output(descriptor: STDERR_FILENO)

  /// Writes all of a text. Ignores errors, because there is no other place to report them.
  func write(_ text: String) {
    let bytes = Array(text.utf8)
    write(bytes.span)
  }

  /// Writes all of a secret, without copying it.
  func write(_ secret: borrowing SecretBytes) { write(secret.span) }

  private func write(_ bytes: Span<UInt8>) {
    do throws(SystemError) { try writeAll(bytes, to: descriptor) } catch {}
  }

  /// The size of the terminal, or nil if this is not a terminal or its size is unknown.
  var terminalSize: TerminalSize? {
    var size = winsize()
    // SAFETY: the call writes a `winsize`, which `size` is.
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
