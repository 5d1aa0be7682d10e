import MFAAdmin
import MFABase
import MFAPAMStack

/// Notes that no service uses the module, or that policy does not enforce codes. Neither is an
/// error.
enum UnusedModule: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard !snapshot.servicesWithModule.isEmpty else {
      return [
        Finding(
          severity: .note, code: "not-in-use", place: "\(InstalledPath.services)",
          message: "no service has an auth line for pam_mfa.so: no user is asked for a code",
          hint: "run mfa-admin enable sshd, or edit the service files: EXAMPLES in man pam_mfa")
      ]
    }
    guard let configuration = snapshot.configuration(at: nil) else { return [] }
    let place =
      configuration.origin(of: .state).map { VisibleText.escaping(configuration.place(of: $0)) }
      ?? "\(InstalledPath.configuration)"
    let effect: String
    switch configuration.project.state {
    case .enabled: return []
    case .disabled: effect = "disabled: no user is asked for a code"
    case .observe: effect = "observe: users are asked for a code but admitted with any answer"
    }
    return [
      Finding(
        severity: .note, code: "not-enforced", place: place, message: "state = \(effect)",
        hint: "set state = enabled once mfa-admin readiness reports that all users are ready")
    ]
  }
}
