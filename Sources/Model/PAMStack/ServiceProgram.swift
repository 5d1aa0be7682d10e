import MFABase

/// What the program of a PAM service does with results and messages, as far as its source is known.
/// packaging/doc/programs.md names the versions.
package struct ServiceProgram {
  private let service: [UInt8]

  /// The program of the service with this PAM name.
  package init(of service: [UInt8]) { self.service = service }

  private func isOne(of names: [StaticString]) -> Bool {
    names.contains { service == $0.bytes }
  }

  /// Whether the program ends the sign-in after PAM_MAXTRIES, and tells the user why: sshd (OpenSSH, auth-pam.c) and
  /// login (shadow and util-linux, login.c). cockpit answers with an internal error (session.c), and sudo tries again
  /// (auth/pam.c).
  package var endsAfterMaximumTries: Bool { isOne(of: ["sshd", "login", "remote"]) }

  /// Whether the program can be sent information (PAM_TEXT_INFO).
  ///
  /// su, doas and `sudo -S` write it to the standard output, among the output of the command. SDDM waits for ever if a
  /// question follows (PamBackend.cpp).
  package var takesInformation: Bool {
    SessionService(service) != .command && !isOne(of: ["sddm"])
  }

  /// Whether the program can ask each question with a text of its own: `sudo -p` (auth/pam.c, use_pam_prompt).
  package var replacesQuestions: Bool { isOne(of: ["sudo", "sudo-i"]) }
}
