/// An sshd that sends passwords to the prompt for a code.
enum PasswordAsCode: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    guard let service = chart.sshdService, !service.takesPassword else { return [] }
    return chart.sshd.findings { settings, whom, place in
      guard settings.isOn("usepam"), settings.takesPasswords else { return [] }
      // By keyboard-interactive, which clients prefer, people can still get in.
      return [
        Finding(
          severity: settings.asksByKeyboard ? .warning : .error, code: "password-as-code",
          services: [service.name], place: place(["passwordauthentication"]),
          message: "whose client sends a password by itself is denied\(whom): "
            + "PasswordAuthentication is yes, and answers the prompt of \(service.place) with the "
            + "password",
          hint: "write \"PasswordAuthentication no\" (passwords are asked for by "
            + "keyboard-interactive), then reload sshd; or give the module forward_pass")
      ]
    }
  }
}
