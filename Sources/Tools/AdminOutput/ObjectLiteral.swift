/// Rewrites an object as JavaScript programs write it, such as `{state: 'ENABLED',}`, as JSON.
///
/// JavaScript also allows names without quotation marks, single quotation marks, a comma after the
/// last member, and comments. JSON is unchanged, except for its white space. Everything else is left
/// to `JSONReader`, which refuses what is not JSON after the rewriting. Foundation's JSON5 is not
/// used: it accepts more, such as hexadecimal numbers, and hides repeated members.
///
/// MUST 1: a JSON object or array has the same value after the rewriting. (`ObjectLiteralTests`)
package struct ObjectLiteral {
  private let text: [UInt8]
  /// What the values of members can be, for messages.
  private let allowed: [String: String]
  private var index = 0
  private var json: [UInt8] = []
  /// The number of objects and arrays that have begun and not ended.
  private var depth = 0
  /// The name of the last member, for messages.
  private var name = ""

  private init(_ text: [UInt8], _ allowed: [String: String]) {
    self.text = text
    self.allowed = allowed
  }

  /// Returns the object as JSON. `allowed` says what the values of members can be, by their names.
  package static func json(
    _ text: [UInt8], allowed: [String: String] = [:]
  ) throws(JSONReader.Refusal) -> [UInt8] {
    guard String(validating: text, as: UTF8.self) != nil else {
      throw JSONReader.Refusal(reason: "is not UTF-8")
    }
    var literal = ObjectLiteral(text, allowed)
    try literal.rewrite()
    return literal.json
  }

  private mutating func rewrite() throws(JSONReader.Refusal) {
    while let byte = nextByte() {
      try checkIsInside(byte)
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): begin(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): end(byte)
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try rewriteString(until: byte)
      case UInt8(ascii: ":"), UInt8(ascii: ","): put(byte)
      case _ where Self.isWord(byte): try rewriteWord()
      case _:
        let character = String(decoding: text[index...].prefix(4), as: UTF8.self).prefix(1)
        throw JSONReader.Refusal(
          reason: "has \(VisibleText.escaping(Array(character.utf8))) outside a string")
      }
    }
  }

  /// Refuses a text around the object: the call or the command that it was copied from.
  private func checkIsInside(_ byte: UInt8) throws(JSONReader.Refusal) {
    guard depth == 0 else { return }
    let isBegin = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    guard !isBegin || !json.isEmpty else { return }
    let reason = json.isEmpty ? "does not begin with {" : "has text after the last }"
    throw JSONReader.Refusal(reason: reason + "; copy the object only, from its { to its }")
  }

  // MARK: White space

  /// Skips white space and comments, and returns the byte after them, or nil at the end.
  private mutating func nextByte() -> UInt8? {
    index = significant(from: index)
    return index < text.count ? text[index] : nil
  }

  /// Returns the index of the first byte at or after `start` outside white space and comments.
  private func significant(from start: Int) -> Int {
    var index = start
    while index < text.count {
      let length = spaceLength(at: index)
      guard length > 0 else { return index }
      index += length
    }
    return index
  }

  /// Returns the length of the white space character or the comment at `index`, or 0.
  /// A comment without an end reaches to the end of the text.
  private func spaceLength(at index: Int) -> Int {
    let rest = text[index...]
    switch text[index] {
    case 0x20, 0x09, 0x0A, 0x0D: return 1
    // U+00A0, which browsers put into copied text.
    case 0xC2: return rest.starts(with: [0xC2, 0xA0]) ? 2 : 0
    // The byte order mark.
    case 0xEF: return rest.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    case UInt8(ascii: "/"): return commentLength(rest)
    case _: return 0
    }
  }

  private func commentLength(_ rest: ArraySlice<UInt8>) -> Int {
    if rest.starts(with: "//".utf8) {
      return (rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex) - rest.startIndex
    }
    guard rest.starts(with: "/*".utf8) else { return 0 }
    var index = rest.startIndex + 2
    while index < rest.endIndex {
      if rest[index...].starts(with: "*/".utf8) { return index + 2 - rest.startIndex }
      index += 1
    }
    return rest.count
  }

  // MARK: Tokens

  private mutating func put(_ byte: UInt8) {
    json.append(byte)
    index += 1
  }

  private mutating func begin(_ byte: UInt8) {
    depth += 1
    put(byte)
  }

  /// Ends an object or array. A comma after its last member is omitted.
  private mutating func end(_ byte: UInt8) {
    if json.last == UInt8(ascii: ","), let before = json.dropLast().last,
      !"{[,:".utf8.contains(before)
    {
      json.removeLast()
    }
    depth -= 1
    put(byte)
  }

  private mutating func rewriteString(until quote: UInt8) throws(JSONReader.Refusal) {
    let start = index
    json.append(UInt8(ascii: "\""))
    index += 1
    while index < text.count, text[index] != quote {
      let isEscape = text[index] == UInt8(ascii: "\\")
      if isEscape { index += 1 }
      guard index < text.count else { break }
      // JSON has no \', and needs \" in a string that had single quotation marks.
      let needsEscape = isEscape ? text[index] != UInt8(ascii: "'") : text[index] == 0x22
      if needsEscape { json.append(UInt8(ascii: "\\")) }
      put(text[index])
    }
    guard index < text.count else {
      throw JSONReader.Refusal(reason: "has a string without a quotation mark at its end")
    }
    let content = text[(start + 1)..<index]
    json.append(UInt8(ascii: "\""))
    index += 1
    if isFollowedByColon { name = VisibleText.escaping(Array(content)) }
  }

  private var isFollowedByColon: Bool {
    let next = significant(from: index)
    return next < text.count && text[next] == UInt8(ascii: ":")
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    case _: false
    }
  }

  /// Rewrites an unquoted name, or a value that is not a string.
  private mutating func rewriteWord() throws(JSONReader.Refusal) {
    let end = text[index...].firstIndex { !Self.isWord($0) } ?? text.endIndex
    let word = String(decoding: text[index..<end], as: UTF8.self)
    index = end
    if isFollowedByColon {
      name = word
      json += Array("\"\(word)\"".utf8)
      return
    }
    guard word.wholeMatch(of: Self.value) != nil else {
      let place = name.isEmpty ? "" : " as the value of \(name)"
      let values = allowed[name] ?? "a number, or a string in quotation marks"
      throw JSONReader.Refusal(reason: "has \(word.prefix(64))\(place); replace it with \(values)")
    }
    // The space keeps words apart that no comma separates.
    json += Array("\(word) ".utf8)
  }

  private static var value: Regex<Substring> {
    /null|true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/
  }
}
