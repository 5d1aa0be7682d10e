import Secrets

/// A piece of a text that somebody else wrote, made safe for a terminal and for one line of a log.
public struct Excerpt: Equatable, Sendable {
  /// How long an excerpt gets unless told otherwise, in bytes, without the dots that say that it was
  /// cut.
  public static var maximumLength: Int { 64 }

  /// Printable ASCII only: backslashes and quotation marks are escaped as `\\` and `\"`, and every
  /// other byte as `\xNN`. A text that is too long is cut in front of an escape, never within one,
  /// and then ends with `...`.
  public let text: [UInt8]

  /// Escapes `bytes`, up to `limit` bytes of result.
  public init(_ bytes: Span<UInt8>, limit: Int = maximumLength) {
    var text: [UInt8] = []
    for index in bytes.indices {
      let piece = Self.escaped(bytes[index])
      guard text.count + piece.count <= limit else {
        text += Secrets.bytes(of: "...")
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
