import MFAPAMStack
import MFAModel

/// Finds settings of sshd that give users little time to enrol during a sign-in.
enum ShortGraceTime: Examination {
  /// The time that an enrolment may take, in seconds.
  private static let sufficient = 300

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService,
      let configuration = snapshot.configuration(of: service),
      configuration.mayRequireEnrollment(at: service.name)
    else { return [] }
    return snapshot.sshd.findings { settings, description, place in
      guard let seconds = settings.value(of: "logingracetime").flatMap({ Int($0) }), seconds > 0,
        seconds < sufficient
      else { return [] }
      return [
        Finding(
          severity: .warning, code: "short-grace-time", services: [service.name],
          place: place(["logingracetime"]),
          message: "sshd ends a sign-in after \(seconds) s\(description), and users who must enrol "
            + "in it need more time",
          hint: "set \"LoginGraceTime 600\"; \(SecureShellRemedy.reload)")
      ]
    }
  }
}
