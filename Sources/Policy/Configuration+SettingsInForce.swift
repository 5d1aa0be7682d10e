// Where settings come from: for administrators, who ask why; no sign-in needs it.

extension Configuration {
  /// A setting in force, and the section that it comes from.
  public struct SettingInForce: Equatable, Sendable {
    /// The setting.
    public let key: Key
    /// Its value in the canonical form; nil where none is set.
    public let value: [UInt8]?
    /// The tenant whose section sets it; nil for `[project]`, and for the defaults behind it.
    public let tenant: [UInt8]?
    /// Whether it holds because it is stricter, while it is not known whether the tenant matches.
    public let isByDoubt: Bool
    /// The line that sets it, or that sets what it may not contradict; nil for a default.
    public let origin: Origin?
  }

  /// The settings that `settings(for:)` gives for `subject`, each with its origin, in the order of the
  /// keys.
  public func settingsInForce(for subject: Subject) -> [SettingInForce] {
    var values = SettingValues(Overrides(project))
    var present = Overrides(values.settings)
    var origins = Key.allCases.filter { $0.belongs(to: .project) }.map { key in
      SettingInForce(
        key: key, value: present.printed(key), tenant: nil, isByDoubt: false,
        origin: self.origin(of: key))
    }
    for tenant in tenants {
      let match = tenant.match(subject)
      values.apply(tenant.overrides, match)
      let next = Overrides(values.settings)
      origins = origins.map { origin in
        let key = origin.key
        let isSet = match == .yes && tenant.overrides.printed(key) != nil
        // One key can change another's value too, where the two would contradict one another.
        guard isSet || next.printed(key) != present.printed(key) else { return origin }
        return SettingInForce(
          key: key, value: next.printed(key), tenant: tenant.name, isByDoubt: match == .unknown,
          origin: self.origin(of: key, orOfItsLimitIn: tenant))
      }
      present = next
    }
    return origins
  }

  /// Keys that may not contradict one another.
  private static var limits: [[Key]] {
    [
      [.throttleAfter, .disableAfter], [.throttleFirstWait, .throttleLongestWait],
      [.enrollment, .offerSignIns, .offerUntil],
    ]
  }

  /// The line of a tenant that sets `key`, or else the first that sets what `key` may not contradict.
  private func origin(of key: Key, orOfItsLimitIn tenant: Tenant) -> Origin? {
    let others = Self.limits.first { $0.contains(key) } ?? []
    for key in [key] + others {
      if let origin = origin(of: key, in: tenant) { return origin }
    }
    return nil
  }

  /// Whether a recent code may be enough for some sign-in to `service`, whatever tenants match.
  public func mayAcceptRecentCode(in service: [UInt8]) -> Bool {
    let overrides =
      [Overrides(project)]
      + tenants.filter {
        $0.selectors.services.isEmpty || $0.selectors.services.contains(service)
      }.map { $0.overrides }
    return overrides.contains { ($0.freshFor ?? 0) > 0 }
      || overrides.contains { ($0.remember ?? 0) > 0 }
        && overrides.contains { $0.rememberServices?.contains(service) ?? false }
  }

  /// Sign-ins of a user, one for each way in which it may matter that it is of this tenant's services
  /// and networks; those that it does not match among them. Without a tenant: one of no service and no
  /// network that any tenant names.
  public func subjects(
    of tenant: Tenant?, user: [UInt8], isMember: @escaping (_ group: [UInt8]) -> Bool?
  ) -> [Subject] {
    let services = tenant?.selectors.services ?? []
    let networks = tenant?.selectors.networks ?? []
    // No service has the empty name.
    let places: [[UInt8]] = services.isEmpty ? [[]] : services
    let addresses = networks.isEmpty ? [addressOfNoNetwork] : networks.map { $0.lowestAddress }
    return places.flatMap { service in
      addresses.map { address in
        Subject(user: user, service: service, address: address, isMember: isMember)
      }
    }
  }

  /// An address that no tenant's network holds; nil where there is none among many.
  private var addressOfNoNetwork: IPAddress? {
    let networks = tenants.flatMap { $0.selectors.networks }
    for number in 0..<UInt128(256) {
      // From the documentation's networks 192.0.2.0/24 (RFC 5737) and 2001:db8::/32 (RFC 3849).
      for address in [
        IPAddress(bits: 0xFFFF_C000_0200 | number),
        IPAddress(bits: 0x2001_0DB8 << 96 | number << 88),
      ] where !networks.contains(where: { $0.contains(address) }) {
        return address
      }
    }
    return nil
  }
}

extension Tenant {
  /// One of its selectors, and whether it matches.
  public struct Reason: Equatable, Sendable {
    /// Users, groups, services or networks.
    public let key: Configuration.Key
    /// What it names, as the file writes it.
    public let value: [UInt8]
    /// Whether that matches.
    public let match: Match
    /// The line that names it.
    public let origin: Configuration.Origin
  }

  /// Why it matches `subject`, or does not: its selectors in the order of the keys.
  public func reasons(for subject: Subject) -> [Reason] {
    Configuration.Key.allCases.filter { $0.isSelector }.compactMap { key in
      guard let value = selectors.printed(key) else { return nil }
      var one = Selectors()
      if key == .users { one.users = selectors.users }
      if key == .groups { one.groups = selectors.groups }
      if key == .services { one.services = selectors.services }
      if key == .networks { one.networks = selectors.networks }
      return Reason(
        key: key, value: value, match: one.match(subject), origin: origins[Int(key.rawValue)])
    }
  }
}

extension Network {
  /// The first address in it.
  fileprivate var lowestAddress: IPAddress? {
    let text = text
    let end = text.firstIndex(of: UInt8(ascii: "/")) ?? text.count
    return IPAddress(text.span.extracting(0..<end))
  }
}
