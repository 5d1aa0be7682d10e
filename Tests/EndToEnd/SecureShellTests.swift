import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// A real sshd, configured with the guide's lines.
  @Suite struct SecureShell {
    /// The result of a sign-in.
    enum End {
      case signedIn, refused
    }

    func server(
      _ machine: Machine, heading: String, settings: [String] = [], tries: Int = 1
    ) throws -> PrivateServer {
      let blocks = try Guide.blocks(under: heading)
      try machine.changeService("sshd", authentication: OneCode.lines(blocks[0], tries: tries))
      return try PrivateServer(on: machine, settings: settings + blocks[1])
    }

    /// Waits until a client that runs `id -un` has ended.
    func expectEnd(_ end: End, _ session: TerminalSession, _ name: String) throws {
      switch end {
      case .signedIn:
        try session.expect("uid=\(name)")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      case .refused:
        #expect(try session.waitForExit() == .exited(255), "\(session.transcript)")
        #expect(!session.text.contains("uid="), "\(session.transcript)")
      }
    }

    static let command = "echo uid=$(id -un)"
    static let once = ["NumberOfPasswordPrompts=1"]

    @Test("the password, then a code: wrong, correct, used and next codes")
    func passwordThenCode() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let server = try server(machine, heading: "ssh: the password, then a code", tries: 3)
      let start = try machine.log.position()
      let code = try enrollment.phone.code()
      let session = try server.signIn(user.name, command: Self.command)
      try session.answer("Password: ", with: user.password)
      try session.answer("Verification code: ", with: try enrollment.phone.wrongCode())
      // Only the code is asked for again.
      try session.answer("Wrong code. Try again.\r\nVerification code: ", with: code)
      try expectEnd(.signedIn, session, user.name)

      let replay = try server.signIn(user.name, command: Self.command)
      try replay.answer("Password: ", with: user.password)
      try replay.answer("Verification code: ", with: code)
      try replay.expect("That code has already been used. Use the next one.")
      try replay.answer("Verification code: ", with: try enrollment.phone.code(offset: 1))
      try expectEnd(.signedIn, replay, user.name)

      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.map { $0.fields["result"] } == ["wrong", "accepted", "replayed", "accepted"])
      #expect(entries.allSatisfy { $0.fields["rhost"] == "127.0.0.1" })
      #expect(entries.allSatisfy { $0.fields["service"] == "sshd" })
      #expect(entries.dropFirst().first?.fields["factor"] == enrollment.factor)
      #expect(!session.text.contains(code) && !server.log.contains(code))
    }

    @Test("after a wrong password there is no code prompt and no failed attempt")
    func wrongPassword() throws {
      let (user, _) = try machine.addEnrolledUser()
      let server = try server(machine, heading: "ssh: the password, then a code")
      let session = try server.signIn(user.name, command: Self.command, options: Self.once)
      try session.answer("Password: ", with: "not the password")
      try expectEnd(.refused, session, user.name)
      #expect(!session.text.contains("Verification code"), "\(session.transcript)")
      #expect(try StoreFiles(of: user.name).failures() == 0)
    }

    @Test("a key, then a code")
    func keyThenCode() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let key = try machine.addLoginKey(for: user)
      let server = try server(machine, heading: "ssh: a key, then a code")
      let session = try server.signIn(user.name, command: Self.command, key: key)
      try session.answer("Verification code: ", with: try enrollment.phone.code())
      try expectEnd(.signedIn, session, user.name)
      #expect(!session.text.contains("Password"), "\(session.transcript)")

      let withoutKey = try server.signIn(user.name, command: Self.command)
      try expectEnd(.refused, withoutKey, user.name)
      #expect(!withoutKey.text.contains("Verification code"), "\(withoutKey.transcript)")

      // A user without a factor signs in with the key alone.
      let stranger = try machine.addUser()
      let strangersKey = try machine.addLoginKey(for: stranger)
      let other = try server.signIn(stranger.name, command: Self.command, key: strangersKey)
      try expectEnd(.signedIn, other, stranger.name)
    }

    @Test("password and code in one answer, for clients with one prompt")
    func onePrompt() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let stranger = try machine.addUser()
      let server = try server(machine, heading: "ssh: clients with one prompt")
      struct Row {
        let user: MachineUser
        let answer: String
        let end: End
      }
      let codes = try enrollment.phone.codes(fromStep: enrollment.phone.step(), count: 3)
      let rows = [
        Row(user: user, answer: user.password + codes[0], end: .signedIn),
        Row(user: user, answer: user.password + codes[0], end: .refused),
        Row(user: user, answer: user.password, end: .refused),
        Row(user: user, answer: codes[1], end: .refused),
        Row(user: user, answer: "wrong" + codes[2], end: .refused),
        Row(user: stranger, answer: stranger.password, end: .signedIn),
        Row(user: stranger, answer: "wrong", end: .refused),
      ]
      for row in rows {
        let session = try server.signIn(row.user.name, command: Self.command, options: Self.once)
        try session.answer("password: ", with: row.answer)
        do { try expectEnd(row.end, session, row.user.name) } catch {
          Issue.record("\(row): \(error)")
        }
      }
    }

    @Test("users without a factor sign in, and unknown users and root are denied")
    func others() throws {
      let stranger = try machine.addUser()
      let server = try server(machine, heading: "ssh: the password, then a code")
      let session = try server.signIn(stranger.name, command: Self.command)
      try session.answer("Password: ", with: stranger.password)
      try expectEnd(.signedIn, session, stranger.name)
      #expect(!session.text.contains("Verification code"), "\(session.transcript)")

      let unknown = try server.signIn(
        "nobody-of-that-name", command: Self.command, options: Self.once)
      try unknown.answer("Password: ", with: "whatever")
      try expectEnd(.refused, unknown, "nobody-of-that-name")
      #expect(try server.isRunning())
      #expect(!server.log.contains("fatal"), "\(server.log)")
    }

    @Test("for a user whom sshd denies, the module receives no real answer")
    func withheld() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      // sshd passes a placeholder answer to PAM, which must be denied although the typed code is
      // correct.
      let server = try server(
        machine, heading: "ssh: a key, then a code",
        settings: ["DenyUsers \(user.name)", "AuthenticationMethods keyboard-interactive"],
        tries: 3)
      let start = try machine.log.position()
      let session = try server.signIn(user.name, command: Self.command, options: Self.once)
      for _ in 0..<3 {
        try session.answer("Verification code: ", with: try enrollment.phone.code())
      }
      try expectEnd(.refused, session, user.name)
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.first?.fields["result"] == "not-a-code", "\(entries)")
      #expect(entries.first?.fields["answer"] == "withheld-by-sshd", "\(entries)")
      #expect(try StoreFiles(of: user.name).failures() == 0)
      #expect(!server.log.contains("fatal"), "\(server.log)")
    }

    @Test("PermitRootLogin keeps root from signing in", arguments: ["no", "prohibit-password"])
    func root(setting: String) throws {
      try machine.keep("/etc/shadow")
      try machine.setPassword("the password of root", of: "root")
      let server = try server(
        machine, heading: "ssh: the password, then a code",
        settings: ["PermitRootLogin \(setting)"])
      let session = try server.signIn("root", command: Self.command, options: Self.once)
      try session.answer("Password: ", with: "the password of root")
      try expectEnd(.refused, session, "root")
      #expect(!session.text.contains("Verification code"), "\(session.transcript)")
      #expect(!server.log.contains("fatal"), "\(server.log)")
    }

    @Test("root enrols without a password")
    func rootEnrolls() throws {
      try machine.keep("/etc/shadow")
      let root = MachineUser(name: "root", password: "the password of root")
      try machine.setPassword(root.password, of: root.name)
      machine.atTheEnd("remove root's factors") { try machine.forget(root) }
      let enrollment = try machine.enroll(root)
      #expect(try StoreFiles(of: "root").failures() == 0)
      #expect(enrollment.identifier.count == 16)
    }
  }

  /// What explain says about sshd's settings, compared with real sign-ins with a key and nothing else.
  @Suite struct SecureShellRules {
    /// Settings of sshd, and what they mean for a user.
    struct Row: Sendable {
      /// Lines for sshd, in which USER and GROUP stand for a user and the user's group.
      let lines: [String]
      /// Whether the user is root.
      var isRoot = false
      /// The decision of explain.
      let decision: String
    }

    private static let key = "AuthenticationMethods publickey"

    static let rows = [
      Row(lines: [], decision: "asked"),
      Row(lines: ["Match User USER", key], decision: "allowed"),
      Row(lines: ["Match User nobody-has-this-name", key], decision: "asked"),
      // An exempt group, as a service account is in one.
      Row(lines: ["Match Group GROUP", key], decision: "allowed"),
      Row(lines: ["Match Group x,!GROUP", key], decision: "asked"),
      Row(lines: ["Match Address 127.0.0.0/8", key], decision: "allowed"),
      Row(lines: ["Match Address 192.168.0.0/16", key], decision: "asked"),
      Row(lines: ["Match User USER Address !127.0.0.1,*", key], decision: "asked"),
      Row(
        lines: ["Match User USER", "AuthenticationMethods publickey,keyboard-interactive"],
        decision: "asked"),
      Row(lines: ["Match User USER", "AuthenticationMethods any"], decision: "asked"),
      // The first value counts.
      Row(
        lines: [
          "Match User *", "AuthenticationMethods keyboard-interactive", "Match User USER", key,
        ],
        decision: "asked"),
      Row(lines: ["Match User USER", "KbdInteractiveAuthentication no"], decision: "denied"),
      Row(lines: ["Match User USER", "KbdInteractiveAuthentication no", key], decision: "allowed"),
      Row(lines: ["PermitRootLogin prohibit-password"], isRoot: true, decision: "denied"),
      Row(lines: ["PermitRootLogin yes"], isRoot: true, decision: "asked"),
      Row(lines: ["PermitRootLogin no", "Match User root", key], isRoot: true, decision: "denied"),
      Row(
        lines: ["PermitRootLogin prohibit-password", "Match User root", key],
        isRoot: true, decision: "allowed"),
    ]

    @Test("explain says of sshd's settings what a sign-in with a key does", arguments: rows)
    func agrees(row: Row) throws {
      try Doctor.setUp(machine)
      let user =
        row.isRoot
        ? MachineUser(name: "root", password: "Pass of root!")
        : try machine.addUser()
      if row.isRoot {
        try machine.keep("/etc/shadow")
        try machine.keep("/root/.ssh")
        try machine.setPassword(user.password, of: user.name)
      }
      _ = try machine.enroll(user)
      machine.atTheEnd("forget \(user.name)") { try machine.forget(user) }
      let key = try machine.addLoginKey(for: user)
      let lines = row.lines.map {
        $0.replacing("USER", with: user.name).replacing("GROUP", with: user.name)
      }
      // Before 00-mfa.conf: sshd accepts "any" only if no method was listed yet.
      try machine.write(
        lines.map { $0 + "\n" }.joined(), to: "/etc/ssh/sshd_config.d/00-exemptions.conf")
      let command = try machine.administer(
        "explain", "--user", user.name, "--service", "sshd", "--rhost", "127.0.0.1", "--json")
      let explanation = try #require(
        try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
        "\(command)")
      #expect(explanation["decision"] as? String == row.decision, "\(command.text)")

      let server = try PrivateServer(
        on: machine, settings: ["Include /etc/ssh/sshd_config.d/*.conf"])
      let session = try server.signIn(
        user.name, command: "echo uid=$(id -un)", key: key, options: ["BatchMode=yes"])
      let isOpen = try session.waitForExit() == .exited(0)
      // A key is enough with "AuthenticationMethods any" too, but others are asked for a code.
      let isException =
        (explanation["exceptions"] as? [[String: Any]] ?? []).contains {
          $0["finding"] as? String == "methods-without-code"
        }
      #expect(
        isOpen == (isException || row.decision == "allowed"),
        "\(session.transcript) \(command.text) \(server.log)")
    }
  }
}
