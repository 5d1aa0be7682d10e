/// Rewrites an object as JavaScript programs write it, such as `{state: 'ENABLED',}`, as JSON.
///
/// JavaScript also allows names without quotation marks, single quotation marks, a comma after the
/// last member, and comments. JSON is unchanged, except for its white space. What is neither is
/// refused with its line and column. Foundation's JSON5 is not used: it accepts more, such as
/// hexadecimal numbers, and hides repeated members.
///
/// MUST 1: a JSON object or array has the same value after the rewriting. (`ObjectLiteralTests`)
package struct ObjectLiteral {
  private let text: [UInt8]
  /// What the values of members can be, for messages.
  private let allowed: [String: String]
  private var index = 0
  private var json: [UInt8] = []
  /// The objects and arrays that have begun and not ended.
  private var open: [OpenContainer] = []
  /// The name that an object has twice, if one was found.
  private var repeatedName: String?
  /// The index of the } after a value in braces that is being read.
  private var bracesEnd: Int?
  /// What was read in another way than it is written, each in words.
  private var notes: [String] = []

  private init(_ text: [UInt8], _ allowed: [String: String]) {
    self.text = text
    self.allowed = allowed
  }

  /// Returns the object as JSON. `allowed` says what the values of members can be, by their names.
  package static func json(
    _ text: [UInt8], allowed: [String: String] = [:]
  ) throws(AdminError) -> [UInt8] {
    try rewriting(text, allowed: allowed).json
  }

  /// Returns the object as JSON, and what was read in another way than it is written, each in words.
  static func rewriting(
    _ text: [UInt8], allowed: [String: String]
  ) throws(AdminError) -> (json: [UInt8], notes: [String]) {
    guard String(validating: text, as: UTF8.self) != nil else {
      throw JSONReader.refusal("is not UTF-8")
    }
    var literal = ObjectLiteral(text, allowed)
    try literal.rewrite()
    return (literal.json, literal.notes)
  }

  /// Returns the first name that an object in valid JSON has twice, or nil.
  static func repeatedName(in text: [UInt8]) -> String? {
    var literal = ObjectLiteral(text, [:])
    do throws(AdminError) { try literal.rewrite() } catch { return literal.repeatedName }
    return nil
  }

  private mutating func rewrite() throws(AdminError) {
    while let byte = try nextByte() {
      try checkIsInside(byte)
      switch byte {
      case UInt8(ascii: "}") where index == bracesEnd: index += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["): try begin(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): try end(byte)
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try rewriteString(until: byte)
      case UInt8(ascii: ":"): try separate(.colon, byte)
      case UInt8(ascii: ","): try separate(.comma, byte)
      case _ where Self.isWord(byte): try rewriteWord()
      case UInt8(ascii: "|"):
        throw refusal("has | between values of which one has to stay; remove the others")
      case _:
        let character = String(decoding: text[index...].prefix(4), as: UTF8.self).prefix(1)
        throw refusal("has \(VisibleText.escaping(Array(character.utf8))) outside a string")
      }
    }
    guard !json.isEmpty else {
      throw JSONReader.refusal("is empty; copy the object, from its { to its }")
    }
    if !open.isEmpty { throw syntaxError() }
  }

  /// Refuses a text around the object: the call or the command that it was copied from.
  private func checkIsInside(_ byte: UInt8) throws(AdminError) {
    guard open.isEmpty else { return }
    let isBegin = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    guard !isBegin || !json.isEmpty else { return }
    let reason = json.isEmpty ? "does not begin with {" : "has text after the last }"
    throw refusal(reason + "; copy the object only, from its { to its }")
  }

  // MARK: Refusals

  /// Returns a refusal with the line and the column of `place`, or of the next byte.
  private func refusal(_ reason: String, at place: Int? = nil) -> AdminError {
    let before = text[..<(place ?? index)]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let column = String(decoding: before[start...], as: UTF8.self).count + 1
    return JSONReader.refusal("\(reason) (line \(line), column \(column))")
  }

  /// Returns the refusal of a token that cannot follow those before.
  private func syntaxError(at place: Int? = nil) -> AdminError {
    refusal("is not JSON: there must be \(open.last?.expected ?? "an object")", at: place)
  }

  /// The place of the member or element that is being read, such as `mfa.providerConfigs[0]`.
  private var path: String {
    String(open.map(\.place).joined().trimmingPrefix("."))
  }

  // MARK: White space

  /// Skips white space and comments, and returns the byte after them, or nil at the end.
  private mutating func nextByte() throws(AdminError) -> UInt8? {
    index = try significant(from: index)
    return index < text.count ? text[index] : nil
  }

  /// Returns the index of the first byte at or after `start` outside white space and comments.
  private func significant(from start: Int) throws(AdminError) -> Int {
    var index = start
    while index < text.count {
      let length = try spaceLength(at: index)
      guard length > 0 else { return index }
      index += length
    }
    return index
  }

  /// Returns the length of the white space character or the comment at `index`, or 0.
  private func spaceLength(at index: Int) throws(AdminError) -> Int {
    let rest = text[index...]
    switch text[index] {
    case 0x20, 0x09, 0x0A, 0x0D: return 1
    // U+00A0, which browsers put into copied text.
    case 0xC2: return rest.starts(with: [0xC2, 0xA0]) ? 2 : 0
    // The byte order mark.
    case 0xEF: return rest.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    case UInt8(ascii: "/"): return try commentLength(rest)
    case _: return 0
    }
  }

  private func commentLength(_ rest: ArraySlice<UInt8>) throws(AdminError) -> Int {
    if rest.starts(with: "//".utf8) {
      return (rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex) - rest.startIndex
    }
    guard rest.starts(with: "/*".utf8) else { return 0 }
    var index = rest.startIndex + 2
    while index < rest.endIndex {
      if rest[index...].starts(with: "*/".utf8) { return index + 2 - rest.startIndex }
      index += 1
    }
    throw refusal("has a comment without an end", at: rest.startIndex)
  }

  // MARK: Tokens

  private mutating func put(_ byte: UInt8) {
    json.append(byte)
    index += 1
  }

  /// Reads a token that can follow only if `next` can. `place` is the beginning of the token.
  private mutating func take(
    _ next: OpenContainer.Next, at place: Int
  ) throws(AdminError) {
    guard let last = open.indices.last else { return }
    guard open[last].next == next else { throw syntaxError(at: place) }
    open[last].advance()
  }

  private mutating func separate(
    _ separator: OpenContainer.Next, _ byte: UInt8
  ) throws(AdminError) {
    try take(separator, at: index)
    put(byte)
  }

  private mutating func begin(_ byte: UInt8) throws(AdminError) {
    if byte == UInt8(ascii: "{"), try beginBraces() {
      index += 1
      return
    }
    try take(.value, at: index)
    open.append(OpenContainer(isObject: byte == UInt8(ascii: "{")))
    put(byte)
  }

  /// Returns whether an object begins that contains only a value, such as `{ 5 }`. The documents write braces
  /// around a placeholder for the value of a member, which stay when the placeholder is replaced.
  private mutating func beginBraces() throws(AdminError) -> Bool {
    guard let member = open.last, member.isObject, member.next == .value,
      allowed[member.name] != nil
    else { return false }
    let start = try significant(from: index + 1)
    guard start < text.count else { return false }
    let isString = text[start] == UInt8(ascii: "\"") || text[start] == UInt8(ascii: "'")
    let last =
      isString
      ? text[(start + 1)...].firstIndex(of: text[start]).map { $0 + 1 }
      : text[start...].firstIndex { !Self.isWord($0) }
    guard let last, last > start else { return false }
    let end = try significant(from: last)
    guard end < text.count, text[end] == UInt8(ascii: "}") else { return false }
    bracesEnd = end
    let value = VisibleText.escaping(Array(text[start..<last]))
    notes.append(
      "read { \(value) } as \(value), the value of \(VisibleText.escaping(Array(path.utf8)))")
    return true
  }

  /// Ends an object or array. A comma after its last member is omitted.
  private mutating func end(_ byte: UInt8) throws(AdminError) {
    guard let last = open.last, last.canEnd, last.isObject == (byte == UInt8(ascii: "}")) else {
      throw syntaxError()
    }
    if json.last == UInt8(ascii: ",") { json.removeLast() }
    open.removeLast()
    put(byte)
  }

  private mutating func rewriteString(until quote: UInt8) throws(AdminError) {
    let start = index
    let jsonStart = json.count
    var isPlain = true
    put(UInt8(ascii: "\""))
    while index < text.count, text[index] != quote {
      let isEscape = text[index] == UInt8(ascii: "\\")
      if isEscape || text[index] < 0x20 { isPlain = false }
      if isEscape { index += 1 }
      guard index < text.count else { break }
      // JSON has no \', and needs \" in a string that had single quotation marks.
      let needsEscape = isEscape ? text[index] != UInt8(ascii: "'") : text[index] == 0x22
      if needsEscape { json.append(UInt8(ascii: "\\")) }
      put(text[index])
    }
    guard index < text.count else {
      throw refusal("has a string without a quotation mark at its end", at: start)
    }
    put(UInt8(ascii: "\""))
    var content = String(decoding: text[(start + 1)..<(index - 1)], as: UTF8.self)
    if !isPlain { content = try decoded(json[jsonStart...], at: start) }
    try takeNameOrValue(content, at: start)
  }

  /// Returns the text that a string of JSON stands for.
  private func decoded(
    _ string: ArraySlice<UInt8>, at place: Int
  ) throws(AdminError) -> String {
    do throws(AdminError) {
      if case .string(let text) = try JSONReader.value(of: Array(string)) { return text }
    } catch {}
    throw refusal(
      "has a string that JSON does not allow; it allows no line feeds and other control characters, "
        + "and after a backslash only \", \\, /, b, f, n, r, t, and u with four digits", at: place)
  }

  /// Reads a string, or a word, which is a name where a name can follow.
  private mutating func takeNameOrValue(
    _ name: String, at place: Int
  ) throws(AdminError) {
    guard let last = open.indices.last, open[last].next == .name else {
      return try take(.value, at: place)
    }
    guard open[last].begin(name) else {
      repeatedName = name
      throw refusal(
        "has the member \(VisibleText.escaping(Array(path.utf8))) twice; remove one of the two",
        at: place)
    }
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
  private mutating func rewriteWord() throws(AdminError) {
    let start = index
    let isName = open.last?.next == .name
    let end = text[index...].firstIndex { !Self.isWord($0) } ?? text.endIndex
    let word = String(decoding: text[start..<end], as: UTF8.self)
    try takeNameOrValue(word, at: start)
    index = end
    if isName {
      json += Array("\"\(word)\"".utf8)
      return
    }
    guard word.wholeMatch(of: Self.value) != nil else {
      let name = open.last { $0.isObject }?.name
      let place = name.map { " as the value of \(VisibleText.escaping(Array($0.utf8)))" } ?? ""
      let values = name.flatMap { allowed[$0] } ?? "a number, or a string in quotation marks"
      // Such as ENABLED | DISABLED.
      let rest = text[end...].prefix { Self.isWord($0) || [0x20, UInt8(ascii: "|")].contains($0) }
      let isChoice = rest.contains(UInt8(ascii: "|"))
      let shown = isChoice ? String(decoding: text[start..<rest.endIndex], as: UTF8.self) : word
      throw refusal("has \(shown.prefix(64))\(place); replace it with \(values)", at: start)
    }
    // The space keeps words apart that no comma separates.
    json += Array("\(word) ".utf8)
  }

  private static var value: Regex<Substring> {
    /null|true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/
  }
}
