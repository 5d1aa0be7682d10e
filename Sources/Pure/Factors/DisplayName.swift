/// The user's name for a factor: 1 to 64 Unicode scalars. The name has no spaces or tabs at either
/// end, and no characters that change how a terminal or a log shows the surrounding text.
public struct DisplayName: Equatable, Sendable {
  /// The name in UTF-8.
  public let utf8: [UInt8]

  /// The maximum length of a name in Unicode scalars.
  public static let maximumLength = 64

  /// The maximum length of a name in bytes.
  public static let maximumBytes = SingleLine.maximumBytes

  /// The reason why a text is not a valid name.
  public enum Refusal: Error, Equatable, Sendable {
    case empty
    case tooLong
    case notUTF8
    /// The text contains a control character, a line or paragraph separator, or a character that is
    /// invisible or changes the text direction.
    case controlCharacter
  }

  /// Trims spaces and tabs from both ends and checks the rest.
  public init(_ text: [UInt8]) throws(Refusal) {
    utf8 = try SingleLine.checked(text, maximumLength: Self.maximumLength)
  }
}
