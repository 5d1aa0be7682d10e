import MFAModel

/// What Identity Platform settings change in a section of mfa.conf; nil stands for what stays as it is.
struct IdentityPlatformChange: Equatable {
  /// Whether codes are required.
  var state: Bool?
  /// Whether codes of authenticator apps are accepted.
  var totp: Bool?
  /// Whether codes are sent to phones.
  var phone: Bool?
  /// The number of time steps before and after the current one.
  var adjacentIntervals: UInt8?

  /// Whether the settings name a type of factors.
  var namesType: Bool { totp != nil || phone != nil }
}

/// The types of factors that the configuration allows in a section.
package struct AllowedTypes: Equatable, Sendable {
  /// Codes of authenticator apps.
  let totp: Bool
  /// Codes that are sent to phones.
  let phone: Bool

  /// No type.
  package static var none: AllowedTypes { AllowedTypes(totp: false, phone: false) }

  /// Creates a value.
  package init(totp: Bool, phone: Bool) {
    self.totp = totp
    self.phone = phone
  }

  /// The types.
  var types: [Configuration.FactorType] { (totp ? [.totp] : []) + (phone ? [.phone] : []) }
}

extension IdentityPlatform {
  /// What the settings change. The body of a REST call replaces all settings. An object of the Admin SDK changes
  /// what it names, as the Admin SDK does: it derives the update mask from the object.
  var change: IdentityPlatformChange {
    if let partial { return partial }
    guard form.root == .adminSDK else {
      return IdentityPlatformChange(
        state: isEnabled == true || isPhoneEnabled == true, totp: isEnabled == true,
        phone: isPhoneEnabled == true, adjacentIntervals: adjacentIntervals)
    }
    guard !isStateAlone else { return IdentityPlatformChange(state: isEnabled == true) }
    let hasEntry = form.statePlace != .noEntry && form.statePlace != .emptyEntries
    return IdentityPlatformChange(
      state: isEnabled == true || isPhoneEnabled == true ? true : nil, totp: isEnabled,
      phone: isPhoneEnabled, adjacentIntervals: hasEntry ? adjacentIntervals : nil)
  }

  /// Whether an object of the Admin SDK has only a state, which is about all types of factors.
  private var isStateAlone: Bool {
    form.statePlace == .noEntry && form.textMessages == .absent
  }

  /// Whether the result depends on the present configuration.
  var dependsOnPresent: Bool { partial != nil || form.root == .adminSDK }

  /// Returns the types of factors that are allowed after the change.
  func types(over present: AllowedTypes) -> [Configuration.FactorType] {
    let change = change
    let types = AllowedTypes(
      totp: change.totp ?? present.totp, phone: change.phone ?? present.phone
    ).types
    // A state alone switches TOTP where no type of factors is in use.
    return types.isEmpty && change.state == true && !change.namesType ? [.totp] : types
  }

  /// Returns the types of factors that stay allowed although the settings do not name them.
  func unnamedTypes(over present: AllowedTypes) -> [Configuration.FactorType] {
    let change = change
    guard change.namesType else { return [] }
    return types(over: present).filter { ($0 == .totp ? change.totp : change.phone) == nil }
  }

  /// Returns the keys whose values stay in the drop-in.
  func keptKeys(over present: AllowedTypes) -> [Configuration.Key] {
    let change = change
    var keys: [Configuration.Key] = []
    if regions == nil, !resets.contains(.regions) { keys.append(.regions) }
    if testNumbers == nil, !resets.contains(.phoneTestNumbers) {
      keys.append(.phoneTestNumbers)
    }
    if change.adjacentIntervals == nil { keys.append(.adjacentIntervals) }
    if change == IdentityPlatformChange() { return keys + [.state, .factors] }
    if change.state == nil, !types(over: present).isEmpty { keys.append(.state) }
    return keys
  }

  /// Returns the lines of mfa.conf(5) that the settings set, in a section over the present configuration.
  package func section(tenant: [UInt8]?, over present: AllowedTypes = .none) -> [UInt8] {
    let change = change
    let types = types(over: present)
    var lines: [String] = [""]
    if change.state != nil || change.namesType {
      if types.isEmpty {
        lines.append("state = disabled")
      } else if let state = change.state {
        lines.append("state = \(state ? "enabled" : "disabled")")
      }
    }
    if let number = change.adjacentIntervals { lines.append("adjacent_intervals = \(number)") }
    if !types.isEmpty, change.state != nil || change.namesType {
      lines.append(Self.line(.factors, types.map(\.name)))
    }
    if let regions { lines.append(Self.line(.regions, regions)) }
    if let testNumbers { lines.append(Self.line(.phoneTestNumbers, testNumbers)) }
    return ConfigurationLines.header(tenant)
      + Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// Returns the line of mfa.conf that sets a list.
  static func line(_ key: Configuration.Key, _ list: [String]) -> String {
    "\(key.name) = " + list.joined(separator: ", ")
  }
}
