/// A strict JSON reader (RFC 8259). Duplicate members and numbers that are not integers are errors,
/// and only white space may follow the value.
struct JSONReader {
  /// The reason for rejecting a text, and where.
  struct Refusal: Error, Equatable {
    /// The line, counted from 1.
    let line: Int
    /// What is wrong, as the end of a sentence.
    let reason: String
  }

  /// The maximum nesting depth of arrays and objects.
  static let deepest = 16

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var depth = 0

  /// Returns the value represented by `text`, in UTF-8.
  static func value(of text: [UInt8]) throws(Refusal) -> JSON {
    guard let string = String(validating: text, as: UTF8.self) else {
      throw Refusal(line: 1, reason: "is not UTF-8")
    }
    var reader = JSONReader(scalars: Array(string.unicodeScalars))
    let value = try reader.value()
    reader.skipBlanks()
    guard reader.position == reader.scalars.count else {
      throw reader.refusal("has extra text after the JSON value")
    }
    return value
  }

  private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

  private mutating func value() throws(Refusal) -> JSON {
    skipBlanks()
    switch next {
    case "{"?:
      return .object(try list(until: "}") { reader throws(Refusal) in try reader.member() })
    case "["?: return .array(try list(until: "]") { reader throws(Refusal) in try reader.value() })
    case "\""?: return .string(try string())
    case "t"?: return try word("true", .bool(true))
    case "f"?: return try word("false", .bool(false))
    case "n"?: return try word("null", .null)
    case _: return .number(try number())
    }
  }

  private mutating func list<Item>(
    until end: Unicode.Scalar, _ item: (inout JSONReader) throws(Refusal) -> Item
  ) throws(Refusal) -> [Item] {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw refusal("is nested too deeply") }
    position += 1
    var items: [Item] = []
    skipBlanks()
    if take(end) { return items }
    while true {
      items.append(try item(&self))
      skipBlanks()
      if let name = repeatedName(in: items) { throw refusal("has the member \(name) twice") }
      if take(end) { return items }
      guard take(",") else { throw refusal("is not JSON") }
    }
  }

  /// Returns the last member's name if an earlier member has the same name, or nil.
  private func repeatedName<Item>(in items: [Item]) -> String? {
    guard let members = items as? [(name: String, value: JSON)], let last = members.last,
      members.dropLast().contains(where: { $0.name == last.name })
    else { return nil }
    return "\"\(VisibleText.escaping(Array(last.name.utf8)))\""
  }

  private mutating func member() throws(Refusal) -> (name: String, value: JSON) {
    skipBlanks()
    guard next == "\"" else { throw refusal("is not JSON") }
    let name = try string()
    skipBlanks()
    guard take(":") else { throw refusal("is not JSON") }
    return (name, try value())
  }

  private mutating func string() throws(Refusal) -> String {
    position += 1
    var string = String.UnicodeScalarView()
    while let scalar = next {
      position += 1
      if scalar == "\"" { return String(string) }
      guard scalar.value >= 0x20 else { throw refusal("has a control character in a string") }
      string.append(scalar == "\\" ? try escaped() : scalar)
    }
    throw refusal("ends within a string")
  }

  private mutating func escaped() throws(Refusal) -> Unicode.Scalar {
    guard let scalar = next else { throw refusal("ends within a string") }
    position += 1
    switch scalar {
    case "\"", "\\", "/": return scalar
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      // No name or value used here needs a surrogate pair.
      guard position + 4 <= scalars.count,
        scalars[position..<position + 4].allSatisfy({ $0.properties.isASCIIHexDigit }),
        let value = UInt32(text(position..<position + 4), radix: 16),
        let unit = Unicode.Scalar(value)
      else { throw refusal("has an unsupported escape sequence") }
      position += 4
      return unit
    case _: throw refusal("has an unsupported escape sequence")
    }
  }

  private mutating func number() throws(Refusal) -> Int64 {
    let start = position
    while let scalar = next, ("0"..."9").contains(scalar) || "+-.eE".unicodeScalars.contains(scalar)
    {
      position += 1
    }
    let digits = text(start..<position)
    guard !digits.isEmpty else { throw refusal("is not JSON") }
    // Printing the number gives the same text: no plus sign, no leading zero, no fraction.
    guard let number = Int64(digits), String(number) == digits else {
      throw refusal("has the number \(digits.prefix(32)), which is not a 64-bit integer")
    }
    return number
  }

  private mutating func word(_ word: String, _ value: JSON) throws(Refusal) -> JSON {
    for scalar in word.unicodeScalars {
      guard take(scalar) else { throw refusal("is not JSON") }
    }
    return value
  }

  // MARK: Scalars

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while let scalar = next, [" ", "\t", "\n", "\r"].contains(scalar) { position += 1 }
  }

  private func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }

  private func refusal(_ reason: String) -> Refusal {
    Refusal(line: 1 + scalars.prefix(position).count { $0 == "\n" }, reason: reason)
  }
}
