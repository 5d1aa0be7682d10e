/// Finds sshd settings that make sshd answer the prompt for a code with the password.
enum PasswordAsCode: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, !service.takesPassword else { return [] }
    return snapshot.sshd.findings { settings, description, place in
      // `UnprovenFirstFactor` reports lines that verify no password.
      guard settings.isOn("usepam"), settings.takesPasswords, service.firstFactor != .missing
      else { return [] }
      // Users can still sign in with keyboard-interactive, which clients prefer.
      return [
        Finding(
          severity: settings.asksByKeyboard ? .warning : .error, code: "password-as-code",
          services: [service.name], place: place(["passwordauthentication"]),
          message: "clients that use the password method are denied\(description): "
            + "PasswordAuthentication is yes, so sshd answers the prompt of \(service.place) with "
            + "the password",
          hint: hint(settings, service) + "; or add forward_pass to the module's arguments")
      ]
    }
  }

  private static func hint(_ settings: SSHDSettings, _ service: ServiceWithModule) -> String {
    SecureShellRemedy.hint(
      for: settings, service, changing: [("PasswordAuthentication", "no")])
      ?? "correct the auth lines of \(service.visibleName) first: run mfa-admin doctor"
  }
}
