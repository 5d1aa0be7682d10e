import MFATestSupport
import Testing

extension EndToEnd {
  /// Throttling, locking and unlocking.
  @Suite struct Throttle {
    /// Signs in with a code.
    func signIn(_ user: MachineUser, _ service: String, _ code: String) throws -> PAMOutcome {
      try user.signIn(to: service, typing: code)
    }

    @Test("the fifth wrong code reports the wait, as documented in the manual")
    func wait() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let start = try machine.log.position()
      for (index, guess) in try enrollment.phone.wrongCodes(count: 5).enumerated() {
        let outcome = try signIn(user, service, guess)
        #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
        #expect(
          outcome.notices == [
            index < 4 ? "Wrong code." : "Too many wrong codes. Try again in 30 seconds."
          ])
      }
      let refused = try signIn(user, service, try enrollment.phone.code())
      #expect(refused.code == "PAM_AUTH_ERR" && refused.prompts.isEmpty, "\(refused)")
      let said = refused.notices.first?.firstMatch(
        of: /^Too many wrong codes. Try again in (\d+) seconds?.$/)
      let seconds = try #require(Int(said?.output.1 ?? ""), "\(refused)")
      #expect((1...30).contains(seconds))
      let entries = try OneCode.logged(machine, since: start)
      #expect(
        entries.map { $0.fields["result"] } == Array(repeating: "wrong", count: 5) + ["throttled"]
      )
      #expect(entries.allSatisfy { $0.facility == 10 })
      #expect(entries.allSatisfy { $0.fields["user"] == user.name })
      #expect(entries.allSatisfy { $0.fields["service"] == service })
    }

    @Test("only programs that end after PAM_MAXTRIES get it")
    func maximumTries() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      for guess in try enrollment.phone.wrongCodes(count: 5) {
        _ = try signIn(user, service, guess)
      }
      let code = try enrollment.phone.code()
      for (service, expected) in [
        ("login", "PAM_MAXTRIES"), ("sshd", "PAM_MAXTRIES"), ("cockpit", "PAM_AUTH_ERR"),
        ("gdm-password", "PAM_AUTH_ERR"), ("sudo", "PAM_AUTH_ERR"), (service, "PAM_AUTH_ERR"),
      ] {
        try machine.writeService(service, OneCode.stack)
        let refused = try signIn(user, service, code)
        #expect(refused.code == expected, "\(service): \(refused)")
        #expect(!refused.prompts.contains("Verification code: "), "\(service): \(refused)")
      }
    }

    @Test("after the permitted number of failures the factors are locked until root unlocks them")
    func disabledAndUnlocked() throws {
      try machine.writeConfiguration("[project]\nthrottle_after = 7\ndisable_after = 7\n")
      let (user, enrollment, service) = try machine.addSignIn()
      let start = try machine.log.position()
      for guess in try enrollment.phone.wrongCodes(count: 7) {
        _ = try signIn(user, service, guess)
      }
      let refused = try signIn(user, service, try enrollment.phone.code())
      #expect(refused.code == "PAM_AUTH_ERR" && refused.prompts.isEmpty, "\(refused)")
      #expect(
        refused.notices == [
          "Too many wrong codes. Your devices are locked. Ask an administrator to unlock\nthem."
        ])
      #expect(
        try OneCode.results(machine, since: start)
          == Array(repeating: "wrong", count: 7) + ["locked"])

      // The helper refuses too, with the correct password and a correct code.
      let session = try HelperSession.begun(as: user)
      let answer = try session.prove(password: user.password, code: try enrollment.phone.code())
      #expect(answer == HelperSession.Message(0x8B, [[9], [0, 0, 0, 0]]))

      try machine.mustAdminister("unlock", user.name)
      let open = try signIn(user, service, try enrollment.phone.code())
      #expect(open.code == "PAM_SUCCESS", "\(open)")
    }

    @Test("a hundred consecutive failures are counted, and no more")
    func hundredFailuresAreCounted() throws {
      try machine.writeConfiguration("[project]\nthrottle_after = 100\n")
      let (user, enrollment, service) = try machine.addSignIn()
      let guesses = try enrollment.phone.wrongCodes(count: 103)
      let start = try machine.log.position()
      var options = PAMClient.Options()
      options.times = guesses.count
      _ = try PAMClient.signIn(
        service: service, user: user.name, answers: guesses.map { .text($0) }, options: options)
      let results = try OneCode.results(machine, since: start)
      #expect(results.count { $0 == "wrong" } == 100)
      #expect(results.suffix(3) == ["locked", "locked", "locked"])
      #expect(try StoreFiles(of: user.name).failures() == 100)
    }
  }

  /// The same answer again is not counted, and one client does not take every turn after a wait.
  @Suite struct RepeatedAnswers {
    private func options(from address: String?) -> PAMClient.Options {
      var options = PAMClient.Options()
      options.remoteHost = address
      return options
    }

    @Test("one code typed in six windows at once signs in once, and is no failure")
    func sixWindows() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let code = try enrollment.phone.code()
      let windows = try HeldSignIns(
        service: service, user: user.name, answers: Array(repeating: [.text(code)], count: 6))
      #expect(try windows.waitUntilAsked() == 6)
      windows.release()
      let outcomes = try windows.outcomes()
      #expect(outcomes.count { $0.code == "PAM_SUCCESS" } == 1, "\(outcomes)")
      #expect(outcomes.count { $0.code == "PAM_AUTH_ERR" } == 5, "\(outcomes)")
      let used = "That code has already been used. Use the next one."
      #expect(outcomes.count { $0.notices == [used] } == 5, "\(outcomes)")
      #expect(try StoreFiles(of: user.name).failures() == 0)
      let next = try user.signIn(to: service, typing: try enrollment.phone.code(offset: 1))
      #expect(next.code == "PAM_SUCCESS", "\(next)")
    }

    @Test("four connections that send the same wrong code cause one or two failures")
    func parallelConnections() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let code = try #require(try enrollment.phone.wrongCodes(count: 1).first)
      for _ in 0..<3 {
        let connections = try HeldSignIns(
          service: service, user: user.name, answers: Array(repeating: [.text(code)], count: 4),
          options: options(from: "192.0.2.7"))
        #expect(try connections.waitUntilAsked() == 4)
        connections.release()
        #expect(try connections.outcomes().allSatisfy { $0.code == "PAM_AUTH_ERR" })
      }
      // Two, if the time step changed meanwhile.
      #expect((1...2).contains(try StoreFiles(of: user.name).failures()))
      let next = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(next.code == "PAM_SUCCESS", "\(next)")
    }

    @Test(
      "a client that repeats a stored answer keeps the owner from nothing", .withoutResidentService,
      arguments: ["", "forward_pass"])
    func storedAnswer(arguments: String) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService([
        "auth required pam_mfa.so tries=1 \(arguments)", "auth required pam_permit.so",
      ])
      let resident = try ShiftedService(on: machine)
      // With `forward_pass`, the stored answer may be a password of six digits.
      let stored = try #require(try enrollment.phone.wrongCodes(count: 1).first)
      for minute in 0..<60 {
        try resident.set(ahead: 60 * minute)
        _ = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(stored)],
          options: options(from: "192.0.2.7"))
      }
      // The refusals become longer: the answer was compared at 0, 1, 2, 4, 8, 16 and 32 minutes, and
      // once more if a wait was not over yet.
      #expect((5...8).contains(try StoreFiles(of: user.name).failures()))
      let code = try enrollment.phone.codes(fromStep: enrollment.phone.step() + 2 * 60, count: 1)[0]
      try resident.set(ahead: 60 * 60)
      let owner = try PAMClient.signIn(
        service: service, user: user.name,
        answers: [.text(arguments.isEmpty ? code : stored + code)],
        options: options(from: "198.51.100.7"))
      #expect(owner.code == "PAM_SUCCESS", "\(owner)")
      #expect(try StoreFiles(of: user.name).failures() == 0)
    }

    @Test(
      "a client that asks without a pause leaves the owner a turn in each wait",
      .withoutResidentService, arguments: ["198.51.100.7", nil] as [String?])
    func turns(owner address: String?) throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let resident = try ShiftedService(on: machine)
      let files = StoreFiles(of: user.name)
      let guesses = try enrollment.phone.wrongCodes(count: 20)
      func attack(_ number: Int, after seconds: Int) throws {
        try resident.set(ahead: seconds)
        _ = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(guesses[number])],
          options: options(from: "192.0.2.7"))
      }
      for number in 0..<5 { try attack(number, after: 0) }
      #expect(try files.failures() == 5)
      try attack(5, after: 35)
      #expect(try files.failures() == 6)
      // The account waits for 60 seconds, and the client that took the turn for 120.
      for seconds in [60, 100, 140] { try attack(6, after: seconds) }
      #expect(try files.failures() == 6)
      let code = try enrollment.phone.codes(fromStep: enrollment.phone.step() + 3, count: 1)[0]
      try resident.set(ahead: 100)
      let owner = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(code)],
        options: options(from: address))
      #expect(owner.code == "PAM_SUCCESS", "\(owner)")
    }
  }
}
