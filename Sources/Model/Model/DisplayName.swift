/// The user's name for a factor: 1 to 64 Unicode scalars. The name has no spaces or tabs at either
/// end, and no characters that change how a terminal or a log shows the surrounding text.
package struct DisplayName: Equatable, Sendable {
  /// The name in UTF-8.
  package let utf8: [UInt8]

  /// The maximum length of a name in Unicode scalars.
  package static let maximumLength = 64

  /// The maximum length of a name in bytes.
  package static let maximumBytes = SingleLine.maximumBytes

  /// The reason why a text is not a valid name.
  package enum Refusal: Error, Equatable, Sendable {
    case empty
    case tooLong
    case notUTF8
    /// The text contains a control character, a line or paragraph separator, or a character that is
    /// invisible or changes the text direction.
    case controlCharacter
  }

  /// A name that stands for one that is read next.
  package static var placeholder: DisplayName { DisplayName(unchecked: [UInt8(ascii: "-")]) }

  private init(unchecked utf8: [UInt8]) { self.utf8 = utf8 }

  /// Trims spaces and tabs from both ends and checks the rest.
  package init(_ text: [UInt8]) throws(Refusal) {
    utf8 = try SingleLine.checked(text, maximumLength: Self.maximumLength)
  }
}
