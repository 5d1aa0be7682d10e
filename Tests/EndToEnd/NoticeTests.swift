import Glibc
import MFATestSupport
import Testing

extension EndToEnd {
  /// Notices of factor changes: when they are shown, confirmed and mailed.
  @Suite struct Notices {
    private static let question = "Type yes if you have read this: "
    private static let notice = "New device 'pixel' was added from"
    private static let stays =
      "These notices are shown until you sign in with a device that\nyou had before."

    /// Answers the password prompt and the code prompt.
    private func prove(
      _ session: TerminalSession, _ user: MachineUser, _ code: String
    ) throws {
      try session.expect("Password: ")
      try session.send(user.password)
      try session.expect("One-time code: ")
      try session.send(code)
    }

    private func leave(_ session: TerminalSession, _ user: MachineUser) throws {
      try session.expect("$ ")
      try session.send("echo uid=$(id -un); exit")
      try session.expect("uid=\(user.name)")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    @Test("an attacker's factor cannot hide notices from the owner, through ssh and scp")
    func attackersFactor() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let phone = enrollment.phone
        let server = try SecureShell().server(machine, heading: "ssh: the password, then a code")
        let pixel = try machine.enroll(
          user, named: "pixel", presentCode: try phone.code(offset: -4)
        ).phone

        // The attacker runs a command, copies a file, and opens a shell.
        let command = try server.signIn(user.name, command: SecureShell.command)
        try prove(command, user, try pixel.code(offset: -4))
        try SecureShell().expectEnd(.signedIn, command, user.name)
        #expect(!command.text.contains(Self.question), "\(command.transcript)")
        try machine.write("text\n", to: machine.folder + "/file", mode: "0644")
        let copy = try server.copy(machine.folder + "/file", to: "copied", of: user.name)
        try prove(copy, user, try pixel.code(offset: -3))
        #expect(try copy.waitForExit() == .exited(0), "\(copy.transcript)")
        #expect(machine.contents(of: user.home + "/copied") == Array("text\n".utf8))
        let shell = try server.signIn(user.name)
        try prove(shell, user, try pixel.code(offset: -2))
        try shell.expect(Self.notice)
        try leave(shell, user)

        // The owner does not answer at first.
        let first = try server.signIn(user.name, command: SecureShell.command)
        try prove(first, user, try phone.code(offset: -3))
        try first.expect(Self.notice)
        try first.expect(Self.question)
        try first.send("")
        try SecureShell().expectEnd(.signedIn, first, user.name)
        let second = try server.copy(machine.folder + "/file", to: "copied", of: user.name)
        try prove(second, user, try phone.code(offset: -2))
        try second.expect(Self.notice)
        try second.expect(Self.question)
        try second.send("yes")
        #expect(try second.waitForExit() == .exited(0), "\(second.transcript)")
        let third = try server.signIn(user.name)
        try prove(third, user, try phone.code(offset: -1))
        try leave(third, user)
        #expect(!third.text.contains(Self.notice), "\(third.transcript)")
        let last = try server.signIn(user.name)
        try prove(last, user, try pixel.code(offset: -1))
        try leave(last, user)
        #expect(!last.text.contains(Self.notice), "\(last.transcript)")
      }
    }

    @Test("~/.hushlogin hides no unconfirmed notice")
    func hushLogin() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let server = try SecureShell().server(machine, heading: "ssh: the password, then a code")
        _ = try machine.enroll(
          user, named: "pixel", presentCode: try enrollment.phone.code(offset: -4))
        try machine.write(
          "", to: user.home + "/.hushlogin", owner: user.name, group: user.name, mode: "0644")
        let session = try server.signIn(user.name)
        try prove(session, user, try enrollment.phone.code(offset: -3))
        try session.expect(Self.notice)
        try session.expect(Self.question)
        try session.send("yes")
        try leave(session, user)
      }
    }

    @Test("login shows a notice once, because it controls the terminal")
    func login() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        _ = try Patterns().open(.login, on: machine)
        _ = try machine.enroll(
          user, named: "pixel", presentCode: try enrollment.phone.code(offset: -4))
        for (offset, isShown) in [(-3, true), (-2, false)] {
          let session = try TerminalSession(["/bin/login"])
          try session.expect("login: ")
          try session.send(user.name)
          try prove(session, user, try enrollment.phone.code(offset: offset))
          try leave(session, user)
          #expect(session.text.contains(Self.notice) == isShown, "\(session.transcript)")
          #expect(!session.text.contains(Self.question), "\(session.transcript)")
        }
      }
    }

    @Test("a new factor is mailed at once, by a process that the caller does not control")
    func mailAtOnce() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let file = machine.folder + "/mailed"
        try machine.write("", to: file, mode: "0666")
        // The mailer's parent is the helper process that sends mail.
        try machine.write(
          """
          #!/bin/sh
          { cat; cat /proc/$PPID/status; } >\(file)
          logger -u /dev/log -p mail.info -t sendmail mailed=yes

          """, to: "/usr/sbin/sendmail", mode: "0755")
        let start = try machine.log.position()
        let helper = try HelperSession(as: user)
        _ = try helper.greet()
        _ = try helper.prove(
          password: user.password, code: try enrollment.phone.code(offset: -4))
        let secret = try #require(try helper.ask(5, [1], [6], [0, 30])?.fields.first)
        let pixel = Authenticator(key: Base32.text(secret))
        let answer = try helper.ask(6, Array(try pixel.code().utf8), Array("pixel".utf8))
        #expect(answer?.kind == 0x86, "\(String(describing: answer))")
        _ = try machine.log.waitForEntry(containing: "mailed=", since: start)
        let mail = String(decoding: machine.contents(of: file) ?? [], as: UTF8.self)
        #expect(mail.contains("  New device 'pixel' was added from "), "\(mail)")
        let number = try Command.succeed(["/usr/bin/id", "-u", "mfa"]).dropLast()
        #expect(mail.contains("Uid:\t\(number)\t\(number)\t\(number)\t"), "\(mail)")
        #expect(mail.contains("SigBlk:\t0000000000000000\n"), "\(mail)")
        helper.send(11)
        _ = try helper.waitForExit()
      }
    }
  }
}
