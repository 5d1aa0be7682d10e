import MFATestSupport
import Testing

extension EndToEnd {
  /// With any number of concurrent processes, a code is accepted once and every wrong code is
  /// counted.
  @Suite struct Concurrency {
    static let processes = 64

    @Test("only one of 64 processes with the same code signs in", arguments: [30])
    func oneCodeOneSignIn(rounds: Int) throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
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
            outcomes.allSatisfy {
              ["PAM_SUCCESS", "PAM_AUTH_ERR", "PAM_MAXTRIES"].contains($0.code)
            },
            "round \(round): \(outcomes.map(\.code))")
          let results = try OneCode.results(machine, since: start)
          #expect(results.count == Self.processes, "round \(round)")
          #expect(results.count { $0 == "accepted" } == 1, "round \(round)")
          #expect(
            Set(results).isSubset(of: ["accepted", "replayed", "throttled"]),
            "round \(round): \(results)")
        }
      }
    }

    @Test(
      "a bypass code signs in only as many of 32 processes as it has uses",
      arguments: [1, 3])
    func bypassCodeUsesAreLimited(uses: Int) throws {
      try Machine.use { machine in
        let (user, _) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let made = try Command.succeed([
          "/usr/sbin/mfa-admin", "bypass", user.name, "--uses", "\(uses)", "--reason", "test",
        ])
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
        #expect(grants.text.isEmpty, "\(grants.text)")
      }
    }

    @Test("only 5 of 64 concurrent wrong codes are verified")
    func guessesAreCounted() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let guesses = try enrollment.phone.wrongCodes(count: Self.processes)
        let start = try machine.log.position()
        let signIns = try HeldSignIns(
          service: service, user: user.name, answers: guesses.map { [.text($0)] })
        #expect(try signIns.waitUntilAsked() == Self.processes)
        signIns.release()
        let codes = try signIns.outcomes().map(\.code)
        let results = try OneCode.results(machine, since: start)
        #expect(results.count { $0 == "wrong" } == 5)
        #expect(results.count { $0 == "throttled" } == Self.processes - 5)
        #expect(codes.count { $0 == "PAM_AUTH_ERR" } == 4)
        #expect(codes.count { $0 == "PAM_MAXTRIES" } == Self.processes - 4)
        #expect(try StoreFiles(of: user.name).failures() == 5)

        // Before the wait is over, a correct code is not verified either.
        let right = try PAMClient.signIn(
          service: service, user: user.name,
          answers: [.text(try enrollment.phone.code())])
        #expect(right.code == "PAM_MAXTRIES", "\(right)")
        #expect(right.prompts == [], "\(right)")
        #expect(try StoreFiles(of: user.name).failures() == 5)
      }
    }

    @Test("the wrong code of a killed process remains counted")
    func killedGuesses() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let guesses = try enrollment.phone.wrongCodes(count: 16)
        let signIns = try HeldSignIns(
          service: service, user: user.name, answers: guesses.map { [.text($0)] })
        #expect(try signIns.waitUntilAsked() == 16)
        signIns.release()
        for index in 0..<16 { signIns.send(signal: 9, to: index) }
        _ = try signIns.outcomes()
        let right = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(try enrollment.phone.code())])
        // However many processes finished, every verified code was counted, and the user signs in
        // or is throttled. The service may still verify codes of processes that have ended.
        let failures = try StoreFiles(of: user.name).failures()
        #expect((0...5).contains(failures))
        let isThrottled = right.code == "PAM_MAXTRIES" && failures == 5
        #expect(right.code == "PAM_SUCCESS" || isThrottled, "\(failures), \(right)")
      }
    }
  }
}
