import MFABase

extension ConfigurationDraft {
  /// Returns the configuration that results from the files. Throws the first contradiction found.
  package func finish() throws(ConfigurationError) -> Configuration {
    var values = KeyValues.defaults
    values.apply(project.values, .yes)
    try check(values, of: project)
    var tenants: [Tenant] = []
    for draft in self.tenants {
      guard !Selectors(draft.values).isEmpty else {
        throw ConfigurationError(draft.header, .noSelector(Excerpt(draft.name.span)))
      }
      var values = values
      values.apply(draft.values, .yes)
      try check(values, of: draft)
      tenants.append(
        Tenant(name: draft.name, values: draft.values, origins: draft.origins))
    }
    return Configuration(
      project: Settings(values), tenants: tenants, files: files, origins: project.origins,
      fingerprint: fingerprint)
  }

  /// Whether a section limits the number of sign-ins without a factor.
  private var limitsSignIns: Bool {
    ([project] + tenants).contains { ($0.values.number(.offerSignIns) ?? 0) > 0 }
  }

  /// Throws if the values in force with `section` contradict each other.
  private func check(
    _ values: KeyValues, of section: SectionDraft
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
      section.kind == .project || section.values.number(.offerSignIns) != 0
        || values.number(.offerUntil) != 0 || !limitsSignIns
    else { throw ConfigurationError(signIns, .offerNeverEnds) }
    try check(.throttleFirstWait, isAtMost: .throttleLongestWait, values, section)
    try check(.throttleAfter, isAtMost: .disableAfter, values, section)
  }

  /// Throws if the value of `lower` exceeds that of `upper`, its limit. The error names the later
  /// of the two lines. If a tenant sets one of the values, that line is in the tenant.
  private func check(
    _ lower: Configuration.Key, isAtMost upper: Configuration.Key, _ values: KeyValues,
    _ section: SectionDraft
  ) throws(ConfigurationError) {
    guard let lowerValue = values.number(lower), let limit = values.number(upper),
      lowerValue > limit
    else { return }
    let lowerOrigin = section.origin(of: lower)
    let upperOrigin = section.origin(of: upper)
    let type = upper.declaration.type
    if lowerOrigin.isLater(than: upperOrigin) {
      let text = type.printed(limit) ?? []
      throw ConfigurationError(lowerOrigin, .aboveLimit(lower, limit: upper, Excerpt(text.span)))
    }
    let text = type.printed(lowerValue) ?? []
    throw ConfigurationError(upperOrigin, .belowLimit(upper, limit: lower, Excerpt(text.span)))
  }
}

extension ConfigurationError {
  fileprivate init(_ origin: Configuration.Origin, _ reason: Reason) {
    self.init(file: origin.file, line: Int(origin.line), reason: reason)
  }
}
