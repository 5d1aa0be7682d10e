import MFABase

/// A message to a phone, in the form that a gateway reads from its standard input:
///
///     To: +15105551234
///     Id: 0123456789abcdef
///     Expires: 2027-01-31T09:05:59Z
///
///     123456 is your code for example.
///
/// The text is UTF-8. A line feed follows it.
///
/// MUST 1: no number, identifier or text adds a line to the head, or a control character other than
/// line feeds to the text. (`GatewayMessageTests`)
package struct GatewayMessage: ~Copyable {
  /// The message, which is a secret because of the code.
  private let bytes: SecretBytes
  /// The identifier of the message.
  package let id: SendID

  /// The maximum length of the text in bytes.
  package static var maximumTextLength: Int { 1000 }
  /// The maximum length of a message in bytes. A pipe holds this many.
  static var maximumLength: Int { maximumTextLength &+ 100 }

  /// Creates a message. Returns nil if the number does not have the form +15105551234, or if the
  /// text is empty, too long, not UTF-8 or contains a control character. `expires` is the time after
  /// which the code is not accepted, in seconds since 1970-01-01 00:00 UTC.
  package init?(
    to number: Span<UInt8>, id: SendID, expires: Int64, text: Span<UInt8>
  ) {
    let time = UTCTime.precise(expires)
    guard Self.isNumber(number), Self.isText(text), !time.isEmpty else { return nil }
    let to = SecretBytes(joining: ("To: " as StaticString).bytes.span, number)
    let head =
      ("\nId: " as StaticString).bytes + id.text + ("\nExpires: " as StaticString).bytes + time
      + ("\n\n" as StaticString).bytes
    let first = SecretBytes(joining: to.span, head.span)
    let rest = SecretBytes(joining: text, [UInt8(ascii: "\n")].span)
    bytes = SecretBytes(joining: first.span, rest.span)
    self.id = id
  }

  /// Reads a message. Returns nil if it does not have the form that `init` gives it.
  package init?(_ message: Span<UInt8>) {
    guard message.count <= Self.maximumLength else { return nil }
    var rest = message
    guard let number = Self.field("To: ", of: &rest), Self.isNumber(number),
      let idText = Self.field("Id: ", of: &rest), let id = SendID(idText.copied()),
      let time = Self.field("Expires: ", of: &rest), Self.isTime(time), rest.count > 2,
      rest[0] == Self.lineFeed, rest[rest.count &- 1] == Self.lineFeed,
      Self.isText(rest.extracting(1..<(rest.count &- 1)))
    else { return nil }
    bytes = SecretBytes(copying: message)
    self.id = id
  }

  /// The message.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.span }
  }

  // MARK: Parts

  private static let lineFeed = UInt8(ascii: "\n")

  /// Takes a line that begins with `name` from `rest`, and returns what follows the name.
  @_lifetime(copy rest)
  @_lifetime(rest: copy rest)
  private static func field(_ name: StaticString, of rest: inout Span<UInt8>) -> Span<UInt8>? {
    let end: Int = rest.firstIndex(of: lineFeed)
    let length = name.utf8CodeUnitCount
    guard end < rest.count, end >= length, name.equals(rest.extracting(0..<length)) else {
      return nil
    }
    let value = rest.extracting(length..<end)
    rest = rest.extracting(droppingFirst: end &+ 1)
    return value
  }

  /// Returns whether a text is a phone number: + and 8 to 15 digits, the first of which is not 0.
  package static func isNumber(_ text: Span<UInt8>) -> Bool {
    guard (9...16).contains(text.count), text[0] == UInt8(ascii: "+"),
      text[1] != UInt8(ascii: "0")
    else { return false }
    for index in 1..<text.count where text[index].decimalDigit == nil { return false }
    return true
  }

  private static func isTime(_ text: Span<UInt8>) -> Bool {
    let form: StaticString = "0000-00-00T00:00:00Z"
    guard text.count == form.utf8CodeUnitCount else { return false }
    let bytes = form.bytes
    for index in text.indices {
      let isDigit = text[index].decimalDigit != nil
      guard bytes[index] == UInt8(ascii: "0") ? isDigit : text[index] == bytes[index] else {
        return false
      }
    }
    return true
  }

  private static func isText(_ text: Span<UInt8>) -> Bool {
    guard (1...maximumTextLength).contains(text.count) else { return false }
    do throws(UTF8.ValidationError) {
      var scalars = try UTF8Span(validating: text).makeUnicodeScalarIterator()
      while let scalar = scalars.next() {
        let value = scalar.value
        guard value >= 0x20 || value == 0x0A, !(0x7F...0x9F).contains(value) else { return false }
      }
      return true
    } catch {
      return false
    }
  }
}
