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
      try machine.mustAdminister("show", user.name).text
    }

    @Test(
      "a correct code is accepted once; wrong codes are counted separately and block no sign-in")
    func codes() throws {
      try machine.writeService(Self.service, Self.stack)
      let (user, enrollment) = try machine.addEnrolledUser()
      let start = try machine.log.position()
      let code = try enrollment.phone.code()
      var options = PAMClient.Options()
      options.asksAccount = true
      let accepted = try unlock(user, [code], options: options)
      #expect(accepted.results.map(\.code) == ["PAM_SUCCESS", "PAM_SUCCESS"], "\(accepted)")
      #expect(accepted.prompts == ["Verification code: "] && accepted.isScriptUsedUp, "\(accepted)")
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
      let elsewhere = try user.signIn(to: other, typing: guesses[4])
      #expect(elsewhere.code == "PAM_AUTH_ERR", "\(elsewhere)")
      let last = try unlock(user, [guesses[5]])
      #expect(last.code == "PAM_AUTH_ERR", "\(last)")
      #expect(last.notices == ["Too many wrong codes. Try again in 30 seconds."])
      let waiting = try unlock(user, [guesses[6]])
      #expect(waiting.code == "PAM_AUTH_ERR" && waiting.prompts.isEmpty, "\(waiting)")
      #expect(waiting.notices.first?.hasPrefix("Too many wrong codes. Try again in ") == true)
      let unlocked = try machine.mustAdminister("unlock", user.name).text
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
      #expect(entries.first?.fields["factor"] == enrollment.factor)
      let all = try machine.log.entries(since: start).map(\.line).joined(separator: "\n")
      for secret in [code] + guesses { #expect(!all.contains(secret)) }
    }

    @Test("another user's account is refused at once")
    func accountMismatch() throws {
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

    /// A reason why the helper cannot work.
    enum Defect: CaseIterable {
      case missing, noProgram, withoutBit, confined, silentEnd
    }

    @Test(
      "a helper that is missing or lacks its identity denies, and the log states the reason",
      .withoutResidentService, arguments: Defect.allCases)
    func defect(defect: Defect) throws {
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

    @Test("the application is not notified of a child, finds none, and keeps no descriptor open")
    func host() throws {
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
      for signals in [\PAMOutcome.ProcessState.caughtSignals, \.ignoredSignals, \.blockedSignals] {
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
