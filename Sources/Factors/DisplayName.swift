/// What a person calls a factor: 1 to 64 Unicode scalars, no white space at either end, nothing
/// that changes how a terminal or a log shows what stands around it.
public struct DisplayName: Equatable, Sendable {
  /// The name in UTF-8.
  public let utf8: [UInt8]

  /// The longest name in Unicode scalars.
  public static let maximumLength = 64

  /// The longest name in bytes.
  public static let maximumBytes = SingleLine.maximumBytes

  /// Why a text is no name.
  public enum Refusal: Error, Equatable, Sendable {
    case empty
    case tooLong
    case notUTF8
    /// A control character, a line or paragraph separator, or a mark that turns the direction of
    /// writing or shows nothing at all.
    case controlCharacter
  }

  /// Trims white space from both ends and checks the rest.
  public init(_ text: [UInt8]) throws(Refusal) {
    utf8 = try SingleLine.checked(text, maximumLength: Self.maximumLength)
  }
}
