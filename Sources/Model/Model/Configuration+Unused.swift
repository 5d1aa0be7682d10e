// Finds settings without effect. Only administration tools need this; a sign-in does not.

extension Configuration {
  /// A setting that has no effect, because another key that it needs is not set.
  package struct UnusedSetting: Equatable, Sendable {
    /// The key of the setting.
    package let key: Key
    /// The tenant that sets the key; nil for `[project]`.
    package let tenant: [UInt8]?
    /// The line that sets the key.
    package let origin: Origin
    /// What has to be set, as `key = value`, or as `key` if several values will do.
    package let needed: String
  }

  /// The settings that have no effect, whichever tenants match, in the order of the sections and
  /// keys. They weaken nothing, so that a sign-in is not denied because of them. A setting with its
  /// default value is not listed.
  package var unusedSettings: [UnusedSetting] {
    var unused: [UnusedSetting] = []
    for tenant in [nil] + tenants.map({ $0 as Tenant? }) {
      for key in Key.allCases {
        guard let origin = origin(of: key, in: tenant), let needed = missing(for: key),
          value(of: key, in: tenant) != key.defaultText
        else { continue }
        unused.append(
          UnusedSetting(key: key, tenant: tenant?.name, origin: origin, needed: needed))
      }
    }
    return unused
  }

  /// Returns what `key` needs to have an effect and no section sets; nil if nothing is missing.
  private func missing(for key: Key) -> String? {
    switch key {
    case .offerSignIns, .offerUntil:
      isSet { $0.number(.enrollment) == Enrollment.offered.rawValue } ? nil : "enrollment = offered"
    case .remember:
      isSet { !$0.texts(.rememberServices).isEmpty } ? nil : Key.rememberServices.name
    case .rememberServices:
      isSet { $0.number(.remember) ?? 0 > 0 } ? nil : Key.remember.name
    case .gateway: project.regions.isEmpty ? Key.regions.name : nil
    case .regions: project.gateway == nil ? Key.gateway.name : nil
    case .user, .users, .groups, .services, .networks, .state, .adjacentIntervals, .issuer,
      .language, .enrollment, .prompt, .promptHints, .tries, .endSessionsOnUnenroll, .freshFor,
      .programPasswords,
      .throttleAfter, .throttleFirstWait, .throttleLongestWait, .disableAfter, .recoveryUnlocks,
      .factors, .phoneTestNumbers, .phoneWaitingTime, .phoneInterval, .phonePerTenMinutes,
      .phonePerDay, .phoneNumberHourly, .phoneHostDaily, .phoneBreaker:
      nil
    }
  }

  private func isSet(_ condition: (KeyValues) -> Bool) -> Bool {
    condition(project.values) || tenants.contains { condition($0.values) }
  }
}

// Codes for phones that are not sent. Only administration tools need this, too.
extension Configuration {
  /// A section that allows phones, while no code is sent to them.
  package struct UnsentCodes: Equatable, Sendable {
    /// The tenant whose section it is; nil for `[project]`.
    package let tenant: [UInt8]?
    /// The line that allows phones.
    package let origin: Origin
    /// The keys that have to be set.
    package let missing: [Key]
    /// Whether phones are the only type of factors.
    package let isOnlyType: Bool
    /// Which users of the section enrol.
    package let enrollment: Enrollment
  }

  /// The sections that allow phones in a line of their own, while no code is sent to them. Phones are also allowed by
  /// default, which is no sign that they are meant to be used.
  package var unsentCodes: [UnsentCodes] {
    let missing: [Key] =
      (project.gateway == nil ? [.gateway] : []) + (project.regions.isEmpty ? [.regions] : [])
    guard !missing.isEmpty else { return [] }
    return ([nil] + tenants.map { Optional($0) }).compactMap { tenant in
      let own = tenant?.values ?? project.values
      func number(_ key: Key) -> Int64? { own.number(key) ?? project.values.number(key) }
      guard let origin = origin(of: .factors, in: tenant), let types = own.number(.factors),
        types & FactorType.phone.bit != 0, number(.state) != State.disabled.rawValue
      else { return nil }
      return UnsentCodes(
        tenant: tenant?.name, origin: origin, missing: missing,
        isOnlyType: types == FactorType.phone.bit,
        enrollment: number(.enrollment).flatMap { Enrollment(rawValue: $0) } ?? .selfService)
    }
  }
}
