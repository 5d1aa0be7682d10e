/// A value of JSON (RFC 8259), as etcd's gateway answers it.
///
/// MUST 1: a text that is not JSON, nests deeper than `deepest`, or names a member of an object twice, is
/// refused. (`JSONValueTests.refused`)
indirect enum JSONValue: Equatable, Sendable {
  case null
  case boolean(Bool)
  /// A number, as it is written.
  case number([UInt8])
  /// A string, in UTF-8.
  case string([UInt8])
  case array([JSONValue])
  case object([String: JSONValue])

  /// The greatest depth of arrays and objects.
  static let deepest = 16

  /// Parses a text. Returns nil if it is refused.
  init?(_ text: [UInt8]) {
    var parser = JSONParser(text)
    guard let value = parser.document() else { return nil }
    self = value
  }

  /// The member of an object, or nil.
  subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The elements of an array, or nil.
  var elements: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The text of a string, or nil.
  var text: String? {
    guard case .string(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes that a string encodes in Base64, or nil.
  var bytes: [UInt8]? {
    guard case .string(let text) = self else { return nil }
    return Base64.decoded(text)
  }

  /// An integer, or nil. The gateway writes integers of 64 bits as strings.
  func integer<Number: FixedWidthInteger>(as _: Number.Type) -> Number? {
    switch self {
    case .string(let digits), .number(let digits):
      return Number(String(decoding: digits, as: UTF8.self))
    default: return nil
    }
  }
}
