import MFABase

/// The user's name for a factor: 1 to 64 Unicode scalars. The name has no spaces or tabs at either
/// end, and no characters that change how a terminal or a log shows the surrounding text.
package struct DisplayName: Equatable, Sendable {
  /// The name in UTF-8.
  package let utf8: [UInt8]

  /// The maximum length of a name in Unicode scalars.
  package static let maximumLength = 64

  /// The maximum length of a name in bytes.
  package static let maximumBytes = SingleLine.maximumBytes

  /// A name that stands for one that is read next.
  package static var placeholder: DisplayName { DisplayName(unchecked: [UInt8(ascii: "-")]) }

  private init(unchecked utf8: [UInt8]) { self.utf8 = utf8 }

  /// Trims spaces and tabs from both ends. Returns nil if the rest is not valid: empty, too long, not UTF-8, or with a
  /// control character, a line or paragraph separator, or a character that is invisible or changes the text direction.
  package init?(_ text: [UInt8]) {
    guard let line = SingleLine.checked(text, maximumLength: Self.maximumLength) else { return nil }
    utf8 = line
  }

  /// Returns whether a text has only spaces and tabs.
  package static func isBlank(_ text: [UInt8]) -> Bool { SingleLine.trimmed(text).isEmpty }
}

/// Text from a user for display in one line. It is valid UTF-8 and has no spaces or tabs at either
/// end, and no characters that change how a terminal or a log shows the surrounding text.
enum SingleLine {
  /// The maximum length in bytes.
  static let maximumBytes = 255

  /// Returns a text without the spaces and tabs at its ends, or nil if the rest is not valid or has more than
  /// `maximumLength` Unicode scalars.
  static func checked(_ text: [UInt8], maximumLength: Int) -> [UInt8]? {
    let trimmed = trimmed(text)
    guard !trimmed.isEmpty, trimmed.count <= maximumBytes else { return nil }
    var count = 0
    var bytes = trimmed.makeIterator()
    var decoder = Unicode.UTF8()
    decoding: while true {
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar):
        guard !scalar.isDeceptive else { return nil }
        count &+= 1
      case .emptyInput: break decoding
      case .error: return nil
      }
    }
    return count <= maximumLength ? trimmed : nil
  }

  static func trimmed(_ text: [UInt8]) -> [UInt8] {
    guard let first = text.firstIndex(where: { !isBlank($0) }),
      let last = text.lastIndex(where: { !isBlank($0) })
    else { return [] }
    return text.span.part(from: first, count: last &- first &+ 1).copied()
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

/// A user's name as the account database spells it: 1 to 255 bytes, without NUL and `/`.
package struct UserName: Equatable, Sendable {
  /// The name.
  package let bytes: [UInt8]

  /// The maximum length of a name in bytes (Linux's LOGIN_NAME_MAX less the terminator).
  package static let maximumLength = 255

  /// A name that stands for one that is read next.
  package static var placeholder: UserName { UserName(unchecked: [UInt8(ascii: "-")]) }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a name. Returns nil if it is empty, too long, or contains NUL or `/`, which no account
  /// name contains.
  package init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, bytes.count <= Self.maximumLength,
      !bytes.contains(0), !bytes.contains(UInt8(ascii: "/"))
    else { return nil }
    self.bytes = bytes
  }
}
