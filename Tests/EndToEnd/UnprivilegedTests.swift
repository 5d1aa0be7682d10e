import MFATestSupport
import Testing

extension EndToEnd {
  /// An application that calls PAM as an ordinary user, such as a screen locker: the helper
  /// verifies the code.
  @Suite struct Unprivileged {
    static let service = "locker"
    static let stack = [
      "auth required pam_mfa.so tries=1", "auth required pam_permit.so",
      "account required pam_mfa.so",
      "account required pam_permit.so",
    ]

    /// Calls PAM for `user`, as `caller` or as `user`.
    private func unlock(
      _ user: MachineUser, _ answers: [String], as caller: MachineUser? = nil,
      options: PAMClient.Options = PAMClient.Options(), through wrapper: [String] = []
    ) throws -> PAMOutcome {
      try PAMClient.signIn(
        service: Self.service, user: user.name, answers: answers.map { .text($0) },
        options: options, as: (caller ?? user).identity, through: wrapper)
    }

    /// Returns the module's log lines, without the helper's.
    private func logged(_ machine: Machine, since start: SystemLog.Position) throws -> [LogEntry] {
      try OneCode.logged(machine, since: start).filter { $0.fields["service"] == Self.service }
    }

    private func shown(_ user: MachineUser) throws -> String {
      try Command.succeed(["/usr/sbin/mfa-admin", "show", user.name])
    }

    @Test(
      "a correct code is accepted once; wrong codes are counted separately and block no sign-in")
    func codes() throws {
      try Machine.use { machine in
        try machine.writeService(Self.service, Self.stack)
        let (user, enrollment) = try machine.addEnrolledUser()
        let start = try machine.log.position()
        let code = try enrollment.phone.code()
        var options = PAMClient.Options()
        options.asksAccount = true
        let accepted = try unlock(user, [code], options: options)
        #expect(accepted.results.map(\.code) == ["PAM_SUCCESS", "PAM_SUCCESS"], "\(accepted)")
        #expect(accepted.prompts == ["One-time code: "] && accepted.isScriptUsedUp, "\(accepted)")
        let replayed = try unlock(user, [code])
        #expect(replayed.code == "PAM_AUTH_ERR", "\(replayed)")
        #expect(replayed.notices == ["That code has already been used. Use the next one."])

        let guesses = try enrollment.phone.wrongCodes(count: 7)
        for guess in guesses[..<4] {
          let wrong = try unlock(user, [guess])
          #expect(wrong.code == "PAM_AUTH_ERR" && wrong.notices == ["Wrong code."])
        }
        #expect(try StoreFiles(of: user.name).failures() == 0)
        let sheet = try shown(user)
        #expect(sheet.contains("in the user's own programs: 4 in a row"), "\(sheet)")
        // A service running as root has a separate count, and makes no user wait.
        let other = try machine.makeService(OneCode.stack)
        let elsewhere = try PAMClient.signIn(
          service: other, user: user.name, answers: [.text(guesses[4])])
        #expect(elsewhere.code == "PAM_AUTH_ERR", "\(elsewhere)")
        let last = try unlock(user, [guesses[5]])
        #expect(last.code == "PAM_MAXTRIES", "\(last)")
        let waiting = try unlock(user, [guesses[6]])
        #expect(waiting.code == "PAM_MAXTRIES" && waiting.prompts.isEmpty, "\(waiting)")
        #expect(
          waiting.notices.first?.hasPrefix("Too many wrong codes. Try again in ") == true)
        let unlocked = try Command.succeed(["/usr/sbin/mfa-admin", "unlock", user.name])
        #expect(
          unlocked.contains("5 wrong codes in the user's own programs, throttled "), "\(unlocked)")
        let next = try unlock(user, [try enrollment.phone.code(offset: 1)])
        #expect(next.code == "PAM_SUCCESS", "\(next)")

        let entries = try logged(machine, since: start)
        #expect(
          entries.map { $0.fields["result"] }
            == [
              "accepted", "replayed", "wrong", "wrong", "wrong", "wrong", "wrong", "throttled",
              "accepted",
            ])
        #expect(entries.allSatisfy { $0.facility == 10 && $0.fields["user"] == user.name })
        #expect(entries[0].fields["factor"] == enrollment.factor)
        let all = try machine.log.entries(since: start).map(\.line).joined(separator: "\n")
        for secret in [code] + guesses { #expect(!all.contains(secret)) }
      }
    }

    @Test("the fifth wrong code reports the wait; after the wait the next code is verified")
    func throttled() throws {
      try Machine.use { machine in
        try machine.writeConfiguration("[project]\nthrottle_after = 2\nthrottle_first_wait = 1s\n")
        try machine.writeService(Self.service, Self.stack)
        let (user, enrollment) = try machine.addEnrolledUser()
        for (guess, code) in zip(
          try enrollment.phone.wrongCodes(count: 2), ["PAM_AUTH_ERR", "PAM_MAXTRIES"])
        {
          let outcome = try unlock(user, [guess])
          #expect(outcome.code == code, "\(outcome)")
        }
        let deadline = Deadline.usual
        while !deadline.isOver {
          let outcome = try unlock(user, [try enrollment.phone.code()])
          if outcome.code == "PAM_SUCCESS" { return }
          #expect(outcome.code == "PAM_MAXTRIES", "\(outcome)")
        }
        Issue.record("the wait does not end")
      }
    }

    @Test("another user's account is refused at once")
    func accountMismatch() throws {
      try Machine.use { machine in
        try machine.writeService(Self.service, Self.stack)
        let (user, enrollment) = try machine.addEnrolledUser()
        let stranger = try machine.addUser()
        let start = try machine.log.position()
        let outcome = try unlock(user, [try enrollment.phone.code()], as: stranger)
        #expect(outcome.code == "PAM_AUTH_ERR" && outcome.prompts.isEmpty, "\(outcome)")
        let entry = try #require(try logged(machine, since: start).first)
        #expect(entry.fields["result"] == "error" && entry.fields["part"] == "account")
        #expect(entry.fields["reason"] == "anothers-account" && entry.fields["user"] == user.name)
        #expect(try StoreFiles(of: user.name).failures() == 0)
      }
    }

    @Test(
      "a user without a factor passes under self-service, and is denied if enrolment is required")
    func notEnrolled() throws {
      try Machine.use { machine in
        try machine.writeService(Self.service, Self.stack)
        let user = try machine.addUser()
        let start = try machine.log.position()
        var options = PAMClient.Options()
        options.asksAccount = true
        let outcome = try unlock(user, [], options: options)
        #expect(outcome.results.map(\.code) == ["PAM_SUCCESS", "PAM_SUCCESS"], "\(outcome)")
        #expect(outcome.prompts.isEmpty)
        try machine.writeConfiguration("[project]\nenrollment = required\n")
        let refused = try unlock(user, ["123456"], options: options)
        #expect(refused.code == "PAM_AUTH_ERR" && refused.isScriptUsedUp, "\(refused)")
        #expect(
          try logged(machine, since: start).map { $0.fields["result"] }
            == ["not-enrolled", "not-enrolled", "enrollment-required"])
      }
    }

    @Test("a recovery code is accepted once")
    func recoveryCode() throws {
      try Machine.use { machine in
        try machine.writeService(Self.service, Self.stack)
        let (user, enrollment) = try machine.addEnrolledUser()
        let session = try HelperSession(as: user)
        _ = try session.greet()
        _ = try session.prove(password: user.password, code: try enrollment.phone.code(offset: -1))
        let made = try #require(try session.ask(14))
        #expect(made.kind == 0x8D)
        session.send(11)
        _ = try session.waitForExit()
        let code = String(decoding: made.fields[1], as: UTF8.self)
        let start = try machine.log.position()
        let accepted = try unlock(user, [code])
        #expect(accepted.code == "PAM_SUCCESS", "\(accepted)")
        #expect(accepted.notices == ["Recovery code accepted. 9 left."])
        let again = try unlock(user, [code])
        #expect(again.code == "PAM_AUTH_ERR", "\(again)")
        #expect(
          try logged(machine, since: start).map { $0.fields["result"] } == [
            "recovery-code", "replayed",
          ])
      }
    }

    @Test("where policy allows it, a recovery code unlocks factors that the user's programs locked")
    func unlocking() throws {
      try Machine.use { machine in
        try machine.writeConfiguration(
          "[project]\nthrottle_after = 3\ndisable_after = 3\nrecovery_unlocks = on\n")
        try machine.writeService(Self.service, Self.stack)
        let (user, enrollment) = try machine.addEnrolledUser()
        let codes = try Recovery().makeCodes(
          user, presentCode: try enrollment.phone.code(offset: -4))
        for guess in try enrollment.phone.wrongCodes(count: 3) { _ = try unlock(user, [guess]) }
        let refused = try unlock(user, [try enrollment.phone.code()])
        #expect(refused.code == "PAM_MAXTRIES" && refused.prompts.count == 1, "\(refused)")
        let accepted = try unlock(user, [codes[0]])
        #expect(accepted.code == "PAM_SUCCESS", "\(accepted)")
        #expect(accepted.notices.first == "Recovery code accepted. 9 left.", "\(accepted)")
        let next = try unlock(user, [try enrollment.phone.code()])
        #expect(next.code == "PAM_SUCCESS", "\(next)")
      }
    }

    @Test("password and code in one answer are accepted, as lockers with a single prompt send them")
    func forwardPass() throws {
      try Machine.use { machine in
        try machine.writeService(
          Self.service,
          ["auth requisite pam_mfa.so forward_pass", "auth required pam_unix.so use_first_pass"])
        let (user, enrollment) = try machine.addEnrolledUser()
        let outcome = try unlock(user, [user.password + (try enrollment.phone.code())])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
        #expect(outcome.prompts == ["Password and one-time code: "])
        let wrong = try unlock(user, ["wrong" + (try enrollment.phone.code(offset: 1))])
        #expect(wrong.code == "PAM_AUTH_ERR", "\(wrong)")
        let stranger = try machine.addUser()
        let alone = try unlock(stranger, [stranger.password])
        #expect(alone.code == "PAM_SUCCESS", "\(alone)")
      }
    }

    @Test("a factor can be selected from the list")
    func hints() throws {
      try Machine.use { machine in
        try machine.writeConfiguration("[project]\nprompt_hints = on\n")
        try machine.writeService(Self.service, Self.stack)
        let user = try machine.addUser()
        let pixel = try machine.enroll(user, named: "Pixel")
        let tablet = try machine.enroll(
          user, named: "Tablet", presentCode: try pixel.phone.code(offset: -4))
        let outcome = try unlock(user, ["2", try tablet.phone.code()])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
        #expect(outcome.prompts.first?.hasPrefix("Your devices:\n 1: Pixel\n 2: Tablet\n") == true)
        let other = try unlock(user, ["1", try tablet.phone.code(offset: 1)])
        #expect(other.code == "PAM_AUTH_ERR" && other.notices == ["Wrong code."])
      }
    }

    /// A reason why the helper cannot work.
    enum Defect: CaseIterable {
      case missing, noProgram, withoutBit, confined, silentEnd
    }

    @Test(
      "a helper that is missing or lacks its identity denies, and the log states the reason",
      .withoutResidentService, arguments: Defect.allCases)
    func defect(defect: Defect) throws {
      try Machine.use { machine in
        try machine.writeService(Self.service, Self.stack)
        let (user, enrollment) = try machine.addEnrolledUser()
        let helper = HelperSession.program
        var wrapper: [String] = []
        let reason: String?
        var number: String?
        switch defect {
        case .missing:
          try machine.remove(helper)
          reason = nil
          number = "ENOENT"
        case .noProgram:
          try machine.write("", to: helper, mode: "0755")
          reason = nil
          number = "ENOEXEC"
        case .withoutBit:
          try machine.keep(helper)
          try Command.succeed(["/bin/chmod", "0755", helper])
          reason = "malformed"
        case .confined:
          wrapper = ["/usr/bin/setpriv", "--no-new-privs", "--"]
          reason = "no-new-privileges"
        case .silentEnd:
          try machine.write("#!/bin/sh\nexit 0\n", to: helper, mode: "0755")
          reason = "ended"
        }
        let start = try machine.log.position()
        let outcome = try unlock(user, [try enrollment.phone.code()], through: wrapper)
        #expect(outcome.code == "PAM_AUTH_ERR" && outcome.prompts.isEmpty, "\(outcome)")
        #expect(
          outcome.notices == [
            "Sign-in is unavailable because of a server problem, not your\ncode. Contact your administrator."
          ])
        let part = defect == .confined ? "helper" : "resident"
        let entry = try #require(
          try machine.log.entries(since: start).first { $0.fields["part"] == part })
        #expect(entry.fields["result"] == "error" && entry.line.contains("pam-client"), "\(entry)")
        #expect(entry.fields["reason"] == reason && entry.fields["errno"] == number, "\(entry)")
        if defect == .withoutBit {
          let lines = try machine.log.entries(since: start).map(\.message)
          #expect(lines.contains { $0.contains("reason=no-identity-of-its-own") }, "\(lines)")
        }
      }
    }

    @Test("the application is not notified of a child, finds none, and keeps no descriptor open")
    func host() throws {
      try Machine.use { machine in
        try machine.writeService(Self.service, Self.stack)
        let (user, enrollment) = try machine.addEnrolledUser()
        var options = PAMClient.Options()
        options.observedFile = "pam_mfa.so"
        options.watchesChildren = true
        options.times = 3
        let outcome = try unlock(
          user,
          [
            try enrollment.phone.code(), try enrollment.phone.wrongCode(),
            try enrollment.phone.code(offset: 1),
          ], options: options)
        #expect(
          outcome.results.map(\.code) == ["PAM_SUCCESS", "PAM_AUTH_ERR", "PAM_SUCCESS"],
          "\(outcome)")
        let states = outcome.states
        #expect(states.count == 7)
        #expect(states.allSatisfy { $0.announcedChildren == 0 && !$0.hasChild }, "\(states)")
        #expect(states.allSatisfy { $0.threads == 1 })
        for signals in [\PAMOutcome.ProcessState.caughtSignals, \.ignoredSignals, \.blockedSignals]
        {
          #expect(Set(states.map { $0[keyPath: signals] }).count == 1, "\(states)")
        }
        // libpam keeps its connection to the system log open; no other descriptor stays open or
        // accumulates.
        #expect(states[2].descriptors <= states[0].descriptors + 1, "\(states)")
        #expect(states[2].descriptors == states[6].descriptors, "\(states)")
        let processes = try Command.succeed(["/bin/ps", "-A", "-o", "stat=,comm="])
        #expect(!processes.contains("mfa-helper") && !processes.contains("mfa-supervisor"))
        #expect(!processes.split(separator: "\n").contains { $0.hasPrefix("Z") }, "\(processes)")
      }
    }
  }
}
