import Glibc
import Secrets

/// Where the program reads what a person types.
struct Input: Sendable {
  let descriptor: Int32

  static let standardInput = Input(descriptor: STDIN_FILENO)

  /// The longest line that anything is done with, in bytes: PAM_MAX_RESP_SIZE.
  private static let longestLine = 512

  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The next line without its end, or nil at the end of the input. Of a line beyond the longest,
  /// one byte more than the longest is handed over, which everybody refuses.
  func line() -> SecretBytes? {
    var line = SecretBytes(count: Self.longestLine + 1)
    var count = 0
    while true {
      // Byte by byte, so that the next question finds what is behind the end of the line.
      var byte = SecretBytes(count: 1)
      let got = byte.withMutableSpan { byte in
        // SAFETY: the buffer of one byte is valid for the call.
        unsafe byte.withUnsafeMutableBufferPointer { unsafe read(descriptor, $0.baseAddress, 1) }
      }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return count > 0 ? line.prefix(count) : nil }
      guard byte.span[0] != UInt8(ascii: "\n") else { return line.prefix(count) }
      guard count < line.count else { continue }
      let position = count
      line.withMutableSpan { $0[position] = byte.span[0] }
      count += 1
    }
  }
}
