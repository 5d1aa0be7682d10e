import PAMStack

/// That no service asks the module, or which do without effect: facts, and no mistakes.
enum UnusedModule: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    guard !chart.asked.isEmpty else {
      return [
        Finding(
          severity: .note, code: "not-in-use", place: "/etc/pam.d",
          message: "no auth line of a service asks pam_mfa.so: nobody is asked for a code",
          hint: "mfa-admin enable sshd, or by hand: README.md")
      ]
    }
    guard let configuration = chart.configuration(at: nil) else { return [] }
    let place =
      configuration.origin(of: .state).map { VisibleText.escaping(configuration.place(of: $0)) }
      ?? "/etc/mfa/mfa.conf"
    let effect: String
    switch configuration.project.state {
    case .enabled: return []
    case .disabled: effect = "disabled: nobody is asked for a code"
    case .observe: effect = "observe: people are asked, and let pass whatever they answer"
    }
    return [
      Finding(
        severity: .note, code: "not-enforced", place: place, message: "state = \(effect)",
        hint: "set state = enabled when mfa-admin readiness tells that everybody is ready")
    ]
  }
}
