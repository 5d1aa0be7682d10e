import MFAModel

/// The members of a project's or a tenant's settings while they are read.
struct IdentityPlatformReading {
  /// The settings of TOTP.
  private struct Provider {
    /// Nil if an object of the Admin SDK does not mention TOTP.
    let isEnabled: Bool?
    let statePlace: IdentityPlatformForm.StatePlace
    let intervals: Intervals
  }

  private let root: IdentityPlatformForm.Root
  private let members: JSONMembers
  /// The state beside `providerConfigs`, if any: whether the factors without a state of their own are
  /// enabled.
  private let outerState: Bool?
  /// The update mask, if it covers only some of the settings of multi-factor authentication.
  private let mask: IdentityPlatformMask?
  private var ignored: [String] = []
  private var notes: [String] = []
  /// The settings about phone numbers that the update mask covers and the file lacks.
  private let resets: [Configuration.Key]
  private var textMessages = IdentityPlatformForm.TextMessages.absent
  private var phone: IdentityPlatform.Phone

  /// Reads the outermost member, and the members beside it.
  init(_ json: JSON, isTenant: Bool, _ mask: IdentityPlatformMask?) throws(AdminError) {
    var outer = try JSONMembers(json, at: "")
    var (root, members) = try Self.root(of: outer, isTenant, mask)
    if let mask {
      var outside: [String]
      (members, ignored) = mask.covered(members)
      (outer, outside) = mask.covered(outer)
      ignored += outside
    }
    self.root = root
    self.members = members
    self.mask = mask?.isWhole == true ? nil : mask
    let numbers = try IdentityPlatformNumbers(outer, root, isTenant)
    phone = IdentityPlatform.Phone(
      regions: numbers.regions, testNumbers: numbers.testNumbers)
    resets =
      (mask?.fields.contains(.regions) == true && numbers.regions == nil ? [.regions] : [])
      + (mask?.fields.contains(.testNumbers) == true && numbers.testNumbers == nil
        ? [.phoneTestNumbers] : [])
    let state = try Self.state(of: members)
    guard isTenant, state == nil, self.mask == nil, Self.needsState(members, root) else {
      outerState = state
      return
    }
    // As the documents print it for tenants.
    outerState = true
    notes.append("\(members.path("state")) is missing, and is taken as ENABLED")
  }

  /// Returns whether a type of factors has no state of its own.
  private static func needsState(
    _ members: JSONMembers, _ root: IdentityPlatformForm.Root
  ) -> Bool {
    if members["totpProviderConfig"] != nil { return true }
    if case .array(let factors)? = members[root.listName], !factors.isEmpty { return true }
    guard case .array(let entries)? = members["providerConfigs"] else { return false }
    return entries.contains { entry in
      guard case .object(let members) = entry else { return false }
      return members.contains { $0.name == "totpProviderConfig" }
        && !members.contains { $0.name == "state" }
    }
  }

  private static func root(
    of outer: JSONMembers, _ isTenant: Bool, _ mask: IdentityPlatformMask?
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
      // A member that the mask covers and the body lacks gets its default, and others stay.
      if let mask, !mask.isWhole { return (.rest, try JSONMembers(.object([]), at: rest)) }
      throw AdminError(at: rest, "is missing; add it, or multiFactorConfig")
    }
    let members = try JSONMembers(try outer.required(name), at: name)
    guard name == rest else {
      guard mask == nil else {
        throw AdminError(
          at: name, "an object of the Admin SDK changes only what it names; leave --update-mask out"
        )
      }
      try members.check(knowing: ["state", "factorIds", "providerConfigs", "totpProviderConfig"])
      return (.adminSDK, members)
    }
    try members.check(knowing: ["state", "enabledProviders", "providerConfigs"])
    return (.rest, members)
  }

  /// Reads all members.
  mutating func settings() throws(AdminError) -> IdentityPlatform {
    if let mask { return try partialSettings(mask) }
    try readTextMessages()
    let provider = try provider()
    var settings = IdentityPlatform(
      isEnabled: provider.isEnabled, adjacentIntervals: provider.intervals.number,
      form: IdentityPlatformForm(
        root: root, statePlace: provider.statePlace, intervals: provider.intervals.form,
        textMessages: textMessages), ignored: ignored, phone: phone)
    settings.notes = notes
    settings.resets = resets
    return settings
  }

  /// Reads the members that an update mask covers. A member that is missing gets its default.
  private mutating func partialSettings(
    _ mask: IdentityPlatformMask
  ) throws(AdminError) -> IdentityPlatform {
    let covered = mask.fields
    func note(_ field: IdentityPlatformMask.Field, _ name: String, _ value: String) {
      guard covered.contains(field), members[name] == nil else { return }
      notes.append("\(members.path(name)) is missing, and is reset to \(value)")
    }
    note(.state, "state", "DISABLED")
    note(.list, root.listName, "an empty list")
    note(.entries, "providerConfigs", "an empty list")
    let state = covered.contains(.state) ? outerState ?? false : nil
    var change = IdentityPlatformChange()
    if covered.contains(.list) {
      let isListed = try listsTextMessages()
      if isListed { textMessages = .listed }
      change.phone = isListed && state != false
    } else if covered.contains(.entries), state == false {
      // The state beside the list is that of text messages.
      change.phone = false
    }
    if covered.contains(.entries) {
      let entry = try listedProvider(state: state ?? true)
      change.totp = entry?.isEnabled ?? false
      change.adjacentIntervals = entry?.intervals.number
      // An entry with a state of its own is in force whatever the outer state is.
      if change.totp == true, state != nil || entry?.statePlace != .outer { change.state = true }
    }
    if change.phone == true, state == true { change.state = true }
    if !change.namesType { change.state = state }
    var settings = IdentityPlatform(
      isEnabled: change.totp, adjacentIntervals: change.adjacentIntervals ?? 0, ignored: ignored,
      phone: IdentityPlatform.Phone(
        isEnabled: change.phone, regions: phone.regions, testNumbers: phone.testNumbers))
    settings.partial = change
    settings.notes = notes
    settings.resets = resets
    return settings
  }

  /// Reads the list of factors other than providers, which are codes by text message.
  private mutating func readTextMessages() throws(AdminError) {
    guard members[root.listName] != nil else { return }
    let isListed = try listsTextMessages()
    textMessages = isListed ? .listed : .empty
    phone.isEnabled = isListed ? try requiredOuterState() : false
  }

  /// Returns whether the list of factors other than providers has codes by text message.
  private func listsTextMessages() throws(AdminError) -> Bool {
    guard let list = members[root.listName] else { return false }
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
    return !factors.isEmpty
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
    guard members["providerConfigs"] != nil else {
      if root == .adminSDK, textMessages != .absent {
        return Provider(isEnabled: nil, statePlace: .noEntry, intervals: .absent)
      }
      if textMessages == .listed { return Self.disabled(.noEntry) }
      // The state is about all factors if none are listed.
      guard let outerState else {
        throw AdminError(at: place, "is missing; add it, with an entry that has totpProviderConfig")
      }
      return Provider(isEnabled: outerState, statePlace: .noEntry, intervals: .absent)
    }
    if let provider = try listedProvider(state: outerState) { return provider }
    guard textMessages == .listed || outerState == false else {
      throw AdminError(at: place, "no entry has a totpProviderConfig; add it")
    }
    return Self.disabled(.emptyEntries)
  }

  /// Returns the entry of TOTP in `providerConfigs`, or nil. `state` is the state of entries that have none.
  private mutating func listedProvider(state: Bool?) throws(AdminError) -> Provider? {
    guard let list = members["providerConfigs"] else { return nil }
    let place = members.path("providerConfigs")
    var provider: Provider?
    for (index, value) in try JSONMembers.array(list, at: place).enumerated() {
      let entry = try JSONMembers(value, at: "\(place)[\(index)]")
      guard let totp = try readEntry(entry, state) else { continue }
      guard provider == nil else {
        throw AdminError(at: entry.place, "totpProviderConfig appears twice; remove one of the two")
      }
      provider = totp
    }
    return provider
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
  private mutating func readEntry(
    _ entry: JSONMembers, _ state: Bool?
  ) throws(AdminError) -> Provider? {
    let ownState = try Self.state(of: entry)
    guard let isEnabled = ownState ?? state else {
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
}
