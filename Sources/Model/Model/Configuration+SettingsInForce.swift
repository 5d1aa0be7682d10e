// Reports which section and line each setting comes from. Only administration tools need this; a
// sign-in does not.

extension Configuration {
  /// A setting that applies to a sign-in, and the section that it comes from.
  package struct SettingInForce: Equatable, Sendable {
    /// The key of the setting.
    package let key: Key
    /// The value in canonical form; nil if no value is set.
    package let value: [UInt8]?
    /// The tenant that sets the value; nil for `[project]` and for a default.
    package let tenant: [UInt8]?
    /// Whether the value applies only because it is stricter, while it is unknown whether the
    /// tenant matches.
    package let isFromUncertainMatch: Bool
    /// The line that sets the value, or that sets another value which limits it; nil for a default.
    package let origin: Origin?
  }

  /// Returns the settings that `settings(for:)` returns for `subject`, each with its source
  /// location, in the order of the keys.
  package func settingsInForce(for subject: Subject) -> [SettingInForce] {
    var values = project.values
    var present = values
    var origins = Key.allCases.filter { $0.belongs(to: .project) }.map { key in
      SettingInForce(
        key: key, value: present.printed(key), tenant: nil, isFromUncertainMatch: false,
        origin: self.origin(of: key))
    }
    for tenant in tenants {
      let match = tenant.match(subject)
      values.apply(tenant.values, match)
      let next = values.withoutContradictions
      origins = origins.map { origin in
        let key = origin.key
        let isSet = match == .yes && tenant.values[key] != nil
        // A key can also change the value of another key, to avoid a contradiction between the two.
        guard isSet || next.printed(key) != present.printed(key) else { return origin }
        return SettingInForce(
          key: key, value: next.printed(key), tenant: tenant.name,
          isFromUncertainMatch: match == .unknown,
          origin: self.origin(of: key, orOfItsLimitIn: tenant))
      }
      present = next
    }
    return origins
  }

  /// Groups of keys that must not contradict each other.
  private static var limits: [[Key]] {
    [
      [.throttleAfter, .disableAfter], [.throttleFirstWait, .throttleLongestWait],
      [.enrollment, .offerSignIns, .offerUntil],
    ]
  }

  /// Returns the line of a tenant that sets `key`, or the first line that sets another key of the
  /// same group.
  private func origin(of key: Key, orOfItsLimitIn tenant: Tenant) -> Origin? {
    let others = Self.limits.first { $0.contains(key) } ?? []
    for key in [key] + others {
      if let origin = origin(of: key, in: tenant) { return origin }
    }
    return nil
  }

  /// Returns whether a remembered sign-in can replace a code for `service`, for some combination of
  /// matching tenants.
  package func mayAcceptRecentCode(in service: [UInt8]) -> Bool {
    let sections =
      [project.values]
      + tenants.map { $0.values }.filter {
        $0[.services] == nil || $0.texts(.services).contains(service)
      }
    return sections.contains { ($0.number(.freshFor) ?? 0) > 0 }
      || sections.contains { ($0.number(.remember) ?? 0) > 0 }
        && sections.contains { $0.texts(.rememberServices).contains(service) }
  }

  /// The services in which some section accepts program passwords, each once.
  package var servicesForProgramPasswords: [[UInt8]] {
    var services = project.programPasswords
    for tenant in tenants {
      for service in tenant.values.texts(.programPasswords) where !services.contains(service) {
        services.append(service)
      }
    }
    return services
  }

  /// Returns sample sign-ins of a user, one for each combination of the tenant's services and
  /// networks. The tenant may not match some of them. Without a tenant, returns one sign-in with a
  /// service and an address that no tenant names.
  package func subjects(
    of tenant: Tenant?, user: [UInt8], isMember: @escaping (_ group: [UInt8]) -> Bool?
  ) -> [Subject] {
    let services = tenant?.selectors.services ?? []
    let networks = tenant?.selectors.networks ?? []
    // No service has an empty name.
    let places: [[UInt8]] = services.isEmpty ? [[]] : services
    let addresses = networks.isEmpty ? [addressOfNoNetwork] : networks.map { $0.lowestAddress }
    return places.flatMap { service in
      addresses.map { address in
        Subject(user: user, service: service, address: address, isMember: isMember)
      }
    }
  }

  /// An address outside all networks of tenants, or nil if all candidates are inside.
  private var addressOfNoNetwork: IPAddress? {
    let networks = tenants.flatMap { $0.selectors.networks }
    for number in 0..<UInt128(256) {
      // The candidates are from the documentation networks 192.0.2.0/24 (RFC 5737) and
      // 2001:db8::/32 (RFC 3849).
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
  /// A selector of a tenant, and whether it matches.
  package struct Reason: Equatable, Sendable {
    /// The selector: users, groups, services or networks.
    package let key: Configuration.Key
    /// The value of the selector in canonical form.
    package let value: [UInt8]
    /// Whether the selector matches.
    package let match: Match
    /// The line that sets the selector.
    package let origin: Configuration.Origin
  }

  /// Returns why the tenant matches `subject` or does not match: its selectors, in the order of the
  /// keys.
  package func reasons(for subject: Subject) -> [Reason] {
    Configuration.Key.allCases.filter { $0.isSelector }.compactMap { key in
      guard let value = values.printed(key) else { return nil }
      var one = KeyValues()
      one[key] = values[key]
      return Reason(
        key: key, value: value, match: Selectors(one).match(subject),
        origin: origins[Int(key.rawValue)])
    }
  }
}

extension Network {
  /// The first address of the network.
  fileprivate var lowestAddress: IPAddress? {
    let text = text
    let end = text.firstIndex(of: UInt8(ascii: "/")) ?? text.count
    return IPAddress(text.span.extracting(0..<end))
  }
}

extension Configuration {
  /// The configuration with `state = enabled` wherever it says `observe`.
  package var enforced: Configuration {
    Configuration(
      project: Settings(project.values.enforced),
      tenants: tenants.map {
        Tenant(name: $0.name, values: $0.values.enforced, origins: $0.origins)
      }, daemons: daemons, files: files, origins: origins, fingerprint: fingerprint)
  }
}

extension KeyValues {
  /// The values with the state enabled if it is observed.
  fileprivate var enforced: KeyValues {
    guard number(.state) == Configuration.State.observe.rawValue else { return self }
    var values = self
    values[.state] = .number(Configuration.State.enabled.rawValue)
    return values
  }
}

extension Configuration {
  /// Returns whether some users of a PAM service may have to enrol, now or after an offer ends,
  /// because of `[project]` or of a tenant that applies to the service.
  package func mayRequireEnrollment(at service: [UInt8]) -> Bool {
    guard project.enrollment == .selfService else { return true }
    return tenants.contains { tenant in
      guard let enrollment = tenant.values.number(.enrollment),
        enrollment != Configuration.Enrollment.selfService.rawValue
      else { return false }
      let services = tenant.values.texts(.services)
      return services.isEmpty || services.contains(service)
    }
  }
}

extension Configuration {
  /// Returns the source location of `key` in a tenant, or in `[project]` if `tenant` is nil.
  /// Returns nil if the section does not set it.
  package func origin(of key: Key, in tenant: Tenant? = nil) -> Origin? {
    let origins = tenant?.origins ?? origins
    guard origins.indices.contains(Int(key.rawValue)) else { return nil }
    let origin = origins[Int(key.rawValue)]
    return origin.isKnown ? origin : nil
  }

  /// Returns the value of `key` in canonical form, in a tenant, or in `[project]` if `tenant` is
  /// nil. Returns nil if a tenant does not set it, or if `[project]` has no issuer, no
  /// `prompt`, no `offer_until` day or no `remember_services`.
  package func value(of key: Key, in tenant: Tenant? = nil) -> [UInt8]? {
    (tenant?.values ?? project.values).printed(key)
  }

  /// Returns the file and line as `FILE:LINE`.
  package func place(of origin: Origin) -> [UInt8] {
    guard files.indices.contains(Int(origin.file)) else { return [] }
    return files[Int(origin.file)] + Array(":\(origin.line)".utf8)
  }
}

// What the entries of the keys about phones can be, for programs that write these keys.
extension Configuration {
  /// The maximum number of entries of `phone_test_numbers`.
  package static var maximumTestNumbers: Int { 10 }

  /// Returns whether a text is valid as an entry of `regions`.
  package static func isRegion(_ text: Span<UInt8>) -> Bool {
    ConfigurationValueType.isCallingCode(text)
  }

  /// Returns whether a text is valid as the number of an entry of `phone_test_numbers`.
  package static func isTestNumber(_ text: Span<UInt8>) -> Bool {
    ConfigurationValueType.isTestNumber(text)
  }

  /// Returns whether a text is valid as the code of an entry of `phone_test_numbers`.
  package static func isTestCode(_ text: Span<UInt8>) -> Bool {
    ConfigurationValueType.isTestCode(text)
  }
}
