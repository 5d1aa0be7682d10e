import MFAAdmin
import MFABase
import MFAPAMStack

/// Finds a module of another second factor in the stack of the service mfa-enroll, where it refuses
/// every user.
enum BlockedEnrollment: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let line = EnrollmentService.blockingLine(in: snapshot.host.stacks) else { return [] }
    return [
      Finding(
        severity: .warning, code: "enrollment-blocked", services: [EnrollmentService.name],
        place: VisibleText.escaping(line.position.text),
        message: "users cannot enrol, and their right password is called wrong: "
          + "\(VisibleText.escaping(line.moduleName)) needs root's rights, and mfa-helper has those of "
          + "mfa",
        hint: "let \(InstalledPath.helperService) contain \"auth requisite pam_unix.so\" and "
          + "\"account required pam_unix.so\" in place of the included file")
    ]
  }
}
