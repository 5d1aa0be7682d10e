import MFAModel

/// A configuration as text, with the source location of each value.
package struct ConfigurationText {
  private let configuration: Configuration

  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// The settings of the project, and those that each tenant sets.
  package var text: String {
    var text = "[project]\n"
    for key in Configuration.Key.allCases { text += line(key, in: nil) }
    for tenant in configuration.tenants {
      text += "\n[tenant \(VisibleText.escaping(tenant.name))]\n"
      for key in Configuration.Key.allCases { text += line(key, in: tenant) }
    }
    return text
  }

  /// Returns the settings in force for a sign-in that only this tenant matches.
  package func text(of tenant: Tenant) -> String {
    var text = "[tenant \(VisibleText.escaping(tenant.name))]\n"
    for key in Configuration.Key.allCases {
      let isOwn = configuration.value(of: key, in: tenant) != nil
      text += line(key, in: isOwn ? tenant : nil, isInherited: !isOwn)
    }
    return text
  }

  private func line(
    _ key: Configuration.Key, in tenant: Tenant?, isInherited: Bool = false
  ) -> String {
    guard let value = configuration.value(of: key, in: tenant) else { return "" }
    var place = "default"
    if let origin = configuration.origin(of: key, in: tenant) {
      place = VisibleText.escaping(configuration.place(of: origin))
      if isInherited { place += ", [project]" }
    }
    return "\(key.name) = \(VisibleText.escaping(value))  # \(place)\n"
  }

  /// Returns the settings of the project or a tenant, to be printed in a form of Identity Platform,
  /// and a warning if Identity Platform cannot express the state. `applied` is the section in which
  /// `config apply` wrote the settings, if any.
  package func identityPlatform(
    _ tenant: Tenant?, _ applied: AppliedSection?
  ) -> (settings: IdentityPlatform, warning: String?) {
    let form = applied?.form ?? .standard
    let state = value(of: .state, tenant)
    let isRequired = state == Configuration.State.enabled.name
    let isPhoneEnabled = isRequired && accepts(.phone, tenant)
    func list(_ key: Configuration.Key) -> [String]? {
      guard tenant == nil, configuration.origin(of: key) != nil, applied?.sets(key) != false else {
        return nil
      }
      return value(of: key, nil).split(separator: ", ").map(String.init)
    }
    // Phones are allowed by default, but are not in use on a host that has set nothing about them.
    let isSet =
      [.factors, .gateway].contains { configuration.origin(of: $0) != nil }
      || tenant.map { configuration.origin(of: .factors, in: $0) != nil } ?? false
    let settings = IdentityPlatform(
      isEnabled: isRequired && accepts(.totp, tenant),
      adjacentIntervals: UInt8(value(of: .adjacentIntervals, tenant))
        ?? configuration.project.adjacentIntervals,
      form: form,
      phone: IdentityPlatform.Phone(
        // Without a list, text messages are disabled.
        isEnabled: form.textMessages != .absent || isSet && isPhoneEnabled ? isPhoneEnabled : nil,
        regions: list(.regions), testNumbers: list(.phoneTestNumbers)))
    guard state == Configuration.State.observe.name else { return (settings, nil) }
    return (settings, "Identity Platform has no state observe; printed as DISABLED")
  }

  /// Returns whether codes that are sent to phones are in use: a gateway is set, and the settings of
  /// the project or of a tenant allow them.
  func usesPhones(_ tenant: Tenant?) -> Bool {
    configuration.origin(of: .gateway) != nil && accepts(.phone, tenant)
      && value(of: .state, tenant) != Configuration.State.disabled.name
  }

  private func accepts(_ type: Configuration.FactorType, _ tenant: Tenant?) -> Bool {
    value(of: .factors, tenant).split(separator: ", ").contains { $0 == type.name }
  }

  private func value(of key: Configuration.Key, _ tenant: Tenant?) -> String {
    let own = tenant.flatMap { configuration.value(of: key, in: $0) }
    return String(decoding: own ?? configuration.value(of: key) ?? [], as: UTF8.self)
  }
}
