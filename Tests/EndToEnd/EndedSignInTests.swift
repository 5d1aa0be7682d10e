import MFATestSupport
import Testing

extension EndToEnd {
  /// The end of a sign-in of a throttled or locked user, through a real sshd.
  @Suite struct EndedSignIns {
    /// The state of the user.
    enum Standing: CaseIterable {
      case throttled, locked

      var configuration: String {
        switch self {
        case .throttled: "[project]\n"
        case .locked: "[project]\nthrottle_after = 5\ndisable_after = 5\n"
        }
      }

      var message: String {
        switch self {
        case .throttled: "Too many wrong codes. Try again in "
        case .locked: "Too many wrong codes. Your devices are locked."
        }
      }
    }

    /// Settings of sshd.
    enum Settings: CaseIterable {
      case keyboardOnly, keyThenKeyboard, sshdDefaults, keyOrKeyboard

      var heading: String {
        switch self {
        case .keyThenKeyboard: "ssh: a key, then a code"
        case .keyboardOnly, .sshdDefaults, .keyOrKeyboard: "ssh: the password, then a code"
        }
      }

      /// Lines of sshd_config, which precede those of the guide.
      var lines: [String] {
        switch self {
        case .keyThenKeyboard: []
        case .keyboardOnly: ["PasswordAuthentication yes"]
        case .sshdDefaults: ["PasswordAuthentication yes", "AuthenticationMethods any"]
        case .keyOrKeyboard: ["AuthenticationMethods keyboard-interactive publickey"]
        }
      }
    }

    @Test(
      "the client shows what happened and ends, without a prompt that cannot succeed",
      arguments: Standing.allCases, Settings.allCases)
    func ends(standing: Standing, settings: Settings) throws {
      try Machine.use { machine in
        try machine.writeConfiguration(standing.configuration)
        let (user, enrollment) = try machine.addEnrolledUser()
        let key = try machine.addLoginKey(for: user)
        let service = try machine.makeService(OneCode.stack)
        for guess in try enrollment.phone.wrongCodes(count: 5) {
          _ = try PAMClient.signIn(service: service, user: user.name, answers: [.text(guess)])
        }
        let server = try SecureShell().server(
          machine, heading: settings.heading, settings: settings.lines)
        // The module reads the settings of the host's sshd.
        try machine.write(server.configuration, to: "/etc/ssh/sshd_config")
        let session = try server.signIn(
          user.name, command: SecureShell.command,
          key: settings == .keyThenKeyboard ? key : nil)
        if settings != .keyThenKeyboard {
          try session.expect("Password: ")
          try session.send(user.password)
        }
        try session.expect(standing.message)
        try SecureShell().expectEnd(.refused, session, user.name)
        #expect(!session.unseenText.lowercased().contains("password:"), "\(session.transcript)")
        #expect(!session.unseenText.contains("code: "), "\(session.transcript)")
      }
    }

    @Test("a wrong code that begins the wait ends the sign-in too")
    func lastAttempt() throws {
      try Machine.use { machine in
        try machine.writeConfiguration("[project]\nthrottle_after = 1\n")
        let (user, enrollment) = try machine.addEnrolledUser()
        let server = try SecureShell().server(
          machine, heading: "ssh: the password, then a code", tries: 3)
        try machine.write(server.configuration, to: "/etc/ssh/sshd_config")
        let session = try server.signIn(user.name, command: SecureShell.command)
        try session.expect("Password: ")
        try session.send(user.password)
        try session.expect("One-time code: ")
        try session.send(try enrollment.phone.wrongCode())
        try session.expect(Standing.throttled.message)
        try SecureShell().expectEnd(.refused, session, user.name)
        #expect(!session.unseenText.lowercased().contains("password:"), "\(session.transcript)")
      }
    }
  }
}
