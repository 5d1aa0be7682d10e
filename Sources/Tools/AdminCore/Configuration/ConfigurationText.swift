import MFAAdminOutput
import MFAPolicy

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
  /// and a warning if Identity Platform cannot express the state.
  package func identityPlatform(
    _ tenant: Tenant?, form: IdentityPlatformForm
  ) -> (settings: IdentityPlatform, warning: String?) {
    let state = value(of: .state, tenant)
    let isRequired = state == Configuration.State.enabled.name
    let factors = value(of: .factors, tenant).split(separator: ", ").map(String.init)
    let settings = IdentityPlatform(
      isEnabled: isRequired && factors.contains(Configuration.FactorType.totp.name),
      adjacentIntervals: UInt8(value(of: .adjacentIntervals, tenant))
        ?? configuration.project.adjacentIntervals,
      form: form, phone: phone(tenant, form, isRequired && factors.contains("phone")))
    guard state == Configuration.State.observe.name else { return (settings, nil) }
    return (settings, "Identity Platform has no state observe; printed as DISABLED")
  }

  /// Returns the settings of text messages that are set, or that the form has.
  private func phone(
    _ tenant: Tenant?, _ form: IdentityPlatformForm, _ isEnabled: Bool
  ) -> IdentityPlatform.Phone {
    let isSet =
      configuration.origin(of: .factors) != nil
      || tenant.map { configuration.origin(of: .factors, in: $0) != nil } ?? false
    func list(_ key: Configuration.Key) -> [String]? {
      guard tenant == nil, configuration.origin(of: key) != nil else { return nil }
      return value(of: key, nil).split(separator: ", ").map(String.init)
    }
    return IdentityPlatform.Phone(
      isEnabled: form.textMessages != .absent || isSet ? isEnabled : nil,
      regions: list(.regions), testNumbers: list(.phoneTestNumbers))
  }

  private func value(of key: Configuration.Key, _ tenant: Tenant?) -> String {
    let own = tenant.flatMap { configuration.value(of: key, in: $0) }
    return String(decoding: own ?? configuration.value(of: key) ?? [], as: UTF8.self)
  }
}
