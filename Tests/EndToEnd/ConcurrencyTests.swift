import MFATestSupport
import Testing

extension EndToEnd {
  /// With any number of concurrent processes, a code is accepted once and every wrong code is
  /// counted.
  @Suite struct Concurrency {
    static let processes = 64

    @Test("only one of 64 processes with the same code signs in", arguments: [30])
    func oneCodeOneSignIn(rounds: Int) throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      for round in 1...rounds {
        try files.restore(image)
        let code = try enrollment.phone.code(offset: round % 5)
        let start = try machine.log.position()
        let signIns = try HeldSignIns(
          service: service, user: user.name,
          answers: Array(repeating: [.text(code)], count: Self.processes))
        #expect(try signIns.waitUntilAsked() == Self.processes)
        signIns.release()
        let outcomes = try signIns.outcomes()
        let accepted = outcomes.filter { $0.code == "PAM_SUCCESS" }
        #expect(accepted.count == 1, "round \(round)")
        // The others were throttled, or were denied because the code was used.
        #expect(
          outcomes.allSatisfy { ["PAM_SUCCESS", "PAM_AUTH_ERR"].contains($0.code) },
          "round \(round): \(outcomes.map(\.code))")
        let results = try OneCode.results(machine, since: start)
        #expect(results.count == Self.processes, "round \(round)")
        #expect(results.count { $0 == "accepted" } == 1, "round \(round)")
        #expect(
          Set(results).isSubset(of: ["accepted", "replayed", "throttled"]),
          "round \(round): \(results)")
      }
    }

    @Test(
      "a bypass code signs in only as many of 32 processes as it has uses",
      arguments: [1, 3])
    func bypassCodeUsesAreLimited(uses: Int) throws {
      let (user, _, service) = try machine.addSignIn()
      let made = try machine.mustAdminister(
        "bypass", user.name, "--uses", "\(uses)", "--reason", "test"
      ).text
      let code = String(try #require(made.split(separator: "\n").first))
      // Each use changes the record, so that those who were asked before are asked again.
      let answers = Array(repeating: PAMClient.Answer.text(code), count: uses + 1)
      let signIns = try HeldSignIns(
        service: service, user: user.name, answers: Array(repeating: answers, count: 32))
      #expect(try signIns.waitUntilAsked() == 32)
      signIns.release()
      let codes = try signIns.outcomes().map(\.code)
      #expect(codes.count { $0 == "PAM_SUCCESS" } == uses, "\(codes)")
      #expect(codes.count { $0 == "PAM_AUTH_ERR" } == 32 - uses, "\(codes)")
      let grants = try Command.run(["/usr/sbin/mfa-admin", "grants", user.name])
      // The last use lets the user enrol one device.
      #expect(!grants.text.contains(" bypass "), "\(grants.text)")
      #expect(grants.text.ranges(of: " enrolment ").count == 1, "\(grants.text)")
    }

    @Test("only 5 of 64 concurrent wrong codes are verified")
    func guessesAreCounted() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let guesses = try enrollment.phone.wrongCodes(count: Self.processes)
      let start = try machine.log.position()
      let signIns = try HeldSignIns(
        service: service, user: user.name, answers: guesses.map { [.text($0)] })
      #expect(try signIns.waitUntilAsked() == Self.processes)
      signIns.release()
      let outcomes = try signIns.outcomes()
      let results = try OneCode.results(machine, since: start)
      #expect(results.count { $0 == "wrong" } == 5)
      #expect(results.count { $0 == "throttled" } == Self.processes - 5)
      #expect(outcomes.allSatisfy { $0.code == "PAM_AUTH_ERR" })
      #expect(outcomes.count { $0.notices == ["Wrong code."] } == 4)
      #expect(try StoreFiles(of: user.name).failures() == 5)

      // Before the wait is over, a correct code is not verified either.
      let right = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(right.code == "PAM_AUTH_ERR", "\(right)")
      #expect(right.prompts == [], "\(right)")
      #expect(try StoreFiles(of: user.name).failures() == 5)
    }

    @Test("the wrong code of a killed process remains counted")
    func killedGuesses() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let guesses = try enrollment.phone.wrongCodes(count: 16)
      let signIns = try HeldSignIns(
        service: service, user: user.name, answers: guesses.map { [.text($0)] })
      #expect(try signIns.waitUntilAsked() == 16)
      signIns.release()
      for index in 0..<16 { signIns.send(signal: 9, to: index) }
      _ = try signIns.outcomes()
      let right = try user.signIn(to: service, typing: try enrollment.phone.code())
      // However many processes finished, every verified code was counted, and the user signs in
      // or is throttled. The service may still verify codes of processes that have ended.
      let failures = try StoreFiles(of: user.name).failures()
      #expect((0...5).contains(failures))
      let isThrottled = right.code == "PAM_AUTH_ERR" && right.prompts.isEmpty && failures == 5
      #expect(right.code == "PAM_SUCCESS" || isThrottled, "\(failures), \(right)")
    }
  }

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
      try machine.writeConfiguration(standing.configuration)
      let (user, enrollment) = try machine.addEnrolledUser()
      let key = try machine.addLoginKey(for: user)
      let service = try machine.makeService(OneCode.stack)
      for guess in try enrollment.phone.wrongCodes(count: 5) {
        _ = try user.signIn(to: service, typing: guess)
      }
      let server = try SecureShell().server(
        machine, heading: settings.heading, settings: settings.lines)
      // The module reads the settings of the host's sshd.
      try machine.write(server.configuration, to: "/etc/ssh/sshd_config")
      let session = try server.signIn(
        user.name, command: SecureShell.command,
        key: settings == .keyThenKeyboard ? key : nil)
      if settings != .keyThenKeyboard {
        try session.answer("Password: ", with: user.password)
      }
      try session.expect(standing.message)
      try SecureShell().expectEnd(.refused, session, user.name)
      #expect(!session.unseenText.lowercased().contains("password:"), "\(session.transcript)")
      #expect(!session.unseenText.contains("code: "), "\(session.transcript)")
    }

    @Test("a wrong code that begins the wait ends the sign-in too")
    func lastAttempt() throws {
      try machine.writeConfiguration("[project]\nthrottle_after = 1\n")
      let (user, enrollment) = try machine.addEnrolledUser()
      let server = try SecureShell().server(
        machine, heading: "ssh: the password, then a code", tries: 3)
      try machine.write(server.configuration, to: "/etc/ssh/sshd_config")
      let session = try server.signIn(user.name, command: SecureShell.command)
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: try enrollment.phone.wrongCode())
      try session.expect(Standing.throttled.message)
      try SecureShell().expectEnd(.refused, session, user.name)
      #expect(!session.unseenText.lowercased().contains("password:"), "\(session.transcript)")
    }
  }
}
