import MFABytes

extension ConfigurationDraft {
  /// Returns the configuration that results from the files. Throws the first contradiction found.
  public func finish() throws(ConfigurationError) -> Configuration {
    var values = SettingValues()
    values.apply(project.overrides, .yes)
    try check(values, of: project)
    var tenants: [Tenant] = []
    for draft in self.tenants {
      guard !draft.selectors.isEmpty else {
        throw ConfigurationError(draft.header, .noSelector(Excerpt(draft.name.span)))
      }
      var values = values
      values.apply(draft.overrides, .yes)
      try check(values, of: draft)
      tenants.append(
        Tenant(
          name: draft.name, selectors: draft.selectors, overrides: draft.overrides,
          origins: draft.origins))
    }
    return Configuration(
      project: values.settings, tenants: tenants, files: files, origins: project.origins,
      configurationFingerprint: configurationFingerprint)
  }

  /// Throws if the values in force with `section` contradict each other.
  private func check(
    _ values: SettingValues, of section: SectionDraft
  ) throws(ConfigurationError) {
    let enrollment = section.origin(of: .enrollment)
    let signIns = section.origin(of: .offerSignIns)
    guard !values.offersWithoutEnd else {
      throw ConfigurationError(
        signIns.isLater(than: enrollment) ? signIns : enrollment, .offerNeverEnds)
    }
    // Combined with another tenant that offers enrolment, a tenant that removes the limit on
    // sign-ins could create an offer that never ends, depending on the result of a lookup.
    guard
      section.kind == .project || section.overrides.offerSignIns != 0 || values.offerUntil != nil
    else { throw ConfigurationError(signIns, .offerNeverEnds) }
    guard values.remember == 0 || !values.rememberServices.isEmpty else {
      throw ConfigurationError(section.origin(of: .remember), .rememberWithoutServices)
    }
    guard values.throttleFirstWait <= values.throttleLongestWait else {
      throw contradiction(
        .throttleFirstWait, ConfigurationValue.printed(seconds: values.throttleFirstWait),
        .throttleLongestWait, ConfigurationValue.printed(seconds: values.throttleLongestWait),
        section)
    }
    guard values.throttleAfter <= values.disableAfter else {
      throw contradiction(
        .throttleAfter, bytes(of: decimal(Int64(values.throttleAfter))),
        .disableAfter, bytes(of: decimal(Int64(values.disableAfter))), section)
    }
  }

  /// Returns the error for a lower value that exceeds its upper limit. The error names the later of
  /// the two lines. If a tenant sets one of the values, that line is in the tenant.
  private func contradiction(
    _ lower: Configuration.Key, _ lowerValue: [UInt8],
    _ upper: Configuration.Key, _ upperValue: [UInt8], _ section: SectionDraft
  ) -> ConfigurationError {
    let lowerOrigin = section.origin(of: lower)
    let upperOrigin = section.origin(of: upper)
    if lowerOrigin.isLater(than: upperOrigin) {
      return ConfigurationError(
        lowerOrigin, .aboveLimit(lower, limit: upper, Excerpt(upperValue.span)))
    }
    return ConfigurationError(
      upperOrigin, .belowLimit(upper, limit: lower, Excerpt(lowerValue.span)))
  }
}

extension ConfigurationError {
  fileprivate init(_ origin: Configuration.Origin, _ reason: Reason) {
    self.init(file: origin.file, line: Int(origin.line), reason: reason)
  }
}
