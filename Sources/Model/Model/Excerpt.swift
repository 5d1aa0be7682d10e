import MFABase

/// An excerpt of untrusted text, escaped for a terminal and for one line of a log.
package struct Excerpt: Equatable, Sendable {
  /// The default maximum length in bytes, without the dots that mark a cut excerpt.
  package static var maximumLength: Int { 64 }

  /// Printable ASCII only: backslashes and quotation marks are escaped as `\\` and `\"`, and every
  /// other byte as `\xNN`. A text that is too long is cut, never within an escape, and ends with
  /// `...`.
  package let text: [UInt8]

  /// Escapes `bytes` into at most `limit` bytes.
  package init(_ bytes: Span<UInt8>, limit: Int = maximumLength) {
    var text: [UInt8] = []
    for index in bytes.indices {
      let piece = Self.escaped(bytes[index])
      guard text.count + piece.count <= limit else {
        text += MFABase.bytes(of: "...")
        break
      }
      text.append(contentsOf: piece)
    }
    self.text = text
  }

  private static func escaped(_ byte: UInt8) -> [UInt8] {
    let backslash = UInt8(ascii: "\\")
    switch byte {
    case backslash, UInt8(ascii: "\""): return [backslash, byte]
    case 0x20...0x7E: return [byte]
    default: return [backslash, UInt8(ascii: "x")] + Hexadecimal.digits(of: byte)
    }
  }
}
