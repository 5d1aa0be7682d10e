/// The members of a JSON object, with their place for messages.
struct JSONMembers {
  let place: String
  private let members: [(name: String, value: JSON)]

  init(_ json: JSON, at place: String) throws(IdentityPlatform.Refusal) {
    guard case .object(let members) = json else {
      throw IdentityPlatform.Refusal(
        place.isEmpty ? "the text" : place, "must be an object, not \(Self.shown(json))")
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
  ) throws(IdentityPlatform.Refusal) {
    let known = names + others
    for member in members where !known.contains(member.name) {
      let spelling = Self.camelCase(member.name)
      throw IdentityPlatform.Refusal(
        path(member.name),
        known.contains(spelling)
          ? "there is no such member; write \(spelling)"
          : "there is no such member; the members here are " + names.joined(separator: ", "))
    }
  }

  /// The names and the values, in their order.
  var all: [(name: String, value: JSON)] { members }

  func required(_ name: String) throws(IdentityPlatform.Refusal) -> JSON {
    guard let value = self[name] else {
      throw IdentityPlatform.Refusal(path(name), "is missing; add it")
    }
    return value
  }

  /// Throws if a value of an array appears before.
  static func checkIsNew(
    _ value: JSON, in earlier: [JSON], at place: String
  ) throws(IdentityPlatform.Refusal) {
    guard earlier.contains(value) else { return }
    throw IdentityPlatform.Refusal(
      place, "\(shown(value)) appears twice; remove one of the two")
  }

  /// Returns the place of a member.
  func path(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

  static func array(_ json: JSON, at place: String) throws(IdentityPlatform.Refusal) -> [JSON] {
    guard case .array(let values) = json else {
      throw IdentityPlatform.Refusal(place, "must be an array, not \(shown(json))")
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
  private static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.prefix(1).joined()
      + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
