import MFAAdminOutput
import MFABytes
import MFAPolicy

/// The settings for one-time codes in Identity Platform's JSON. The JSON of a tenant has the member
/// `mfaConfig` instead of `mfa`. The JSON of a project is, for example:
/// `{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}`
///
/// MUST 1: a member without a counterpart in this software is refused by name, unless it is
/// switched off. (`IdentityPlatformTests`)
package struct IdentityPlatform: Equatable {
  /// Why a text was refused.
  package struct Refusal: Error, Equatable {
    /// The member, and why it was refused.
    package let text: String

    init(_ place: String, _ reason: String) {
      // Escape the text as bytes, so that line feeds are escaped too.
      text = VisibleText.escaping(Array("\(place): \(reason)".utf8))
    }
  }

  /// Whether codes are required.
  let isEnabled: Bool
  /// The number of time steps before and after the current one whose codes are accepted; nil if not
  /// specified.
  package let adjacentIntervals: UInt8?
  /// Descriptions of the members that were ignored because they are switched off.
  package private(set) var ignored: [String] = []

  /// Creates settings to be written.
  package init(isEnabled: Bool, adjacentIntervals: UInt8?) {
    self.isEnabled = isEnabled
    self.adjacentIntervals = adjacentIntervals
  }

  /// Returns the name of the outermost member.
  package static func root(isTenant: Bool) -> String { isTenant ? "mfaConfig" : "mfa" }

  // MARK: Reading

  /// Reads the JSON of a project or a tenant.
  package init(_ json: JSON, isTenant: Bool) throws(Refusal) {
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
        throw Refusal(place, "totpProviderConfig appears twice; remove one of the two")
      }
      provider = (isEnabled, try Self.adjacentIntervals(totp, at: place + ".totpProviderConfig"))
    }
    guard let provider else {
      throw Refusal("\(root).providerConfigs", "no entry has a totpProviderConfig; add it")
    }
    self.init(isEnabled: provider.isEnabled, adjacentIntervals: provider.adjacentIntervals)
    self.ignored = ignored
  }

  /// Checks the two members about text messages. Returns descriptions of those to ignore.
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
            "\(place)[\(index)]", "\(Members.shown(provider)) is enabled, but not supported here")
        }
      }
      ignored.append("\(place), which is about text messages")
    }
    return ignored
  }

  /// Checks an entry of a provider other than TOTP, which must be disabled. Returns its
  /// description.
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
      throw Refusal("\(entry.place).\(name)", "this provider is enabled, but not supported here")
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

  /// Returns the settings as the JSON of a project or a tenant.
  package func json(isTenant: Bool) -> JSON {
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

  /// Returns the equivalent section of mfa.conf(5).
  package func section(tenant: [UInt8]?) -> [UInt8] {
    var text = Array("[".utf8)
    text += tenant.map { Array("tenant ".utf8) + $0 } ?? Array("project".utf8)
    text += Array("]\nstate = \(isEnabled ? "enabled" : "disabled")\n".utf8)
    if let adjacentIntervals {
      text += Array("adjacent_intervals = \(adjacentIntervals)\n".utf8)
    }
    return text
  }
}

/// The members of a JSON object, with their place for messages.
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

  /// Returns a value as messages show it.
  static func shown(_ json: JSON) -> String {
    switch json {
    case .null, .bool, .number: json.text
    case .string(let text): "\"\(text.prefix(64))\""
    case .array: "an array"
    case .object: "an object"
    }
  }
}
