import MFAModel

/// The members of a project's or a tenant's settings while they are read.
struct IdentityPlatformReading {
  /// The settings of TOTP.
  private struct Provider {
    let isEnabled: Bool
    let statePlace: IdentityPlatformForm.StatePlace
    let intervals: Intervals
  }

  /// The value of `adjacentIntervals`.
  private struct Intervals {
    /// The value that Identity Platform uses if none is given.
    static let absent = Intervals(number: IdentityPlatform.standardIntervals, form: .absent)

    let number: UInt8
    let form: IdentityPlatformForm.Intervals
  }

  private let root: IdentityPlatformForm.Root
  private let members: JSONMembers
  /// The state beside `providerConfigs`, if any: whether the factors without a state of their own are
  /// enabled.
  private let outerState: Bool?
  private var ignored: [String] = []
  private var textMessages = IdentityPlatformForm.TextMessages.absent
  private var phone: IdentityPlatform.Phone

  /// Reads the outermost member, and the members beside it.
  init(_ json: JSON, isTenant: Bool) throws(AdminError) {
    let outer = try JSONMembers(json, at: "")
    (root, members) = try Self.root(of: outer, isTenant)
    outerState = try Self.state(of: members)
    let numbers = try IdentityPlatformNumbers(outer, root, isTenant)
    phone = IdentityPlatform.Phone(
      regions: numbers.regions, testNumbers: numbers.testNumbers)
  }

  private static func root(
    of outer: JSONMembers, _ isTenant: Bool
  ) throws(AdminError) -> (IdentityPlatformForm.Root, JSONMembers) {
    let rest = isTenant ? "mfaConfig" : "mfa"
    if outer.names.contains(isTenant ? "mfa" : "mfaConfig") {
      throw isTenant
        ? AdminError(
          at: "mfa", "is the member of a project; leave --tenant out, or write mfaConfig")
        : AdminError(at: "mfaConfig", "is the member of a tenant; add --tenant, or write mfa")
    }
    let roots = outer.names.filter { $0 == rest || $0 == "multiFactorConfig" }
    // The members beside are refused for a tenant, with the reason, by `IdentityPlatformNumbers`.
    let beside = IdentityPlatformNumbers.names
    try outer.check(
      knowing: [rest, "multiFactorConfig"] + (isTenant ? [] : beside), allowing: beside)
    guard roots.count < 2 else {
      throw AdminError(at: "multiFactorConfig", "there is also \(rest); remove one of the two")
    }
    guard let name = roots.first else {
      throw AdminError(at: rest, "is missing; add it, or multiFactorConfig")
    }
    let members = try JSONMembers(try outer.required(name), at: name)
    guard name == rest else {
      try members.check(knowing: ["state", "factorIds", "providerConfigs", "totpProviderConfig"])
      return (.adminSDK, members)
    }
    try members.check(knowing: ["state", "enabledProviders", "providerConfigs"])
    return (.rest, members)
  }

  /// Reads all members.
  mutating func settings() throws(AdminError) -> IdentityPlatform {
    try readTextMessages()
    let provider = try provider()
    return IdentityPlatform(
      isEnabled: provider.isEnabled, adjacentIntervals: provider.intervals.number,
      form: IdentityPlatformForm(
        root: root, statePlace: provider.statePlace, intervals: provider.intervals.form,
        textMessages: textMessages), ignored: ignored, phone: phone)
  }

  /// Reads the list of factors other than providers, which are codes by text message.
  private mutating func readTextMessages() throws(AdminError) {
    guard let list = members[root.listName] else { return }
    let place = members.path(root.listName)
    let factors = try JSONMembers.array(list, at: place)
    for (index, factor) in factors.enumerated() {
      let place = "\(place)[\(index)]"
      guard factor == .string(root.phoneName) else {
        throw AdminError(
          at: place, "must be \"\(root.phoneName)\", not \(JSONMembers.shown(factor))")
      }
      try JSONMembers.checkIsNew(factor, in: Array(factors[..<index]), at: place)
    }
    textMessages = factors.isEmpty ? .empty : .listed
    guard !factors.isEmpty else {
      phone.isEnabled = false
      return
    }
    phone.isEnabled = try requiredOuterState()
  }

  private func requiredOuterState() throws(AdminError) -> Bool {
    guard let outerState else {
      throw AdminError(at: members.path("state"), "is missing; add it, with \(Self.states)")
    }
    return outerState
  }

  // MARK: Providers

  private mutating func provider() throws(AdminError) -> Provider {
    let place = members.path("providerConfigs")
    if let totp = members["totpProviderConfig"] { return try providerWithoutEntries(totp) }
    guard let list = members["providerConfigs"] else {
      if textMessages == .listed { return Self.disabled(.noEntry) }
      // The state is about all factors if none are listed, and TOTP is the only one.
      guard let outerState else {
        throw AdminError(at: place, "is missing; add it, with an entry that has totpProviderConfig")
      }
      return Provider(isEnabled: outerState, statePlace: .noEntry, intervals: .absent)
    }
    var provider: Provider?
    for (index, value) in try JSONMembers.array(list, at: place).enumerated() {
      let entry = try JSONMembers(value, at: "\(place)[\(index)]")
      guard let totp = try readEntry(entry) else { continue }
      guard provider == nil else {
        throw AdminError(at: entry.place, "totpProviderConfig appears twice; remove one of the two")
      }
      provider = totp
    }
    if let provider { return provider }
    guard textMessages == .listed || outerState == false else {
      throw AdminError(at: place, "no entry has a totpProviderConfig; add it")
    }
    return Self.disabled(.emptyEntries)
  }

  /// TOTP without a `totpProviderConfig`: disabled.
  private static func disabled(_ statePlace: IdentityPlatformForm.StatePlace) -> Provider {
    Provider(isEnabled: false, statePlace: statePlace, intervals: .absent)
  }

  private func providerWithoutEntries(_ totp: JSON) throws(AdminError) -> Provider {
    let place = members.path("totpProviderConfig")
    guard members["providerConfigs"] == nil else {
      throw AdminError(at: place, "there is also providerConfigs; remove one of the two")
    }
    return Provider(
      isEnabled: try requiredOuterState(), statePlace: .withoutEntries,
      intervals: try Self.intervals(totp, at: place))
  }

  /// Reads an entry of `providerConfigs`. Returns nil for a provider other than TOTP.
  private mutating func readEntry(_ entry: JSONMembers) throws(AdminError) -> Provider? {
    let ownState = try Self.state(of: entry)
    guard let isEnabled = ownState ?? outerState else {
      throw AdminError(
        at: entry.path("state"),
        "is missing; add it, or \(members.path("state")), with \(Self.states)")
    }
    guard let totp = entry["totpProviderConfig"] else {
      try readOtherProvider(entry, isEnabled)
      return nil
    }
    try entry.check(knowing: ["state", "totpProviderConfig"])
    return Provider(
      isEnabled: isEnabled, statePlace: statePlace(ownState, of: entry),
      intervals: try Self.intervals(totp, at: entry.path("totpProviderConfig")))
  }

  /// Returns where the state that counts is. An outer state that differs from the entry's own state
  /// is ignored, as Identity Platform does: it is about text messages.
  private mutating func statePlace(
    _ ownState: Bool?, of entry: JSONMembers
  ) -> IdentityPlatformForm.StatePlace {
    guard let ownState else { return .outer }
    // An outer state beside a list of text messages is about them.
    guard let outerState, textMessages != .listed else { return .entry }
    guard outerState != ownState else { return .both }
    ignored.append("\(members.path("state")), because \(entry.place) has a state of its own")
    return .entry
  }

  /// Checks an entry of a provider other than TOTP, which must be disabled.
  private mutating func readOtherProvider(
    _ entry: JSONMembers, _ isEnabled: Bool
  ) throws(AdminError) {
    let names = entry.names.filter { $0 != "state" }
    guard let name = names.first else {
      throw AdminError(at: entry.place, "it names no provider; add totpProviderConfig")
    }
    guard names.count == 1, name.hasSuffix("ProviderConfig") else {
      return try entry.check(knowing: ["state", "totpProviderConfig"])
    }
    guard !isEnabled else {
      throw AdminError(
        at: entry.path(name), "this provider is enabled, but only totpProviderConfig is supported")
    }
    ignored.append(VisibleText.escaping(Array(entry.path(name).utf8)) + ", which is disabled")
  }

  // MARK: Values

  private static let states = "\"ENABLED\" or \"DISABLED\""

  private static var numbers: String {
    let range = Settings.adjacentIntervalsRange
    return "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }

  /// What the values of members can be, by their names.
  static var allowed: [String: String] { ["state": states, "adjacentIntervals": numbers] }

  private static func state(of members: JSONMembers) throws(AdminError) -> Bool? {
    guard let value = members["state"] else { return nil }
    if value == .string("ENABLED") { return true }
    if value == .string("DISABLED") { return false }
    var reason = "must be \(states), not \(JSONMembers.shown(value))"
    if value == .string("MANDATORY") {
      reason += "; to require enrolment, set enrollment = required in mfa.conf instead"
    }
    throw AdminError(at: members.path("state"), reason)
  }

  private static func intervals(_ value: JSON, at place: String) throws(AdminError) -> Intervals {
    let members = try JSONMembers(value, at: place)
    try members.check(knowing: ["adjacentIntervals"])
    guard let value = members["adjacentIntervals"] else { return .absent }
    let range = Settings.adjacentIntervalsRange
    switch value {
    case .number(let number):
      if let number = UInt8(exactly: number), range.contains(number) {
        return Intervals(number: number, form: .number)
      }
    // A string must have the canonical form: no sign, space, leading zero, fraction or exponent.
    case .string(let text):
      if let number = UInt8(text), range.contains(number), String(number) == text {
        return Intervals(number: number, form: .string)
      }
    case .null, .bool, .array, .object: break
    }
    throw AdminError(
      at: members.path("adjacentIntervals"), "must be \(numbers), not \(JSONMembers.shown(value))")
  }
}
