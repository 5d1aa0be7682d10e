/// A JSON value (RFC 8259). Its members are printed in the order given.
///
/// `JSONReader` reads JSON with Foundation. This type writes JSON without Foundation's encoder: the
/// encoder writes members only in alphabetical or in random order, does not escape the terminal
/// control characters U+007F to U+009F, and takes 3.3 s instead of 0.7 s for the list of 100,000
/// users.
package indirect enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Int64)
  case string(String)
  case array([JSON])
  case object([(name: String, value: JSON)])

  /// Creates a string, or null if `text` is nil.
  package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

  /// The value as text, indented by two spaces per level. Its only control characters are line
  /// feeds.
  package var text: String {
    var text = ""
    write(to: &text, indentation: "")
    return text
  }

  /// Writes an object whose only member is an array. Writes it in pieces, to keep only part of a
  /// long array in memory.
  package static func writeObject<Values: Collection, Failure: Error>(
    _ name: String, _ values: Values, value: (Values.Element) -> JSON,
    to write: (String) throws(Failure) -> Void
  ) throws(Failure) {
    var text = "{\n  "
    quote(name, to: &text)
    text += ": ["
    var separator = "\n    "
    for element in values {
      text += separator
      value(element).write(to: &text, indentation: "    ")
      separator = ",\n    "
      guard text.utf8.count > 65_536 else { continue }
      try write(text)
      text = ""
    }
    try write(text + (values.isEmpty ? "" : "\n  ") + "]\n}\n")
  }

  private func write(to text: inout String, indentation: String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += String(value)
    case .string(let value): Self.quote(value, to: &text)
    case .array(let values):
      Self.write(values, in: ("[", "]"), to: &text, indentation: indentation) {
        value, text, indentation in
        value.write(to: &text, indentation: indentation)
      }
    case .object(let members):
      Self.write(members, in: ("{", "}"), to: &text, indentation: indentation) {
        member, text, indentation in
        Self.quote(member.name, to: &text)
        text += ": "
        member.value.write(to: &text, indentation: indentation)
      }
    }
  }

  private static func write<Item>(
    _ items: [Item], in brackets: (start: String, end: String), to text: inout String,
    indentation: String, each: (Item, inout String, String) -> Void
  ) {
    text += brackets.start
    let deeper = indentation + "  "
    for (index, item) in items.enumerated() {
      text += (index == 0 ? "\n" : ",\n") + deeper
      each(item, &text, deeper)
    }
    if !items.isEmpty { text += "\n" + indentation }
    text += brackets.end
  }

  private static func quote(_ string: String, to text: inout String) {
    text += "\""
    let isPlain = string.utf8.allSatisfy {
      $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard !isPlain else {
      text += string
      text += "\""
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      case _: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  package static func == (left: JSON, right: JSON) -> Bool { left.text == right.text }
}

/// The members of a JSON object, with their place for messages.
struct JSONMembers {
  let place: String
  private let members: [(name: String, value: JSON)]

  init(_ json: JSON, at place: String) throws(AdminError) {
    guard case .object(let members) = json else {
      throw AdminError(
        at: place.isEmpty ? "the text" : place, "must be an object, not \(Self.shown(json))")
    }
    self.place = place
    self.members = members
  }

  var names: [String] { members.map(\.name) }

  subscript(name: String) -> JSON? { members.first { $0.name == name }?.value }

  /// Refuses members with other names than these, and than those in `others`, which messages do not
  /// list.
  func check(
    knowing names: [String], allowing others: [String] = []
  ) throws(AdminError) {
    let known = names + others
    for member in members where !known.contains(member.name) {
      let spelling = Self.camelCase(member.name)
      throw AdminError(
        at: path(member.name),
        known.contains(spelling)
          ? "there is no such member; write \(spelling)"
          : "there is no such member; the members here are " + names.joined(separator: ", "))
    }
  }

  /// Returns the members without those with some names.
  func without(_ names: [String]) -> JSONMembers {
    JSONMembers(place: place, members: members.filter { !names.contains($0.name) })
  }

  private init(place: String, members: [(name: String, value: JSON)]) {
    self.place = place
    self.members = members
  }

  /// The names and the values, in their order.
  var all: [(name: String, value: JSON)] { members }

  func required(_ name: String) throws(AdminError) -> JSON {
    guard let value = self[name] else {
      throw AdminError(at: path(name), "is missing; add it")
    }
    return value
  }

  /// Throws if a value of an array appears before.
  static func checkIsNew(
    _ value: JSON, in earlier: [JSON], at place: String
  ) throws(AdminError) {
    guard earlier.contains(value) else { return }
    throw AdminError(
      at: place, "\(shown(value)) appears twice; remove one of the two")
  }

  /// Returns the place of a member.
  func path(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

  static func array(_ json: JSON, at place: String) throws(AdminError) -> [JSON] {
    guard case .array(let values) = json else {
      throw AdminError(at: place, "must be an array, not \(shown(json))")
    }
    return values
  }

  /// Returns a value as messages show it.
  static func shown(_ json: JSON) -> String {
    switch json {
    case .null, .bool, .number: json.text
    case .string(let text): "\"\(text.prefix(64))\""
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// Returns a name that is written as in protocol buffers, such as `provider_configs`, as JSON
  /// writes it.
  static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.prefix(1).joined()
      + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
