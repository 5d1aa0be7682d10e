import MFATestSupport
import Testing

extension EndToEnd {
  /// Enrolment during a sign-in, with the guide's lines.
  @Suite struct SignInEnrollment {
    let user: MachineUser

    init() throws { user = try machine.addUser() }

    static let required = "[project]\nstate = enabled\nenrollment = required\n"
    static let command = "echo uid=$(id -un)"
    static let usual = "ssh: the password, then a code"

    private func server(
      _ machine: Machine, heading: String = usual, settings: [String] = [],
      configuration: String? = required
    ) throws -> PrivateServer {
      if let configuration { try machine.writeConfiguration(configuration) }
      let blocks = try Guide.blocks(under: heading)
      try machine.changeService("sshd", authentication: blocks[0])
      return try PrivateServer(on: machine, settings: settings + blocks[1])
    }

    /// What the user sees up to the code prompt.
    struct Shown {
      let phone: Authenticator
      let url: String
      /// The picture, or nothing.
      let picture: String
    }

    /// Answers the question how the key is to be shown, and has it shown as text in the end.
    private func begin(_ session: TerminalSession, answer: String = "3") throws -> Shown {
      try session.answer("Type 1, 2 or 3: ", with: answer)
      var picture = ""
      if answer != "3" {
        try session.expect("Scan this with an authenticator app.\r\n")
        picture = try session.expect("Code from the app, or 3 for a key to type: ")
        try session.send("3")
      }
      try session.expect("Type this key")
      let text = try session.expect("Code from the app: ").replacing("\r\n", with: "\n")
      let key = try #require(text.firstMatch(of: /\n\n  ([A-Z2-7 ]+)\n/)).output.1
      let url = String(try #require(text.firstMatch(of: /(otpauth:[^\n]+)\n\n/)).output.1)
      let phone = try Authenticator(url: url)
      #expect(key.replacing(" ", with: "") == phone.key)
      return Shown(phone: phone, url: url, picture: picture.replacing("\r\n", with: "\n"))
    }

    /// Finishes the enrolment; returns the recovery codes.
    private func finish(_ session: TerminalSession, _ phone: Authenticator) throws -> [String] {
      try session.send(try phone.code(offset: -1))
      _ = try session.expect(matching: #/Name for this device \[phone \d{4}-\d\d-\d\d\]: /#)
      try session.send("tablet")
      try session.expect("Recovery codes for ")
      let text = try session.expect("Press Enter when you have them: ")
      let codes = text.matches(of: /(?:[a-z2-7]{4}-){3}[a-z2-7]{4}/).map { String($0.output) }
      try #require(Set(codes).count == 10, "\(session.transcript)")
      try session.send("")
      return codes
    }

    private func expectSignedIn(_ session: TerminalSession, _ user: MachineUser) throws {
      try session.expect("uid=\(user.name)")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    private func expectRefused(_ session: TerminalSession, _ user: MachineUser) throws {
      #expect(try session.waitForExit() == .exited(255), "\(session.transcript)")
      #expect(!session.text.contains("uid="), "\(session.transcript)")
    }

    /// Returns the module's own log lines, without the helper's lines about mail, whose time is
    /// unpredictable.
    private func logged(
      _ machine: Machine, since start: SystemLog.Position
    ) throws -> [LogEntry] {
      try OneCode.logged(machine, since: start).filter {
        $0.fields["result"] != "notice-not-mailed"
      }
    }

    private func isEnrolled(_ machine: Machine, _ user: MachineUser) -> Bool {
      machine.contents(of: StoreFiles(of: user.name).record) != nil
    }

    @Test(
      "by ssh in a UTF-8 locale the picture is scanned; the next sign-in asks for a code",
      arguments: [ShownScreen.Theme.dark, .light])
    func utf8(theme: ShownScreen.Theme) throws {
      let server = try server(machine)
      let start = try machine.log.position()
      let session = try server.signIn(user.name, command: Self.command)
      try session.answer("Password: ", with: user.password)
      let shown = try begin(session, answer: theme.testDescription == "dark" ? "1" : "2")
      #expect(!shown.picture.contains("\u{1B}"))
      let screen = try ShownScreen(showing: shown.picture, theme: theme)
      let file = machine.folder + "/screen.pgm"
      try machine.write(screen.picture, to: file)
      let read = try Command.succeed([
        "/usr/bin/zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file,
      ])
      #expect(read == shown.url + "\n")
      #expect(!isEnrolled(machine, user))
      let codes = try finish(session, shown.phone)
      try expectSignedIn(session, user)
      #expect(!session.text.contains("Verification code"), "\(session.transcript)")

      let entries = try logged(machine, since: start)
      #expect(entries.map { $0.fields["result"] } == ["enrollment-pending", "enrolled"])
      #expect(entries.last?.fields["source"] == "sign-in")
      #expect(entries.last?.fields["rhost"] == "127.0.0.1")
      let auditLog = try machine.mustAdminister("audit-log", "show", "--user", user.name).text
      #expect(auditLog.contains("  enrolled  "), "\(auditLog)")
      #expect(auditLog.contains("  by \(user.name) via sshd  from 127.0.0.1\n"), "\(auditLog)")
      for entry in try machine.log.entries(since: start) {
        for secret in codes + [shown.phone.key, shown.url] {
          #expect(!entry.line.contains(secret))
        }
      }
      #expect(!server.log.contains(shown.phone.key))

      for answer in [try shown.phone.code(), codes[0]] {
        let next = try server.signIn(user.name, command: Self.command)
        try next.answer("Password: ", with: user.password)
        try next.answer("Verification code: ", with: answer)
        try expectSignedIn(next, user)
      }
    }

    @Test("enrolment works after a key, with a terminal")
    func keyThenCode() throws {
      let key = try machine.addLoginKey(for: user)
      let server = try server(machine, heading: "ssh: a key, then a code")
      let session = try server.signIn(user.name, command: Self.command, key: key)
      let shown = try begin(session)
      _ = try finish(session, shown.phone)
      try expectSignedIn(session, user)
      #expect(isEnrolled(machine, user))
      // A user without a key does not reach the enrolment.
      let stranger = try machine.addUser()
      let other = try server.signIn(stranger.name, command: Self.command)
      try expectRefused(other, stranger)
      #expect(!other.text.contains("1, 2 or 3"), "\(other.transcript)")
    }

    @Test("after a wrong password there is no enrolment")
    func wrongPassword() throws {
      let server = try server(machine)
      let session = try server.signIn(
        user.name, command: Self.command, options: ["NumberOfPasswordPrompts=1"])
      try session.answer("Password: ", with: "not the password")
      try expectRefused(session, user)
      #expect(!session.text.contains("1, 2 or 3"), "\(session.transcript)")
    }

    struct Mute: Sendable {
      let settings: [String]
      let asksPassword: Bool
      let reason: String
    }

    static let mute = [
      Mute(
        settings: ["AuthenticationMethods publickey"], asksPassword: false,
        reason: "not-authenticated-here"),
      Mute(
        settings: [
          "AuthenticationMethods password", "PasswordAuthentication yes",
          "KbdInteractiveAuthentication no",
        ], asksPassword: true, reason: "no-conversation"),
    ]

    @Test("if no prompt is possible, the sign-in is denied with an explanation", arguments: mute)
    func nobodyCanBeAsked(row: Mute) throws {
      let key = try machine.addLoginKey(for: user)
      let server = try server(machine, settings: row.settings)
      let start = try machine.log.position()
      let session = try server.signIn(
        user.name, command: Self.command, key: key, options: ["NumberOfPasswordPrompts=1"])
      if row.asksPassword {
        try session.answer("password: ", with: user.password)
      }
      try session.expect("have not added one")
      try session.expect("keyboard-interactive")
      try session.expect("mfa-enroll --ticket")
      try expectRefused(session, user)
      let entries = try logged(machine, since: start)
      #expect(entries.last?.fields["result"] == "enrollment-required")
      #expect(entries.last?.fields["reason"] == row.reason)
      #expect(!isEnrolled(machine, user))
    }

    @Test func login() throws {
      try machine.writeConfiguration(Self.required)
      try machine.changeService("login", authentication: try Services.lines())
      let session = try TerminalSession(["/bin/login"])
      try session.answer("login: ", with: user.name)
      try session.answer("Password: ", with: user.password)
      let shown = try begin(session, answer: "1")
      #expect(shown.picture.contains("\u{2588}"))
      _ = try finish(session, shown.phone)
      try session.answer("$ ", with: "exit")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(isEnrolled(machine, user))
    }

    @Test("su and sudo enrol although they pass PAM_SILENT; root's su enrols no user")
    func silentApplications() throws {
      let other = try machine.addUser()
      try machine.writeConfiguration(Self.required)
      try machine.changeService("sudo", authentication: try Services.lines())
      try machine.changeService("su", authentication: try Services.switchUserLines())
      let fromRoot = try TerminalSession(["/bin/su", other.name, "-c", "echo uid=$(id -un)"])
      try fromRoot.expect("uid=\(other.name)")
      #expect(try fromRoot.waitForExit().isSuccess, "\(fromRoot.transcript)")
      #expect(!fromRoot.text.contains("1, 2 or 3") && !isEnrolled(machine, other))

      let su = try TerminalSession(
        ["/bin/su", other.name, "-c", "echo uid=$(id -un)"], as: user.identity)
      try su.answer("Password: ", with: other.password)
      let shown = try begin(su)
      _ = try finish(su, shown.phone)
      try su.expect("uid=\(other.name)")
      #expect(try su.waitForExit().isSuccess, "\(su.transcript)")

      try machine.write("\(user.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/mfa", mode: "0440")
      let sudo = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: user.identity)
      try sudo.answer("assword", with: user.password)
      let own = try begin(sudo)
      _ = try finish(sudo, own.phone)
      try sudo.expect("root")
      #expect(try sudo.waitForExit() == .exited(0), "\(sudo.transcript)")
      #expect(isEnrolled(machine, user) && isEnrolled(machine, other))
    }

    static let onlyPhones = "factors = phone\nenrollment = required\n"

    /// Enrols a phone: the number, the code and the name.
    private func enroll(_ session: TerminalSession, _ phone: EnrollPhones.Phone) throws {
      try session.expect("Your provider may charge")
      try session.answer("such as +15105551234: ", with: phone.number)
      try session.expect("A code was sent to \(phone.masked).")
      try session.expect(EnrollPhones.codePrompt)
      try session.send(phone.wrongCode)
      try session.expect("Wrong code.")
      try session.answer(EnrollPhones.codePrompt, with: phone.code)
      _ = try session.expect(matching: #/Name for this device \[phone \d{4}-\d\d-\d\d\]: /#)
      try session.send("work")
      try session.expect("Your phone is added.")
      try session.answer("Press Enter when you have them: ", with: "")
    }

    @Test("where only phones are allowed, ssh enrols one, and the next sign-in sends it a code")
    func phone() throws {
      let phone = try EnrollPhones.Phone(on: machine, Self.onlyPhones)
      let server = try server(machine, configuration: nil)
      let session = try server.signIn(user.name, command: Self.command)
      try session.answer("Password: ", with: user.password)
      try enroll(session, phone)
      try expectSignedIn(session, user)
      #expect(isEnrolled(machine, user))
      #expect(!session.text.contains("authenticator app."), "\(session.transcript)")
      try SentCodesOfTests.age(user, 600)
      let next = try server.signIn(user.name, command: Self.command)
      try next.answer("Password: ", with: user.password)
      try next.answer("Type s to get a code sent", with: "s")
      try next.expect("A code was sent")
      try next.answer("Type s to get a code sent", with: phone.code)
      try expectSignedIn(next, user)
    }

    @Test("where only phones are allowed, sudo enrols one at the step-up")
    func phoneAtSudo() throws {
      let phone = try EnrollPhones.Phone(on: machine, Self.onlyPhones)
      try machine.changeService("sudo", authentication: try Services.lines())
      try machine.write("\(user.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/mfa", mode: "0440")
      let sudo = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: user.identity)
      try sudo.answer("assword", with: user.password)
      try enroll(sudo, phone)
      try sudo.expect("root")
      #expect(try sudo.waitForExit() == .exited(0), "\(sudo.transcript)")
      #expect(isEnrolled(machine, user))
    }

    @Test("where no code can be sent to a phone, the user reads what an administrator has to do")
    func phonesNotSetUp() throws {
      let server = try server(
        machine, configuration: "[project]\nregions = +1\n" + Self.onlyPhones)
      let start = try machine.log.position()
      let session = try server.signIn(
        user.name, command: Self.command, options: ["NumberOfPasswordPrompts=1"])
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: "123456")
      try session.expect("must first set gateway and regions in")
      try expectRefused(session, user)
      #expect(try logged(machine, since: start).last?.fields["reason"] == "no-gateway")
    }

    @Test("sudo without a password does not authenticate, so it enrols no factor")
    func withoutPassword() throws {
      try machine.writeConfiguration(Self.required)
      try machine.changeService("sudo", authentication: try Services.lines())
      try machine.write(
        "\(user.name) ALL=(ALL) NOPASSWD: ALL\n", to: "/etc/sudoers.d/mfa", mode: "0440")
      let session = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: user.identity)
      #expect(try !session.waitForExit().isSuccess, "\(session.transcript)")
      #expect(!session.text.contains("1, 2 or 3"), "\(session.transcript)")
      #expect(!isEnrolled(machine, user))
    }

    @Test("a user who disconnects or gives no code enrols nothing", arguments: [true, false])
    func givenUp(hangsUp: Bool) throws {
      let server = try server(machine)
      let session = try server.signIn(
        user.name, command: Self.command, options: ["NumberOfPasswordPrompts=1"])
      try session.answer("Password: ", with: user.password)
      let shown = try begin(session)
      if hangsUp {
        #expect(try !session.interrupt().isSuccess, "\(session.transcript)")
      } else {
        try session.send("")
        try session.expect("No device was added.")
        #expect(try !session.waitForExit().isSuccess, "\(session.transcript)")
      }
      // The next sign-in shows the same key, which may be in the user's app already.
      let again = try server.signIn(user.name, command: Self.command)
      try again.answer("Password: ", with: user.password)
      try again.expect("The key is the one that was shown ")
      let second = try begin(again)
      #expect(second.phone.key == shown.phone.key)
      #expect(!isEnrolled(machine, user))
      _ = try finish(again, second.phone)
      try expectSignedIn(again, user)
    }

    struct Stack: Sendable {
      let lines: [String]
      let finding: String
      let place: String?
    }

    static let stacks = [
      Stack(
        lines: ["@include common-auth", "auth required pam_mfa.so"],
        finding: "missing", place: nil),
      Stack(
        lines: [
          "@include common-auth", "auth required pam_mfa.so", "@include common-account",
          "account required pam_mfa.so",
        ], finding: "skippable", place: "/etc/pam.d/common-account:"),
      Stack(
        lines: [
          "@include common-auth", "auth required pam_mfa.so", "account optional pam_mfa.so",
        ], finding: "denial-ignored", place: "/etc/pam.d/sshd:"),
    ]

    @Test("without a reliable account line, users are prompted and denied", arguments: stacks)
    func noAccountLine(row: Stack) throws {
      let server = try server(machine)
      let text = machine.text(of: "/etc/pam.d/sshd")
      let lines = try Guide.blocks(under: Self.usual)[0].joined(separator: "\n")
      try machine.write(
        text.replacing(lines, with: row.lines.joined(separator: "\n")), to: "/etc/pam.d/sshd")
      let start = try machine.log.position()
      let session = try server.signIn(
        user.name, command: Self.command, options: ["NumberOfPasswordPrompts=1"])
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: "123456")
      try session.expect("have not added one")
      try expectRefused(session, user)
      let entries = try logged(machine, since: start)
      #expect(entries.first?.fields["result"] == "enrollment-required")
      #expect(entries.first?.fields["reason"] == "no-account-line")
      #expect(entries.first?.fields["account-line"] == row.finding)
      let place = entries.first?.fields["place"]
      if let expected = row.place {
        #expect(place?.hasPrefix(expected) == true, "\(entries)")
      } else {
        #expect(place == nil)
      }
      #expect(!session.text.contains("1, 2 or 3"), "\(session.transcript)")
    }

    @Test("a stack with only the module, and one that is not completed, sign in no user")
    func moduleAlone() throws {
      try machine.writeConfiguration(Self.required)
      let alone = try machine.makeService([
        "auth required pam_mfa.so", "account required pam_mfa.so",
      ])
      #expect(try PAMClient.signIn(service: alone, user: user.name).code != "PAM_SUCCESS")

      let service = try machine.makeService([
        "auth required pam_mfa.so", "auth required pam_permit.so", "account required pam_mfa.so",
      ])
      var options = PAMClient.Options()
      options.asksAccount = true
      let answers: [[PAMClient.Answer]] = [
        [.failure], [.noText], [.noAnswers], [.untouched], [.text("3"), .failure],
        [.text("3"), .text("")], [.text("3"), .text("a"), .text("b"), .text("c")],
        [.bytes([8, 10, 13, 127]), .text("1")],
        [.text("y"), .bytes([UInt8](repeating: 49, count: 600))],
      ]
      for (row, answers) in answers.enumerated() {
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: answers, options: options)
        #expect(outcome.results.first?.code == "PAM_SUCCESS", "\(row): \(outcome)")
        #expect(outcome.results.last?.code == "PAM_AUTH_ERR", "\(row): \(outcome)")
        #expect(outcome.results.count == 2, "\(row): \(outcome)")
        #expect(!isEnrolled(machine, user), "\(row)")
      }
    }

    @Test("password and one-time code in one answer are forwarded, and enrolment is not possible")
    func onePrompt() throws {
      let server = try server(machine, heading: "ssh: clients with one prompt")
      for (answer, reason) in [(user.password, "no-conversation"), ("wrong", nil)] {
        let start = try machine.log.position()
        let session = try server.signIn(
          user.name, command: Self.command, options: ["NumberOfPasswordPrompts=1"])
        try session.answer("password: ", with: answer)
        try expectRefused(session, user)
        let entries = try logged(machine, since: start)
        #expect(entries.first?.fields["result"] == "enrollment-pending")
        #expect(entries.dropFirst().first?.fields["reason"] == reason, "\(entries)")
      }
    }
  }
}
