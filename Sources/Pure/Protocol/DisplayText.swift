/// Text for display: UTF-8 of at most 1024 bytes, without characters that change the text direction
/// or control characters other than the newline.
///
/// MUST 1: no text from a PAM module can move the cursor, change colours or the terminal's title,
/// or be displayed as different text. (`ShownTextTests`)
public struct DisplayText: Equatable, Sendable {
  /// The text.
  public let utf8: [UInt8]

  /// The longest text in bytes.
  public static let longest = 1024

  /// Creates a text that is safe to display. Replaces each forbidden character, and each sequence
  /// that is not UTF-8, with a question mark, and cuts the text at `longest`.
  public init(cleaning text: [UInt8]) {
    var cleaned: [UInt8] = []
    var bytes = text.makeIterator()
    var decoder = Unicode.UTF8()
    decoding: while true {
      var encoded = [UInt8(ascii: "?")]
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar):
        if !Self.isForbidden(scalar.value) { encoded = Self.encode(scalar.value) }
      case .error: break
      case .emptyInput: break decoding
      }
      guard cleaned.count + encoded.count <= Self.longest else { break decoding }
      cleaned += encoded
    }
    utf8 = cleaned
  }

  /// Returns whether a character is forbidden: C0 except the newline, DEL, C1, line and paragraph
  /// separators, bidirectional controls, the byte order mark, tags.
  private static func isForbidden(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0A: false
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069,
      0xFEFF, 0xE0000...0xE007F:
      true
    default: false
    }
  }

  /// Returns a character in UTF-8 (RFC 3629, section 3).
  private static func encode(_ scalar: UInt32) -> [UInt8] {
    func continuation(_ shift: UInt32) -> UInt8 {
      0x80 | UInt8(truncatingIfNeeded: scalar >> shift) & 0x3F
    }
    func lead(_ mark: UInt8, _ shift: UInt32) -> UInt8 {
      mark | UInt8(truncatingIfNeeded: scalar >> shift)
    }
    return switch scalar {
    case 0..<0x80: [lead(0, 0)]
    case 0x80..<0x800: [lead(0xC0, 6), continuation(0)]
    case 0x800..<0x10000: [lead(0xE0, 12), continuation(6), continuation(0)]
    default: [lead(0xF0, 18), continuation(12), continuation(6), continuation(0)]
    }
  }
}
