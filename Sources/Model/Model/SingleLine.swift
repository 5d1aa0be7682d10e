import MFABase

/// Text from a user for display in one line. It is valid UTF-8 and has no spaces or tabs at either
/// end, and no characters that change how a terminal or a log shows the surrounding text.
enum SingleLine {
  /// The maximum length in bytes.
  static let maximumBytes = 255

  /// Trims spaces and tabs from both ends of a text, and returns the rest if it is valid and has at
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
        guard !scalar.isDeceptive else { throw .controlCharacter }
        count &+= 1
      case .emptyInput: break decoding
      case .error: throw .notUTF8
      }
    }
    guard count <= maximumLength else { throw .tooLong }
    return trimmed
  }

  private static func trimmed(_ text: [UInt8]) -> [UInt8] {
    guard let first = text.firstIndex(where: { !isBlank($0) }),
      let last = text.lastIndex(where: { !isBlank($0) })
    else { return [] }
    return text.span.part(from: first, count: last &- first &+ 1).copied()
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
