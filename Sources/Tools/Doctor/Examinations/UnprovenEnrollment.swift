import MFAPAMStack

/// Finds a stack of the service mfa-enroll that lets users change factors without the password of the
/// account.
enum UnprovenEnrollment: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let gap = EnrollmentService.gap(in: snapshot.host.stacks) else { return [] }
    return [
      Finding(
        severity: .error, code: "enrollment-not-proven", services: [EnrollmentService.name],
        place: gap.place,
        message: "an unattended session is enough to enrol a factor, without the password: "
          + gap.message,
        hint: "let the file contain \"@include common-auth\" only, or a line such as \"auth "
          + "requisite pam_unix.so\"")
    ]
  }
}
