import MFABase
import Glibc

/// The stream from which the program reads user input.
struct Input: Sendable {
  let descriptor: Int32

  static let standardInput = Input(descriptor: STDIN_FILENO)

  /// The longest line that a user may type, in bytes: PAM_MAX_RESP_SIZE.
  static let longestLine = 512

  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Reads the next line and returns it without its newline, or nil at the end of the input. Cuts a
  /// longer line to one byte more than the limit, a length that every caller refuses.
  func line(longest: Int = longestLine) -> SecretBytes? {
    var line = SecretBytes(count: longest + 1)
    var count = 0
    while true {
      // Reads one byte at a time, so that the input after the newline is left for the next
      // question.
      guard let byte = byte() else { return count > 0 ? line.prefix(count) : nil }
      guard byte != UInt8(ascii: "\n") else { return line.prefix(count) }
      guard count < line.count else { continue }
      let position = count
      line.withMutableSpan { $0[position] = byte }
      count += 1
    }
  }

  /// Reads the next byte. Returns nil at the end of the input.
  func byte() -> UInt8? {
    var byte = SecretBytes(count: 1)
    while true {
      let got = byte.withMutableSpan { byte in
        // SAFETY: the buffer of one byte is valid for the call.
        unsafe byte.withUnsafeMutableBufferPointer { unsafe read(descriptor, $0.baseAddress, 1) }
      }
      if got < 0 && errno == EINTR { continue }
      return got > 0 ? byte.span[0] : nil
    }
  }
}
