import MFATestSupport
import Testing

extension EndToEnd {
  /// The enrolment patterns, through a real sshd and login with the guide's lines: the auth line
  /// asks for a code, the account line counts and shows messages.
  @Suite struct Patterns {
    /// A service that asks for the password first.
    enum Door: String, CaseIterable, Sendable {
      case sshd, login
    }

    /// Begins a sign-in, and types the password.
    func knock(_ door: Door, _ user: MachineUser, _ server: PrivateServer?) throws
      -> TerminalSession
    {
      let session: TerminalSession
      if let server {
        session = try server.signIn(
          user.name, command: SecureShell.command, options: SecureShell.once)
      } else {
        session = try TerminalSession(["/bin/login"])
        try session.answer("login: ", with: user.name)
      }
      try session.answer("Password: ", with: user.password)
      return session
    }

    /// Waits until the user is signed in, and signs out.
    func expectSignedIn(_ door: Door, _ session: TerminalSession, _ user: MachineUser) throws {
      switch door {
      case .sshd: try SecureShell().expectEnd(.signedIn, session, user.name)
      case .login:
        try session.answer("$ ", with: "echo uid=$(id -un); exit")
        try session.expect("uid=\(user.name)")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      }
    }

    /// Installs both lines of the module in a service, and starts its server.
    func open(_ door: Door, on machine: Machine) throws -> PrivateServer? {
      switch door {
      case .sshd:
        return try SecureShell().server(machine, heading: "ssh: the password, then a code")
      case .login:
        try machine.changeService(
          "login", authentication: OneCode.lines(try Services.lines(), tries: 1))
        return nil
      }
    }

    @Test(
      "self-service: users are not asked before they enrol, and are always asked afterwards",
      arguments: Door.allCases)
    func selfService(door: Door) throws {
      let user = try machine.addUser()
      let server = try open(door, on: machine)
      let before = try knock(door, user, server)
      try expectSignedIn(door, before, user)
      #expect(!before.text.contains("Verification code"), "\(before.transcript)")
      #expect(!before.text.contains("mfa-enroll"), "\(before.transcript)")
      let enrollment = try machine.enroll(user)
      let after = try knock(door, user, server)
      try after.answer("Verification code: ", with: try enrollment.phone.code())
      try expectSignedIn(door, after, user)
    }

    @Test("offered: sign-ins are counted down, then a factor is required", arguments: Door.allCases)
    func offered(door: Door) throws {
      let user = try machine.addUser()
      let other = try machine.addUser()
      let server = try open(door, on: machine)
      try machine.writeConfiguration(
        "[project]\nenrollment = offered\noffer_sign_ins = 2\noffer_until = 2199-12-31\n")
      let start = try machine.log.position()
      for left in ["after 1 more sign-in", "from your next sign-in"] {
        // A wrong password does not count as a sign-in.
        let wrong = MachineUser(name: user.name, password: "not the password")
        let refused = try knock(door, wrong, server)
        try refused.expect(door == .sshd ? "Permission denied" : "Login incorrect")

        let session = try knock(door, user, server)
        try session.expect(
          "Protect your account with an authenticator app: mfa-enroll\r\nIt is required \(left) "
            + "or after 31 December 2199 (UTC)")
        try session.answer("type yes (Enter: later): ", with: "")
        try expectSignedIn(door, session, user)
        #expect(!session.text.contains("Verification code"), "\(session.transcript)")
      }
      let late = try knock(door, user, server)
      try late.expectOne(of: ["Verification code: ", "requires"])
      late.process.send(signal: 9)
      #expect(try !late.waitForExit().isSuccess, "\(late.transcript)")
      #expect(!late.text.contains("uid="), "\(late.transcript)")
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.compactMap { $0.fields["sign-ins-left"] } == ["1", "0"], "\(entries)")
      #expect(!entries.contains { $0.fields["result"] == "accepted" }, "\(entries)")

      // Another user still has both sign-ins, and enrols in time.
      let enrollment = try machine.enroll(other)
      let session = try knock(door, other, server)
      try session.answer("Verification code: ", with: try enrollment.phone.code())
      try expectSignedIn(door, session, other)
      #expect(!session.text.contains("authenticator app"), "\(session.transcript)")
    }

    @Test("offered: yes enrols at once, and what is given up is put off", arguments: Door.allCases)
    func offeredNow(door: Door) throws {
      let user = try machine.addUser()
      let server = try open(door, on: machine)
      try machine.writeConfiguration("[project]\nenrollment = offered\noffer_sign_ins = 2\n")
      let start = try machine.log.position()
      let givenUp = try knock(door, user, server)
      try givenUp.answer("type yes (Enter: later): ", with: "yes")
      try givenUp.answer("Type 1, 2 or 3: ", with: "3")
      try givenUp.answer("Code from the app: ", with: "")
      try givenUp.expect("No device was added. To add one later: mfa-enroll")
      try expectSignedIn(door, givenUp, user)
      let session = try knock(door, user, server)
      try session.answer("type yes (Enter: later): ", with: "y")
      try session.answer("Type 1, 2 or 3: ", with: "3")
      let text = try session.expect("Code from the app: ").replacing("\r\n", with: "\n")
      let url = String(try #require(text.firstMatch(of: /(otpauth:[^\n]+)\n\n/)).output.1)
      let phone = try Authenticator(url: url)
      try session.send(try phone.code(offset: -1))
      _ = try session.expect(matching: #/Name for this device \[phone \d{4}-\d\d-\d\d\]: /#)
      try session.send("")
      try session.answer("Press Enter when you have them: ", with: "")
      try expectSignedIn(door, session, user)
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.compactMap { $0.fields["sign-ins-left"] } == ["1"], "\(entries)")
      let next = try knock(door, user, server)
      try next.answer("Verification code: ", with: try phone.code())
      try expectSignedIn(door, next, user)
    }

    @Test("offered: sudo asks at the step-up, and a sign-in with a key alone is not counted")
    func offeredElsewhere() throws {
      let user = try machine.addUser()
      let key = try machine.addLoginKey(for: user)
      try machine.writeConfiguration("[project]\nenrollment = offered\noffer_sign_ins = 5\n")
      try machine.changeService("sudo", authentication: try Services.lines())
      try machine.write("\(user.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/mfa", mode: "0440")
      let blocks = try Guide.blocks(under: "ssh: the password, then a code")
      try machine.changeService("sshd", authentication: blocks[0])
      let server = try PrivateServer(
        on: machine, settings: ["AuthenticationMethods publickey"] + blocks[1])
      let start = try machine.log.position()
      for _ in 0..<2 {
        let session = try server.signIn(user.name, command: SecureShell.command, key: key)
        try SecureShell().expectEnd(.signedIn, session, user.name)
        #expect(!session.text.contains("type yes"), "\(session.transcript)")
      }
      let sudo = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: user.identity)
      try sudo.answer("assword", with: user.password)
      try sudo.answer("type yes (Enter: later): ", with: "")
      try sudo.expect("root")
      #expect(try sudo.waitForExit() == .exited(0), "\(sudo.transcript)")
      let entries = try OneCode.logged(machine, since: start)
      #expect(
        entries.compactMap { $0.fields["sign-ins-left"] } == ["5", "5", "4"], "\(entries)")
    }

    @Test("incremental: a tenant requires a code for sudo, and other sign-ins require none")
    func incremental() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let stranger = try machine.addUser()
      let server = try open(.sshd, on: machine)
      try machine.changeService("sudo", authentication: try Services.lines())
      try machine.write(
        "\(user.name) ALL=(ALL) ALL\n\(stranger.name) ALL=(ALL) ALL\n",
        to: "/etc/sudoers.d/mfa", mode: "0440")
      try machine.writeConfiguration(
        """
        [tenant sign-ins]
        services = sshd, login
        state = disabled
        [tenant step-up]
        services = sudo
        enrollment = required

        """)
      let start = try machine.log.position()
      for (person, code) in [(user, try enrollment.phone.code()), (stranger, nil)] {
        let session = try #require(server).signIn(
          person.name, command: "sudo -k; echo uid=$(id -un); sudo id -un",
          options: ["RequestTTY=force", "NumberOfPasswordPrompts=1"])
        try session.answer("Password: ", with: person.password)
        try session.expect("uid=\(person.name)")
        try session.answer("assword", with: person.password)
        if let code {
          try session.answer("Verification code: ", with: code)
          try session.expect("root")
          #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        } else {
          try session.expect("requires")
          session.process.send(signal: 9)
          #expect(try !session.waitForExit().isSuccess, "\(session.transcript)")
          #expect(!session.text.contains("root"), "\(session.transcript)")
        }
      }
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.compactMap { $0.fields["factor"] } == [enrollment.factor], "\(entries)")
      #expect(entries.first?.fields["result"] == "accepted", "\(entries)")
      #expect(entries.allSatisfy { $0.fields["service"] == "sudo" }, "\(entries)")
    }

    /// A substitute loginctl that records its arguments in the user's home folder.
    static let loginctl = """
      #!/bin/sh
      printf '%s\\n' "$*" >>"$HOME/noted"
      case "$*" in
        *list-sessions)
          printf '    c1 %s name  seat0 tty1\\n' "$(id -u)"
          printf '    c2 %s name        pts/0\\n     7    0 root  seat0 tty2\\n' "$(id -u)"
          printf '    c3 %s name\\n' "$(id -u)" ;;
        *c3) exit ${STUBBORN:-0} ;;
      esac

      """

    struct Unenrollment: Sendable, CustomTestStringConvertible {
      var ends = true
      var environment = ["XDG_SESSION_ID": "c2"]
      /// Whether the newest of two factors is removed, or the other one.
      var isNewest = true
      let calls: [String]
      let told: String
      var testDescription: String { "\(environment)" }
    }

    @Test("the question before a removal says what ends with it")
    func saysWhatEnds() throws {
      let (user, first) = try machine.addEnrolledUser()
      _ = try machine.enroll(
        user, named: "second", presentCode: try first.phone.code(offset: -3),
        confirmedAt: 0)
      try machine.write(Self.loginctl, to: "/usr/bin/loginctl", mode: "0755")
      for (setting, device, says) in [
        ("on", "second", true), ("on", "phone", false), ("off", "second", false),
      ] {
        try machine.writeConfiguration("[project]\nend_sessions_on_unenroll = \(setting)\n")
        let session = try TerminalSession(
          ["/usr/bin/mfa-enroll", "unenroll", device], as: user.identity,
          environment: ["XDG_SESSION_ID": "c2"])
        try session.expect("Remove '\(device)'? [y/N] ")
        try session.send("n")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect(
          session.text.contains("Its removal ends your other sessions on this host") == says,
          "\(session.transcript)")
        #expect(!session.text.contains("remembered"), "\(session.transcript)")
        #expect(machine.text(of: user.home + "/noted").isEmpty)
      }
    }

    static let unenrollments = [
      Unenrollment(
        calls: [
          "--no-legend --no-pager list-sessions", "terminate-session c1", "terminate-session c3",
        ], told: "2 other sessions on this host were ended."),
      Unenrollment(
        environment: ["XDG_SESSION_ID": "c2", "STUBBORN": "1"],
        calls: [
          "--no-legend --no-pager list-sessions", "terminate-session c1", "terminate-session c3",
        ], told: "1 other session could not be ended. End it yourself."),
      // The current session is unknown.
      Unenrollment(
        environment: [:], calls: ["--no-legend --no-pager list-sessions"],
        told: "Your other sessions on this host continue. End them"),
      Unenrollment(ends: false, calls: [], told: "That was your newest device."),
      Unenrollment(isNewest: false, calls: [], told: "was removed."),
    ]

    @Test(
      "removing the newest factor signs the user out, and ends other sessions if policy says so",
      arguments: unenrollments)
    func sessionsEnd(row: Unenrollment) throws {
      let (user, first) = try machine.addEnrolledUser()
      _ = try machine.enroll(
        user, named: "second", presentCode: try first.phone.code(offset: -3),
        confirmedAt: 0)
      try machine.write(Self.loginctl, to: "/usr/bin/loginctl", mode: "0755")
      try machine.writeConfiguration(
        "[project]\nend_sessions_on_unenroll = \(row.ends ? "on" : "off")\n")
      let session = try TerminalSession(
        ["/usr/bin/mfa-enroll", "unenroll", row.isNewest ? "second" : "phone", "--yes"],
        as: user.identity, environment: row.environment)
      try session.answer("Password: ", with: user.password)
      try session.expect("Code from a device you have already enrolled: ")
      try session.send(try first.phone.code())
      try session.expect("was removed")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(session.text.contains(row.told), "\(session.transcript)")
      #expect(
        session.text.contains("That was your newest device.") == row.isNewest,
        "\(session.transcript)")
      let noted = machine.text(of: user.home + "/noted")
      #expect(noted.split(separator: "\n").map(String.init) == row.calls)
    }
  }
}
