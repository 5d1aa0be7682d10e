import MFATestSupport
import Testing

extension EndToEnd {
  /// Whose account mfa-enroll is for, and where it asks.
  @Suite struct EnrollAccount {
    static let program = "/usr/bin/mfa-enroll"

    @Test(
      "without a terminal no password is read, unless a program says that it answers",
      arguments: [[], ["test"], ["unenroll", "phone"], ["recovery-codes", "--new"], ["resync"]])
    func withoutTerminal(arguments: [String]) throws {
      try Machine.use { machine in
        let (user, _) = try machine.addEnrolledUser()
        // A new session has no terminal, as with `ssh host mfa-enroll`.
        let command = try Command.run(
          ["/usr/bin/setsid", "--wait", Self.program] + arguments,
          input: Array("\(user.password)\n".utf8), as: user.identity)
        #expect(command.status == .exited(1))
        #expect(command.text.isEmpty)
        #expect(
          command.errorText.hasPrefix("mfa-enroll: error: There is no terminal to ask on.\nhint: "),
          "\(command.errorText)")
      }
    }

    @Test("at a terminal, a password is not read from a pipe")
    func pipeAtTerminal() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let session = try TerminalSession(
          ["/bin/sh", "-c", "echo wrong | \(Self.program) --name phone"], as: user.identity)
        try session.expect("Account: \(user.name) on ")
        try session.expect("Password: ")
        try session.send(user.password)
        try session.expect("Code from the app: ")
        try session.sendKeys([3])
        #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
        #expect(!session.text.contains("Wrong password"), "\(session.transcript)")
      }
    }

    @Test("with sudo, the user says for which account", arguments: [true, false])
    func sudo(forUser: Bool) throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        try machine.write(
          "\(user.name) ALL=(ALL) NOPASSWD: ALL\n", to: "/etc/sudoers.d/\(user.name)",
          mode: "0440")
        let root = MachineUser(name: "root", password: "the password of root")
        try machine.setPassword(root.password, of: root.name)
        machine.atTheEnd("remove root's factors") { try machine.forget(root) }
        let session = try TerminalSession(
          ["/usr/bin/sudo", Self.program, "--name", "phone"], as: user.identity)
        try session.expect("You used sudo. For which account, \(user.name) or root? ")
        try session.send("me")
        try session.expect("Type \(user.name) or root: ")
        let account = forUser ? user : root
        try session.send(account.name)
        try session.expect("Account: \(account.name) on ")
        // root need not prove who it is.
        if forUser {
          try session.expect("Password: ")
          try session.send(account.password)
        }
        try session.send(try session.keyOnScreen().phone.code())
        try session.expect("Done. Try it now, in another window: ssh \(account.name)@")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect((machine.contents(of: StoreFiles(of: account.name).record) != nil))
        let other = forUser ? root : user
        #expect(machine.contents(of: StoreFiles(of: other.name).record) == nil)
      }
    }

    @Test("root lists the devices of a user, and a user lists only its own")
    func named() throws {
      try Machine.use { machine in
        let (user, _) = try machine.addEnrolledUser()
        let other = try machine.addUser()
        let list = try Command.run([Self.program, "list", "--user", user.name])
        #expect(list.status == .exited(0) && list.text.contains("phone"), "\(list)")
        let refused = try Command.run(
          [Self.program, "list", "--user", user.name], as: other.identity)
        #expect(refused.status == .exited(1) && refused.text.isEmpty)
        #expect(refused.errorText.contains("Only root can use mfa-enroll for another account"))
        let unknown = try Command.run([Self.program, "list", "--user", "nobody-there"])
        #expect(unknown.errorText.contains("There is no account nobody-there on this host."))
      }
    }

    @Test("the system log gets no line from a run that changes nothing")
    func quiet() throws {
      try Machine.use { machine in
        let (user, _) = try machine.addEnrolledUser()
        let start = try machine.log.position()
        try Command.succeed([Self.program, "list"], as: user.identity)
        let entries = try machine.log.entries(since: start)
        #expect(entries.isEmpty, "\(entries.map(\.line))")
      }
    }

    @Test("messages follow the locale, and are English where it is not UTF-8")
    func language() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        func list(_ locale: String) throws -> Command {
          try Command.run(
            [Self.program, "list"], as: user.identity, environment: ["LC_ALL": locale])
        }
        #expect(try list("fr_FR.UTF-8").text == "\(user.name) n’a pas encore d’appareil.\n")
        #expect(
          try list("fr_FR.UTF-8").errorText
            == "conseil\u{a0}: Ajoutez-en un\u{a0}: mfa-enroll\n")
        #expect(try list("ja_JP.UTF-8").text == "\(user.name) にはまだデバイスがありません。\n")
        #expect(try list("fr_FR.ISO-8859-1").text == "\(user.name) has no device yet.\n")
        let session = try TerminalSession(
          [Self.program, "--name", "phone"], as: user.identity,
          environment: ["LC_ALL": "fr_FR.UTF-8"])
        try session.expect("Compte\u{a0}: \(user.name) sur ")
        try session.expect("Mot de passe\u{a0}: ")
        try session.sendKeys([3])
        _ = try session.waitForExit()
        #expect(try list("C").text == "\(user.name) has no device yet.\n")
        #expect(try list("de_DE.UTF-8").text == "\(user.name) has no device yet.\n")
      }
    }
  }
}
