import MFATestSupport
import Testing

extension EndToEnd {
  /// login, su and sudo at a terminal, with Debian's service files and the guide's lines.
  @Suite struct Services {
    static func lines() throws -> [String] { try Guide.blocks(under: "login, sudo, su")[0] }

    /// Returns the lines for su.
    static func switchUserLines() throws -> [String] {
      try Guide.blocks(under: "login, sudo, su")[1]
    }

    @Test func login() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.changeService("login", authentication: try Self.lines())
      let session = try TerminalSession(["/bin/login"])
      try session.answer("login: ", with: user.name)
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: try enrollment.phone.wrongCode())
      // Only the code is asked for again.
      try session.expect("Wrong code. Try again.\r\nVerification code: ")
      try session.send(try enrollment.phone.code())
      try session.answer("$ ", with: "id -un > ~/was-here; exit")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(machine.contents(of: user.home + "/was-here") == Array("\(user.name)\n".utf8))
    }

    @Test("su asks for the code of the target account, and asks root for none")
    func su() throws {
      let user = try machine.addUser()
      let (other, enrollment) = try machine.addEnrolledUser()
      try machine.changeService("su", authentication: try Self.switchUserLines())
      let code = try enrollment.phone.code()
      for isIn in [true, false] {
        let session = try TerminalSession(
          ["/bin/su", other.name, "-c", "echo uid=$(id -un)"], as: user.identity)
        try session.answer("Password: ", with: other.password)
        try session.answer("Verification code: ", with: code)
        if isIn {
          try session.expect("uid=\(other.name)")
        } else {
          try session.expect("That code has already been used.")
          for _ in 0..<2 {
            try session.answer("Verification code: ", with: "")
            try session.expect("That is not a code.")
          }
        }
        #expect(try session.waitForExit().isSuccess == isIn, "\(session.transcript)")
      }
      let fromRoot = try TerminalSession(["/bin/su", other.name, "-c", "echo uid=$(id -un)"])
      try fromRoot.expect("uid=\(other.name)")
      #expect(!fromRoot.text.contains("Verification code"), "\(fromRoot.transcript)")
    }

    @Test("sudo asks for the caller's code")
    func sudo() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.changeService("sudo", authentication: try Self.lines())
      try machine.write("\(user.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/mfa", mode: "0440")
      let session = try TerminalSession(["/usr/bin/sudo", "id", "-un"], as: user.identity)
      try session.answer("assword", with: user.password)
      try session.answer("Verification code: ", with: try enrollment.phone.wrongCode())
      // sudo passes PAM_SILENT, but users see that it was the code that was wrong.
      try session.expect("Wrong code. Try again.\r\nVerification code: ")
      try session.send(try enrollment.phone.code())
      try session.expect("root")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    @Test("sudo says above the question for a code what is asked, also with a text of the user")
    func sudoPrompt() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.changeService("sudo", authentication: try Self.lines())
      try machine.write("\(user.name) ALL=(ALL) ALL\n", to: "/etc/sudoers.d/mfa", mode: "0440")
      let line = "Now type a code."
      for (offset, options, questions) in [
        (-1, ["-p", "Word: "], ["Word: ", "Word: "]),
        (0, [], ["[sudo] password for \(user.name): ", "Verification code: "]),
      ] {
        let session = try TerminalSession(
          ["/usr/bin/sudo", "-k"] + options + ["id", "-un"], as: user.identity)
        try session.answer(questions[0], with: user.password)
        try session.expect("\(line)\r\n\(questions[1])")
        try session.send(try enrollment.phone.code(offset: offset))
        try session.expect("root")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      }
      // Without a terminal, the line is not among the output of the command.
      let code = try enrollment.phone.code(offset: 1)
      let command = try Command.run(
        ["/usr/bin/sudo", "-k", "-S", "id", "-un"],
        input: Array("\(user.password)\n\(code)\n".utf8),
        as: user.identity)
      #expect(command.text == "root\n" && command.errorText.contains(line), "\(command)")
    }
  }

  /// Real screen lockers, which run as the user whose screen they lock, on a display of their own.
  @Suite struct Lockers {
    /// A screen locker of Debian.
    enum Locker: CaseIterable {
      /// Shows no question, and gives every question of PAM the same answer.
      case i3lock
      /// Shows each question of PAM.
      case xsecurelock

      var program: String {
        switch self {
        case .i3lock: "/usr/bin/i3lock"
        case .xsecurelock: "/usr/bin/xsecurelock"
        }
      }

      var arguments: [String] {
        switch self {
        case .i3lock: ["--nofork", "--debug"]
        // The command runs when the screen is locked.
        case .xsecurelock: ["--", "/bin/echo", "locked"]
        }
      }

      /// What the locker prints when the screen is locked.
      var sign: String {
        switch self {
        case .i3lock: "device = "
        case .xsecurelock: "locked"
        }
      }

      var service: String {
        switch self {
        case .i3lock: "i3lock"
        case .xsecurelock: "xsecurelock"
        }
      }

      /// The lines of the guide.
      func stack() throws -> [String] {
        let blocks = try Guide.blocks(under: "Screen lockers")
        return blocks[self == .i3lock ? 0 : 1]
      }

      /// What the user types for a code, first or after a wrong one.
      func answers(password: String, code: String, isFirst: Bool) -> [String] {
        switch self {
        case .i3lock: [password + code]
        // Only a wrong code is asked for again.
        case .xsecurelock: isFirst ? [password, code] : [code]
        }
      }
    }

    /// A display without a screen, which only its user reaches.
    struct Display {
      private let server: TerminalSession
      let name: String

      init(of user: MachineUser) throws {
        server = try TerminalSession(
          [
            "/usr/bin/Xvfb", "-displayfd", "1", "-nolisten", "tcp", "-nolisten", "local", "-screen",
            "0", "640x480x24",
          ], as: user.identity)
        let number = try server.expect(matching: /^([0-9]+)\s/.anchorsMatchLineEndings()).output.1
        name = ":\(number)"
      }

      /// Types a text and Enter, as with a keyboard.
      func type(_ text: String, as user: MachineUser) throws {
        let variables = "DISPLAY=\(name)"
        try Command.succeed(
          ["/usr/bin/env", variables, "/usr/bin/xdotool", "type", text], as: user.identity)
        try Command.succeed(
          ["/usr/bin/env", variables, "/usr/bin/xdotool", "key", "Return"], as: user.identity)
      }
    }

    @Test(
      "a screen stays locked after a wrong code, and the password and a code unlock it",
      arguments: Locker.allCases)
    func unlocks(locker: Locker) throws {
      try machine.writeService(locker.service, try locker.stack())
      let (user, enrollment) = try machine.addEnrolledUser()
      let display = try Display(of: user)
      let session = try TerminalSession(
        [
          "/usr/bin/env", "DISPLAY=\(display.name)", "XSECURELOCK_PAM_SERVICE=\(locker.service)",
          locker.program,
        ] + locker.arguments, as: user.identity)
      try session.expect(locker.sign)
      let start = try machine.log.position()
      for (code, result) in [
        (try enrollment.phone.wrongCode(), "wrong"), (try enrollment.phone.code(), "accepted"),
      ] {
        let answers = locker.answers(
          password: user.password, code: code, isFirst: result == "wrong")
        for answer in answers {
          try display.type(answer, as: user)
        }
        _ = try machine.log.waitForEntry(containing: "result=\(result) ", since: start)
      }
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      let results = try OneCode.logged(machine, since: start)
        .filter { $0.fields["service"] == locker.service }.map { $0.fields["result"] }
      #expect(results == ["wrong", "accepted"])
    }
  }
}
