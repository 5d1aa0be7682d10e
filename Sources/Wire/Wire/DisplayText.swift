import MFABase

/// Text for display: UTF-8 of at most 1024 bytes, without deceptive characters other than newlines
/// and joiners.
///
/// MUST 1: no text from a PAM module can move the cursor, change colours or the terminal's title,
/// or be displayed as different text. (`ShownTextTests`)
package struct DisplayText: Equatable, Sendable {
  /// The text.
  package let utf8: [UInt8]

  /// The longest text in bytes.
  package static let longest = 1024

  /// Creates a text that is safe to display. Replaces each forbidden character, and each sequence
  /// that is not UTF-8, with a question mark, and cuts the text at `longest`.
  package init(cleaning text: [UInt8]) {
    var cleaned: [UInt8] = []
    var bytes = text.makeIterator()
    var decoder = Unicode.UTF8()
    decoding: while true {
      var encoded = [UInt8(ascii: "?")]
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar):
        if !Self.isForbidden(scalar) { encoded = Self.encode(scalar.value) }
      case .error: break
      case .emptyInput: break decoding
      }
      guard cleaned.count + encoded.count <= Self.longest else { break decoding }
      cleaned += encoded
    }
    utf8 = cleaned
  }

  /// Returns whether a character is forbidden: deceptive characters except newlines and the
  /// joiners, which belong to the spelling of some languages.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "\n" && !scalar.isJoiner && scalar.isDeceptive
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
