/// An sshd that asks nobody: keyboard-interactive or PAM is switched off; and what of sshd cannot be
/// told.
enum SilencedKeyboard: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    guard let service = chart.sshdService else { return [] }
    return chart.sshd.unchecked
      + chart.sshd.findings { settings, whom, place in
        guard settings.isOn("usepam") else {
          return [
            Finding(
              severity: .error, code: "use-pam-off", services: [service.name],
              place: place(["usepam"]),
              message: "nobody is asked for a code over ssh\(whom): UsePAM is no",
              hint: "write \"UsePAM yes\", then reload sshd")
          ]
        }
        let isAskedOtherwise = service.takesPassword && settings.takesPasswords
        guard !settings.asksByKeyboard, !isAskedOtherwise else { return [] }
        return [
          Finding(
            severity: .error, code: "keyboard-interactive-off", services: [service.name],
            place: place(["kbdinteractiveauthentication", "challengeresponseauthentication"]),
            message: "nobody can type a code over ssh\(whom): KbdInteractiveAuthentication is no, "
              + "while \(service.place) asks for one",
            hint: "write \"KbdInteractiveAuthentication yes\", then reload sshd")
        ]
      }
  }
}
