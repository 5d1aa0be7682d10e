import MFABase

/// The text of a message in one language, in UTF-8.
///
/// Texts are string literals. Only numbers, names that were checked
/// before, and other texts can be inserted, and nothing in a text is interpreted as a format.
public struct MessageText: Equatable, Sendable, ExpressibleByStringInterpolation {
  /// The text.
  public let utf8: [UInt8]

  /// Creates a text from UTF-8.
  public init(_ utf8: [UInt8]) { self.utf8 = utf8 }

  /// Creates a text without inserted values.
  @inline(never)
  public init(stringLiteral text: String) { utf8 = bytes(of: text) }

  /// Creates a text with inserted values.
  public init(stringInterpolation text: StringInterpolation) { utf8 = text.utf8 }

  /// The text as a string.
  public var string: String { utf8Text(utf8) }

  /// A text that is being composed.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var utf8: [UInt8] = []

    /// Begins a text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a part of the literal.
    @inline(never)
    public mutating func appendLiteral(_ text: String) { utf8 += bytes(of: text) }

    /// Appends a number in decimal digits.
    @inline(never)
    public mutating func appendInterpolation(_ number: Int64) {
      utf8 += bytes(of: decimal(number))
    }

    /// Appends UTF-8, such as a name.
    @inline(never)
    public mutating func appendInterpolation(_ text: [UInt8]) { utf8 += text }

    /// Appends another text.
    public mutating func appendInterpolation(_ text: MessageText) { utf8 += text.utf8 }
  }

  /// Joins two texts.
  @inline(never)
  public static func + (left: MessageText, right: MessageText) -> MessageText {
    MessageText(left.utf8 + right.utf8)
  }
}
