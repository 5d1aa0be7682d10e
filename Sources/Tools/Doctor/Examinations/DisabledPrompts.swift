/// Finds sshd settings that disable keyboard-interactive or PAM, so that sshd cannot ask for a
/// code.
///
/// Also reports the settings of sshd that could not be determined.
enum DisabledPrompts: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService else { return [] }
    return snapshot.sshd.unchecked + findings(service, snapshot.sshd)
  }

  /// Returns the findings about the connections that a view of sshd's settings describes.
  static func findings(_ service: ServiceWithModule, _ sshd: SSHDView) -> [Finding] {
    sshd.findings { settings, description, place in
      guard settings.isOn("usepam") else {
        return [
          Finding(
            severity: .error, code: "use-pam-off", services: [service.name],
            place: place(["usepam"]),
            message: "no user is asked for a code over ssh\(description): UsePAM is no",
            hint: hint(settings, service, [("UsePAM", "yes")]))
        ]
      }
      guard !settings.canAsk(service) else { return [] }
      return [
        Finding(
          severity: .error, code: "keyboard-interactive-off", services: [service.name],
          place: place(["kbdinteractiveauthentication", "challengeresponseauthentication"]),
          message:
            "no user can enter a code over ssh\(description): KbdInteractiveAuthentication is no, "
            + "but \(service.place) asks for a code",
          hint: hint(settings, service, [("KbdInteractiveAuthentication", "yes")]))
      ]
    }
  }

  /// Returns settings with which sshd asks for a code after a first factor.
  private static func hint(
    _ settings: SSHDSettings, _ service: ServiceWithModule,
    _ changes: [(key: String, value: String)]
  ) -> String {
    SecureShellRemedy.hint(for: settings, service, changing: changes)
      ?? "correct the auth lines of \(service.visibleName) first: run mfa-admin doctor"
  }
}
