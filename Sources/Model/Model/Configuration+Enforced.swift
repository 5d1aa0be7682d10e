extension Configuration {
  /// The configuration with `state = enabled` wherever it says `observe`.
  package var enforced: Configuration {
    Configuration(
      project: Settings(project.values.enforced),
      tenants: tenants.map {
        Tenant(name: $0.name, values: $0.values.enforced, origins: $0.origins)
      }, files: files, origins: origins, fingerprint: fingerprint)
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
