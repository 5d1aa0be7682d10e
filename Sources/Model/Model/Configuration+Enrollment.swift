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
