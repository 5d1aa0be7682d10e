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

  /// Returns the settings of the project or a tenant in the form of Identity Platform, and a
  /// warning if Identity Platform cannot express the state.
  package func identityPlatform(_ tenant: Tenant?) -> (settings: IdentityPlatform, warning: String?)
  {
    let state = value(of: .state, tenant)
    let intervals = value(of: .adjacentIntervals, tenant)
    let settings = IdentityPlatform(
      isEnabled: state == Configuration.State.enabled.name, adjacentIntervals: UInt8(intervals))
    guard state == Configuration.State.observe.name else { return (settings, nil) }
    return (settings, "Identity Platform has no state observe; printed as DISABLED")
  }

  private func value(of key: Configuration.Key, _ tenant: Tenant?) -> String {
    let own = tenant.flatMap { configuration.value(of: key, in: $0) }
    return String(decoding: own ?? configuration.value(of: key) ?? [], as: UTF8.self)
  }
}
