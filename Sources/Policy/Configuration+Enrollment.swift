extension Configuration {
  /// Whether some sign-ins to a PAM service may have to enrol, now or once an offer is over: because
  /// of `[project]`, or of a tenant whose services, where it names any, hold this one.
  public func mayRequireEnrollment(at service: [UInt8]) -> Bool {
    guard project.enrollment == .selfService else { return true }
    return tenants.contains { tenant in
      guard let enrollment = tenant.overrides.enrollment, enrollment != .selfService else {
        return false
      }
      return tenant.selectors.services.isEmpty || tenant.selectors.services.contains(service)
    }
  }
}
