import MFABytes
/// Text from a user for display in one line. It is valid UTF-8 and has no white space at either
/// end, and no characters that change how a terminal or a log shows the surrounding text.
enum SingleLine {
  /// The maximum length in bytes.
  static let maximumBytes = 255

  /// Trims white space from both ends of a text, and returns the rest if it is valid and has at
  /// most `maximumLength` Unicode scalars.
  static func checked(
    _ text: [UInt8], maximumLength: Int
  ) throws(DisplayName.Refusal) -> [UInt8] {
    let trimmed = trimmed(text)
    guard !trimmed.isEmpty else { throw .empty }
    guard trimmed.count <= maximumBytes else { throw .tooLong }
    var count = 0
    var bytes = trimmed.makeIterator()
    var decoder = Unicode.UTF8()
    decoding: while true {
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar):
        guard !isDeceptive(scalar.value) else { throw .controlCharacter }
        count += 1
      case .emptyInput: break decoding
      case .error: throw .notUTF8
      }
    }
    guard count <= maximumLength else { throw .tooLong }
    return Array(trimmed)
  }

  private static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
    var slice = text[...]
    while let first = slice.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      slice.removeFirst()
    }
    while let last = slice.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") {
      slice.removeLast()
    }
    return slice
  }

  /// Returns whether a scalar is a C0, DEL or C1 control, a separator, a zero-width character, a
  /// bidirectional control, or a tag.
  private static func isDeceptive(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}
