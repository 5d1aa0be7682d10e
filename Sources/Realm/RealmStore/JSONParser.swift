/// A reader of one JSON text.
struct JSONParser {
  private let text: [UInt8]
  private var index = 0
  private var depth = 0

  init(_ text: [UInt8]) { self.text = text }

  /// Parses the whole text.
  mutating func document() -> JSONValue? {
    guard let value = value() else { return nil }
    skipSpace()
    return index == text.count ? value : nil
  }

  private var next: UInt8? { index < text.count ? text[index] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { index += 1 }
  }

  /// Takes the byte if it is the next one after spaces.
  private mutating func takes(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func value() -> JSONValue? {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return nested { $0.object() }
    case UInt8(ascii: "["): return nested { $0.array() }
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return word("true", .boolean(true))
    case UInt8(ascii: "f"): return word("false", .boolean(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  private mutating func nested(_ parse: (inout JSONParser) -> JSONValue?) -> JSONValue? {
    guard depth < JSONValue.deepest else { return nil }
    index += 1
    depth += 1
    defer { depth -= 1 }
    return parse(&self)
  }

  private mutating func word(_ word: String, _ value: JSONValue) -> JSONValue? {
    let bytes = Array(word.utf8)
    guard text[index...].starts(with: bytes) else { return nil }
    index += bytes.count
    return value
  }

  private mutating func object() -> JSONValue? {
    var members: [String: JSONValue] = [:]
    if takes("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string(), takes(":"), let value = value(),
        members.updateValue(value, forKey: String(decoding: name, as: UTF8.self)) == nil
      else { return nil }
    } while takes(",")
    return takes("}") ? .object(members) : nil
  }

  private mutating func array() -> JSONValue? {
    var elements: [JSONValue] = []
    if takes("]") { return .array(elements) }
    repeat {
      guard let value = value() else { return nil }
      elements.append(value)
    } while takes(",")
    return takes("]") ? .array(elements) : nil
  }

  private mutating func number() -> JSONValue? {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    guard digits() else { return nil }
    let first = text[start] == UInt8(ascii: "-") ? start + 1 : start
    guard text[first] != UInt8(ascii: "0") || index == first + 1 else { return nil }
    if next == UInt8(ascii: ".") {
      index += 1
      guard digits() else { return nil }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      guard digits() else { return nil }
    }
    return .number(Array(text[start..<index]))
  }

  private mutating func digits() -> Bool {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    return index > start
  }

  private mutating func string() -> [UInt8]? {
    guard next == UInt8(ascii: "\"") else { return nil }
    index += 1
    var bytes: [UInt8] = []
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        bytes += Array(String(Character(scalar)).utf8)
      case 0..<0x20: return nil
      default: bytes.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      guard let unit = codeUnit() else { return nil }
      guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
      // A surrogate pair.
      guard next == UInt8(ascii: "\\") else { return nil }
      index += 1
      guard next == UInt8(ascii: "u") else { return nil }
      index += 1
      guard let low = codeUnit(), (0xDC00..<0xE000).contains(low) else { return nil }
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    default: return nil
    }
  }

  private mutating func codeUnit() -> UInt32? {
    guard text.count - index >= 4 else { return nil }
    let digits = text[index..<(index + 4)]
    index += 4
    guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
