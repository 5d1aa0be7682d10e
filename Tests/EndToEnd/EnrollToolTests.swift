import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// mfa-enroll at a terminal, as a user sees it, and in a script.
  @Suite struct EnrollTool {
    struct Row: Sendable, CustomTestStringConvertible {
      let rows: Int32
      let columns: Int32
      var environment: [String: String] = [:]
      /// Whether a picture is shown.
      let isDrawn: Bool
      var testDescription: String { "\(columns)×\(rows) \(environment)" }
    }

    static let rows = [
      Row(rows: 60, columns: 120, isDrawn: true),
      Row(rows: 24, columns: 80, isDrawn: true),
      Row(rows: 48, columns: 80, isDrawn: true),
      Row(rows: 60, columns: 120, environment: ["NO_COLOR": "1"], isDrawn: true),
      Row(
        rows: 60, columns: 120,
        environment: ["NO_COLOR": "1", "COLORFGBG": "0;15"], isDrawn: true),
      Row(rows: 24, columns: 30, isDrawn: false),
      Row(rows: 10, columns: 120, isDrawn: false),
      Row(rows: 60, columns: 120, environment: ["LANG": "C"], isDrawn: true),
      Row(rows: 24, columns: 80, environment: ["LANG": "C"], isDrawn: false),
      Row(rows: 60, columns: 120, environment: ["TERM": "dumb"], isDrawn: false),
    ]

    // A scanner reads the pictures in the tests of screens.
    @Test("the key on the terminal signs in, with and without a picture", arguments: rows)
    func isShown(row: Row) throws {
      let user = try machine.addUser()
      let service = try machine.makeService(OneCode.stack)
      let session = try TerminalSession(
        ["/usr/bin/mfa-enroll", "--name", "phone"], as: user.identity,
        environment: row.environment, rows: row.rows, columns: row.columns)
      try session.answer("Password: ", with: user.password)
      let drawn = try session.expect("Code from the app: ")
      let shown =
        row.environment["TERM"] == "dumb"
        ? try KeyOnScreen(text: drawn) : try session.keyOnScreen(isAsked: true)
      let phone = shown.phone
      #expect(shown.key.replacing(" ", with: "") == phone.key)
      #expect(shown.key.wholeMatch(of: /([A-Z2-7]{4} )*[A-Z2-7]{1,4}/) != nil)
      let module = row.environment["LANG"] == "C" ? "\u{1B}[0;40m  " : "\u{2580}"
      #expect(drawn.contains(module) == row.isDrawn, "\(session.transcript)")
      if !row.isDrawn {
        let text = drawn.replacing("\r\n", with: " ")
        #expect(text.contains("QR code"), "\(session.transcript)")
      }
      try session.send(try phone.wrongCode())
      try session.answer("Code from the app: ", with: try phone.code(offset: -1))
      try session.expect("was added")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(!session.text.contains(user.password))
      let outcome = try user.signIn(to: service, typing: try phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
    }

    @Test("Ctrl-C leaves nothing behind", arguments: ["Password: ", "Code from the app: "])
    func interrupted(at prompt: String) throws {
      let user = try machine.addUser()
      let session = try user.startEnroll("--name", "phone")
      try session.expect("Password: ")
      if prompt != "Password: " {
        try session.send(user.password)
        try session.expect(prompt)
      }
      try session.sendKeys([3])
      #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
      let files = StoreFiles(of: user.name)
      #expect(machine.contents(of: files.record) == nil)
      // The helper ends with its client: a new helper gets the lock and starts afresh.
      _ = try machine.enroll(user)
    }

    @Test("all hashes and numbers of digits work", arguments: Authenticator.Algorithm.allCases)
    func everyAlgorithm(algorithm: Authenticator.Algorithm) throws {
      let user = try machine.addUser()
      for digits in 6...8 {
        try machine.forget(user)
        let session = try TerminalSession(
          [
            "/usr/bin/mfa-enroll", "enroll", "--name", "phone", "--algorithm",
            algorithm.rawValue.lowercased(), "--digits", "\(digits)", "--period", "60",
          ], as: user.identity)
        try session.answer("Password: ", with: user.password)
        let phone = try session.keyOnScreen().phone
        #expect(phone.algorithm == algorithm && phone.digits == digits && phone.period == 60)
        try session.send(try phone.code(offset: -1))
        try session.keepRecoveryCodes()
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        let test = try user.runEnroll("test", "--stdin", input: "\(try phone.code())\n")
        #expect(test.status == .exited(0), "\(test.errorText)")
      }
    }

    @Test("stored files belong to the store's owner and group, whichever program created them")
    func owner() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      try machine.write(
        "\(enrollment.phone.key)\n\" TOTP_AUTH\n", to: other.home + "/.google_authenticator",
        owner: other.name, group: other.name, mode: "0600")
      try machine.mustAdminister("import", "--google-authenticator", "/home/", "--user", other.name)
      for name in [user.name, other.name] {
        let files = StoreFiles(of: name)
        #expect(
          try Command.succeed(["/usr/bin/stat", "-c", "%U %G %a", files.record, files.attempts])
            == "mfa mfa 600\nmfa mfa 600\n")
      }
    }

    @Test("both programs print the version of the change log", arguments: ["enroll", "admin"])
    func version(name: String) throws {
      let changes = String(
        decoding: FileManager.default.contents(
          atPath: Checkout.folder + "/packaging/CHANGELOG.md") ?? Data(), as: UTF8.self)
      let release = try #require(changes.firstMatch(of: /\n## (\d+\.\d+\.\d+)/)).output.1
      let program = name == "admin" ? "/usr/sbin/mfa-admin" : "/usr/bin/mfa-enroll"
      #expect(try Command.succeed([program, "--version"]) == "mfa-\(name) \(release)\n")
    }
  }

  /// Whose account mfa-enroll is for, and where it asks.
  @Suite struct EnrollAccount {
    static let program = "/usr/bin/mfa-enroll"

    @Test(
      "without a terminal no password is read, unless a program says that it answers",
      arguments: [[], ["test"], ["unenroll", "phone"], ["recovery-codes", "--new"], ["resync"]])
    func withoutTerminal(arguments: [String]) throws {
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

    @Test("at a terminal, a password is not read from a pipe")
    func pipeAtTerminal() throws {
      let user = try machine.addUser()
      let session = try TerminalSession(
        ["/bin/sh", "-c", "echo wrong | \(Self.program) --name phone"], as: user.identity)
      try session.expect("Account: \(user.name) on ")
      try session.answer("Password: ", with: user.password)
      try session.expect("Code from the app: ")
      try session.sendKeys([3])
      #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
      #expect(!session.text.contains("Wrong password"), "\(session.transcript)")
    }

    @Test("with sudo, the user says for which account", arguments: [true, false])
    func sudo(forUser: Bool) throws {
      let user = try machine.addUser()
      try machine.write(
        "\(user.name) ALL=(ALL) NOPASSWD: ALL\n", to: "/etc/sudoers.d/\(user.name)",
        mode: "0440")
      let root = MachineUser(name: "root", password: "the password of root")
      try machine.setPassword(root.password, of: root.name)
      machine.atTheEnd("remove root's factors") { try machine.forget(root) }
      let session = try TerminalSession(
        ["/usr/bin/sudo", Self.program, "--name", "phone"], as: user.identity)
      try session.answer("You used sudo. For which account, \(user.name) or root? ", with: "me")
      try session.expect("Type \(user.name) or root: ")
      let account = forUser ? user : root
      try session.send(account.name)
      try session.expect("Account: \(account.name) on ")
      // root need not prove who it is.
      if forUser {
        try session.answer("Password: ", with: account.password)
      }
      try session.send(try session.keyOnScreen().phone.code())
      try session.keepRecoveryCodes()
      try session.expect("Done. Try it now, in another window: mfa-enroll test")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect((machine.contents(of: StoreFiles(of: account.name).record) != nil))
      let other = forUser ? root : user
      #expect(machine.contents(of: StoreFiles(of: other.name).record) == nil)
    }

    @Test("root lists the devices of a user, and a user lists only its own")
    func named() throws {
      let (user, _) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let list = try Command.run([Self.program, "list", "--user", user.name])
      #expect(list.status == .exited(0) && list.text.contains("phone"), "\(list)")
      let refused = try other.runEnroll("list", "--user", user.name)
      #expect(refused.status == .exited(1) && refused.text.isEmpty)
      #expect(refused.errorText.contains("Only root can use mfa-enroll for another account"))
      let unknown = try Command.run([Self.program, "list", "--user", "nobody-there"])
      #expect(unknown.errorText.contains("There is no account nobody-there on this host."))
    }

    @Test("the system log gets no line from a run that changes nothing")
    func quiet() throws {
      let (user, _) = try machine.addEnrolledUser()
      let start = try machine.log.position()
      try user.mustEnroll("list")
      let entries = try machine.log.entries(since: start)
      #expect(entries.isEmpty, "\(entries.map(\.line))")
    }

    @Test("messages follow the locale, and are English where it is not UTF-8")
    func language() throws {
      let user = try machine.addUser()
      func list(_ locale: String) throws -> Command {
        try Command.run([Self.program, "list"], as: user.identity, environment: ["LC_ALL": locale])
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
