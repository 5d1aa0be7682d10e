import Policy

/// What Identity Platform's JSON says of one-time codes: for a project as
/// `{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}`,
/// for a tenant with `mfaConfig` in the place of `mfa`.
///
/// MUST 1: what is there and has no counterpart here is refused by name, but for what is switched
/// off. (`IdentityPlatformTests`)
struct IdentityPlatform: Equatable {
  /// Why a text was refused.
  struct Refusal: Error, Equatable {
    /// The member and what is the matter with it.
    let text: String

    init(_ place: String, _ reason: String) {
      // As bytes, so that line feeds are escaped too.
      text = VisibleText.escaping(Array("\(place): \(reason)".utf8))
    }
  }

  /// Whether codes are asked for.
  let isEnabled: Bool
  /// How many time steps before and after the present one a code may belong to; nil where nothing is
  /// said.
  let adjacentIntervals: UInt8?
  /// What was left out, for it is switched off there.
  private(set) var ignored: [String] = []

  /// These settings.
  init(isEnabled: Bool, adjacentIntervals: UInt8?) {
    self.isEnabled = isEnabled
    self.adjacentIntervals = adjacentIntervals
  }

  /// The member that everything is in.
  static func root(isTenant: Bool) -> String { isTenant ? "mfaConfig" : "mfa" }

  // MARK: Reading

  /// Reads the JSON of a project or a tenant.
  init(_ json: JSON, isTenant: Bool) throws(Refusal) {
    let root = Self.root(isTenant: isTenant)
    var ignored: [String] = []
    var provider: (isEnabled: Bool, adjacentIntervals: UInt8?)?
    let outer = try Members(json, at: "", knowing: [root])
    let members = try Members(
      try outer.required(root), at: root, knowing: ["state", "enabledProviders", "providerConfigs"])
    ignored += try Self.textMessages(members)
    for (index, entry) in try Members.array(
      try members.required("providerConfigs"), at: "\(root).providerConfigs"
    ).enumerated() {
      let place = "\(root).providerConfigs[\(index)]"
      let entry = try Members(entry, at: place, knowing: nil)
      let isEnabled = try Self.isEnabled(try entry.required("state"), at: place + ".state")
      guard let totp = entry["totpProviderConfig"] else {
        ignored.append(try Self.otherProvider(entry, isEnabled))
        continue
      }
      try entry.check(knowing: ["state", "totpProviderConfig"])
      guard provider == nil else {
        throw Refusal(place, "totpProviderConfig comes a second time; keep one of the two")
      }
      provider = (isEnabled, try Self.adjacentIntervals(totp, at: place + ".totpProviderConfig"))
    }
    guard let provider else {
      throw Refusal("\(root).providerConfigs", "none of them has a totpProviderConfig; add it")
    }
    self.init(isEnabled: provider.isEnabled, adjacentIntervals: provider.adjacentIntervals)
    self.ignored = ignored
  }

  /// The two members that are about text messages.
  private static func textMessages(_ members: Members) throws(Refusal) -> [String] {
    var ignored: [String] = []
    var isEnabled = true
    if let state = members["state"] {
      let place = members.place + ".state"
      isEnabled = try Self.isEnabled(state, at: place)
      ignored.append("\(place), which is about text messages")
    }
    if let providers = members["enabledProviders"] {
      let place = members.place + ".enabledProviders"
      for (index, provider) in try Members.array(providers, at: place).enumerated() {
        guard !isEnabled else {
          throw Refusal(
            "\(place)[\(index)]", "\(Members.shown(provider)) is enabled, and is not there here")
        }
      }
      ignored.append("\(place), which is about text messages")
    }
    return ignored
  }

  private static func otherProvider(
    _ entry: Members, _ isEnabled: Bool
  ) throws(Refusal) -> String {
    let names = entry.names.filter { $0 != "state" }
    guard let name = names.first else {
      throw Refusal(entry.place, "it names no provider; add totpProviderConfig")
    }
    guard names.count == 1, name.hasSuffix("ProviderConfig") else {
      throw Refusal("\(entry.place).\(name)", "there is no such member; remove it")
    }
    guard !isEnabled else {
      throw Refusal("\(entry.place).\(name)", "this provider is enabled, and is not there here")
    }
    return "\(entry.place).\(VisibleText.escaping(Array(name.utf8))), which is disabled"
  }

  private static func isEnabled(_ value: JSON, at place: String) throws(Refusal) -> Bool {
    if value == .string("ENABLED") { return true }
    guard value == .string("DISABLED") else {
      throw Refusal(place, "must be \"ENABLED\" or \"DISABLED\", not \(Members.shown(value))")
    }
    return false
  }

  private static func adjacentIntervals(_ value: JSON, at place: String) throws(Refusal) -> UInt8? {
    let members = try Members(value, at: place, knowing: ["adjacentIntervals"])
    guard let value = members["adjacentIntervals"] else { return nil }
    let range = Settings.adjacentIntervalsRange
    guard case .number(let number) = value, let intervals = UInt8(exactly: number),
      range.contains(intervals)
    else {
      throw Refusal(
        place + ".adjacentIntervals",
        "must be a whole number from \(range.lowerBound) to \(range.upperBound), not "
          + Members.shown(value))
    }
    return intervals
  }

  // MARK: Writing

  /// The JSON of a project or a tenant.
  func json(isTenant: Bool) -> JSON {
    let intervals = adjacentIntervals.map { [("adjacentIntervals", JSON.number(Int64($0)))] } ?? []
    return .object([
      (
        Self.root(isTenant: isTenant),
        .object([
          (
            "providerConfigs",
            .array([
              .object([
                ("state", .string(isEnabled ? "ENABLED" : "DISABLED")),
                ("totpProviderConfig", .object(intervals)),
              ])
            ])
          )
        ])
      )
    ])
  }

  /// The section of a configuration that says the same.
  func section(tenant: [UInt8]?) -> [UInt8] {
    var text = Array("[".utf8)
    text += tenant.map { Array("tenant ".utf8) + $0 } ?? Array("project".utf8)
    text += Array("]\nstate = \(isEnabled ? "enabled" : "disabled")\n".utf8)
    if let adjacentIntervals {
      text += Array("adjacent_intervals = \(adjacentIntervals)\n".utf8)
    }
    return text
  }
}

/// The members of an object.
private struct Members {
  let place: String
  private let members: [(name: String, value: JSON)]

  init(_ json: JSON, at place: String, knowing names: [String]?) throws(IdentityPlatform.Refusal) {
    guard case .object(let members) = json else {
      throw IdentityPlatform.Refusal(
        place.isEmpty ? "the text" : place, "must be an object, not \(Self.shown(json))")
    }
    self.place = place
    self.members = members
    if let names { try check(knowing: names) }
  }

  var names: [String] { members.map(\.name) }

  subscript(name: String) -> JSON? { members.first { $0.name == name }?.value }

  func check(knowing names: [String]) throws(IdentityPlatform.Refusal) {
    for member in members where !names.contains(member.name) {
      throw IdentityPlatform.Refusal(
        path(member.name),
        "there is no such member; the members here are " + names.joined(separator: ", "))
    }
  }

  func required(_ name: String) throws(IdentityPlatform.Refusal) -> JSON {
    guard let value = self[name] else {
      throw IdentityPlatform.Refusal(path(name), "is missing; add it")
    }
    return value
  }

  private func path(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

  static func array(
    _ json: JSON, at place: String
  ) throws(IdentityPlatform.Refusal) -> [JSON] {
    guard case .array(let values) = json else {
      throw IdentityPlatform.Refusal(place, "must be an array, not \(shown(json))")
    }
    return values
  }

  /// A value as a message shows it.
  static func shown(_ json: JSON) -> String {
    switch json {
    case .null, .bool, .number: json.text
    case .string(let text): "\"\(text.prefix(64))\""
    case .array: "an array"
    case .object: "an object"
    }
  }
}
