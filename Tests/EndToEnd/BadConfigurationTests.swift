import MFATestSupport
import Testing

extension EndToEnd {
  /// A mistake in the configuration or in a service file denies every sign-in.
  @Suite struct BadConfiguration {
    struct Row: Sendable, CustomTestStringConvertible {
      let number: Int
      let title: String
      let text: String
      /// The line that the log names.
      let line: Int
      var testDescription: String { "\(number): \(title)" }
    }

    static let texts = [
      Row(number: 1, title: "an unknown key", text: "[project]\nstat = enabled\n", line: 2),
      Row(number: 2, title: "an unknown section", text: "[tenants]\n", line: 1),
      Row(number: 3, title: "an unterminated section header", text: "[project\n", line: 1),
      Row(number: 4, title: "a repeated section", text: "[project]\n[project]\n", line: 2),
      Row(
        number: 5, title: "a repeated key", text: "[project]\nstate = enabled\nstate = enabled\n",
        line: 3),
      Row(number: 6, title: "a key before any section", text: "state = enabled\n", line: 1),
      Row(number: 7, title: "a line that is not a setting", text: "[project]\nstate\n", line: 2),
      Row(number: 8, title: "an unknown value", text: "[project]\nstate = on\n", line: 2),
      Row(
        number: 9, title: "a capitalised value", text: "[project]\nstate = Disabled\n", line: 2),
      Row(
        number: 10, title: "a number out of range", text: "[project]\nadjacent_intervals = 11\n",
        line: 2),
      Row(
        number: 11, title: "a number below its range", text: "[project]\nadjacent_intervals = -1\n",
        line: 2),
      Row(
        number: 12, title: "more than 100 failures", text: "[project]\ndisable_after = 101\n",
        line: 2),
      Row(
        number: 13, title: "a wait that is too long",
        text: "[project]\nthrottle_first_wait = 25h\n",
        line: 2),
      Row(number: 14, title: "no wait", text: "[project]\nthrottle_first_wait = 0s\n", line: 2),
      Row(
        number: 15, title: "a longest wait below the first wait",
        text: "[project]\nthrottle_first_wait = 10m\nthrottle_longest_wait = 5m\n", line: 3),
      Row(
        number: 16, title: "locked before throttled",
        text: "[project]\nthrottle_after = 9\ndisable_after = 8\n", line: 3),
      Row(
        number: 17, title: "a line that is too long",
        text: "#" + String(repeating: "x", count: 2000), line: 1),
      Row(
        number: 18, title: "a file that is too long",
        text: String(repeating: "# comment\n", count: 8000), line: 0),
      Row(number: 19, title: "a control character", text: "[project]\n\u{1b}[2J\n", line: 2),
      Row(number: 20, title: "a carriage return", text: "[project]\r\n", line: 1),
      Row(number: 21, title: "a byte order mark", text: "\u{feff}[project]\n", line: 1),
      Row(
        number: 22, title: "a comment after a value", text: "[project]\nstate = enabled # yes\n",
        line: 2),
      Row(number: 23, title: "a colon in the issuer", text: "[project]\nissuer = a:b\n", line: 2),
      Row(
        number: 24, title: "an unknown enrolment pattern",
        text: "[project]\nenrollment = none\n", line: 2),
    ]

    @Test("every kind of mistake denies sign-ins, and the log names the file and line")
    func mistakes() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let stranger = try machine.addUser()
        let service = try machine.makeService(OneCode.stack)
        let code = try enrollment.phone.code()
        for row in Self.texts {
          try machine.writeConfiguration(row.text)
          // This includes users without a factor, and the account line.
          for name in [user.name, stranger.name] {
            let start = try machine.log.position()
            let outcome = try PAMClient.signIn(
              service: service, user: name, answers: [.text(code)])
            #expect(outcome.code == "PAM_AUTH_ERR", "\(row.testDescription): \(outcome)")
            let entries = try OneCode.logged(machine, since: start)
            let fields = entries.first?.fields ?? [:]
            #expect(entries.count == 1, "\(row.testDescription): \(entries)")
            #expect(fields["result"] == "error", "\(row.testDescription): \(entries)")
            #expect(fields["part"] == "configuration", "\(row.testDescription): \(entries)")
            #expect(fields["file"] == "/etc/mfa/mfa.conf", "\(row.testDescription): \(entries)")
            #expect(fields["line"] == "\(row.line)", "\(row.testDescription): \(entries)")
          }
        }
      }
    }

    struct Spoilt: Sendable, CustomTestStringConvertible {
      let number: Int
      let command: String
      let reason: String
      var testDescription: String { "\(number): \(command)" }
    }

    static let files = [
      Spoilt(number: 1, command: "rm $c", reason: ""),
      Spoilt(number: 2, command: "chmod 0666 $c", reason: "wrong-permissions"),
      Spoilt(number: 3, command: "chmod 0664 $c", reason: "wrong-permissions"),
      Spoilt(number: 4, command: "chown mfa $c", reason: "wrong-owner"),
      Spoilt(number: 5, command: "mv $c $c.away; ln -s $c.away $c", reason: "symbolic-link"),
      Spoilt(number: 6, command: "rm $c; mkdir $c", reason: "not-a-regular-file"),
      Spoilt(number: 7, command: "rm $c; mkfifo $c", reason: "not-a-regular-file"),
      Spoilt(number: 8, command: "chmod 0777 /etc/mfa", reason: "wrong-permissions"),
      Spoilt(number: 9, command: "chown mfa /etc/mfa", reason: "wrong-owner"),
    ]

    @Test("a configuration file that users other than root could have written denies sign-ins")
    func distrusted() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        for row in Self.files {
          try Command.succeed(["/bin/cp", "-a", "/etc/mfa", machine.folder + "/saved"])
          try Command.succeed(["/bin/sh", "-c", "c=/etc/mfa/mfa.conf; " + row.command])
          let start = try machine.log.position()
          let outcome = try PAMClient.signIn(
            service: service, user: user.name, answers: [.text(try enrollment.phone.code())])
          #expect(outcome.code == "PAM_AUTH_ERR", "\(row.testDescription): \(outcome)")
          let entries = try OneCode.logged(machine, since: start)
          #expect(entries.first?.fields["part"] == "configuration", "\(row.testDescription)")
          #expect(entries.first?.fields["reason"] ?? "" == row.reason, "\(row.testDescription)")
          #expect(entries.count == 1, "\(row.testDescription)")
          try Command.succeed([
            "/bin/sh", "-c", "rm -rf /etc/mfa && mv \(machine.folder)/saved /etc/mfa",
          ])
        }
      }
    }

    struct Line: Sendable, CustomTestStringConvertible {
      let number: Int
      let arguments: String
      let reason: String
      var testDescription: String { "\(number): \(arguments)" }
    }

    static let argumentRows = [
      Line(number: 1, arguments: "nullok", reason: "unknown-argument"),
      Line(number: 2, arguments: "Echo", reason: "unknown-argument"),
      Line(number: 3, arguments: "echo=1", reason: "unknown-argument"),
      Line(number: 4, arguments: "echo echo", reason: "repeated-argument"),
      Line(
        number: 5, arguments: "try_first_pass use_first_pass",
        reason: "try_first_pass-and-use_first_pass"),
      Line(number: 6, arguments: "config=mfa.conf", reason: "not-an-absolute-path"),
      Line(number: 7, arguments: "config=", reason: "not-an-absolute-path"),
      Line(number: 8, arguments: "config=/etc/../etc/mfa/mfa.conf", reason: "not-an-absolute-path"),
      Line(number: 9, arguments: "config=/etc/mfa/other.conf", reason: ""),
    ]

    @Test("an unknown argument in the service's line denies sign-ins", arguments: argumentRows)
    func badArguments(row: Line) throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService([OneCode.stack[0] + " " + row.arguments])
        let start = try machine.log.position()
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(try enrollment.phone.code())])
        #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
        let entries = try OneCode.logged(machine, since: start)
        #expect(entries.map { $0.fields["result"] } == ["error"])
        #expect(entries.first?.fields["reason"] ?? "" == row.reason, "\(entries)")
      }
    }

    struct State: Sendable, CustomTestStringConvertible {
      let number: Int
      let state: String
      let enrolled: String
      let stranger: String
      var testDescription: String { "\(number): \(state)" }
    }

    /// PAM treats a stack whose only result is PAM_IGNORE as a failure, so pam_permit.so follows.
    static let stateRows = [
      State(number: 1, state: "enabled", enrolled: "PAM_AUTH_ERR", stranger: "PAM_SUCCESS"),
      State(number: 2, state: "disabled", enrolled: "PAM_SUCCESS", stranger: "PAM_SUCCESS"),
      State(number: 3, state: "observe", enrolled: "PAM_SUCCESS", stranger: "PAM_SUCCESS"),
    ]

    @Test(
      "only `disabled` and `observe` skip the code for enrolled users", arguments: stateRows)
    func onlyDisabledAndObserveSkipTheCode(row: State) throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let stranger = try machine.addUser()
        let service = try machine.makeService([OneCode.stack[0], "auth required pam_permit.so"])
        try machine.writeConfiguration("[project]\nstate = \(row.state)\n")
        let wrong = try enrollment.phone.wrongCode()
        let first = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(wrong)])
        #expect(first.code == row.enrolled, "\(first)")
        let second = try PAMClient.signIn(service: service, user: stranger.name)
        #expect(second.code == row.stranger && second.prompts.isEmpty, "\(second)")
        // An unknown user passes only if the state skips the code.
        let third = try PAMClient.signIn(
          service: service, user: "nobody-of-that-name", answers: [.text(wrong)])
        #expect(third.code == (row.state == "enabled" ? "PAM_AUTH_ERR" : "PAM_SUCCESS"), "\(third)")
      }
    }
  }
}
