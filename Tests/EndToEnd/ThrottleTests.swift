import MFATestSupport
import Testing

extension EndToEnd {
  /// Throttling, locking and unlocking.
  @Suite struct Throttle {
    /// Signs in with a code.
    func signIn(_ user: MachineUser, _ service: String, _ code: String) throws -> PAMOutcome {
      try PAMClient.signIn(service: service, user: user.name, answers: [.text(code)])
    }

    @Test("the fifth wrong code reports the wait, as documented in the manual")
    func wait() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let start = try machine.log.position()
        for (index, guess) in try enrollment.phone.wrongCodes(count: 5).enumerated() {
          let outcome = try signIn(user, service, guess)
          #expect(outcome.code == (index < 4 ? "PAM_AUTH_ERR" : "PAM_MAXTRIES"), "\(outcome)")
          #expect(
            outcome.notices == [
              index < 4 ? "Wrong code." : "Too many wrong codes. Try again in 30 seconds."
            ])
        }
        let refused = try signIn(user, service, try enrollment.phone.code())
        #expect(refused.code == "PAM_MAXTRIES" && refused.prompts.isEmpty, "\(refused)")
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
    }

    @Test("a success resets the failure count")
    func successResets() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let guesses = try enrollment.phone.wrongCodes(count: 8)
        for guess in guesses[..<4] {
          #expect(try signIn(user, service, guess).code == "PAM_AUTH_ERR")
        }
        let right = try signIn(user, service, try enrollment.phone.code(offset: -1))
        #expect(right.code == "PAM_SUCCESS", "\(right)")
        for guess in guesses[4...] {
          #expect(try signIn(user, service, guess).code == "PAM_AUTH_ERR")
        }
        let again = try signIn(user, service, try enrollment.phone.code(offset: 1))
        #expect(again.code == "PAM_SUCCESS", "\(again)")
      }
    }

    @Test("after the permitted number of failures the factors are locked until root unlocks them")
    func disabledAndUnlocked() throws {
      try Machine.use { machine in
        try machine.writeConfiguration(
          "[project]\nthrottle_after = 7\ndisable_after = 7\n")
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let start = try machine.log.position()
        for guess in try enrollment.phone.wrongCodes(count: 7) {
          _ = try signIn(user, service, guess)
        }
        let refused = try signIn(user, service, try enrollment.phone.code())
        #expect(refused.code == "PAM_MAXTRIES" && refused.prompts.isEmpty, "\(refused)")
        #expect(
          refused.notices == [
            "Too many wrong codes. Your devices are locked. Ask an\nadministrator to unlock them."
          ])
        #expect(
          try OneCode.results(machine, since: start)
            == Array(repeating: "wrong", count: 7) + ["locked"])

        // The helper refuses too, with the correct password and a correct code.
        let session = try HelperSession(as: user)
        _ = try session.greet()
        let answer = try session.prove(password: user.password, code: try enrollment.phone.code())
        #expect(answer == HelperSession.Message(0x8B, [[9], [0, 0, 0, 0]]))

        try Command.succeed(["/usr/sbin/mfa-admin", "unlock", user.name])
        let open = try signIn(user, service, try enrollment.phone.code())
        #expect(open.code == "PAM_SUCCESS", "\(open)")
      }
    }

    @Test("a hundred consecutive failures are counted, and no more")
    func hundredFailuresAreCounted() throws {
      try Machine.use { machine in
        try machine.writeConfiguration("[project]\nthrottle_after = 100\n")
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
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
  }
}
