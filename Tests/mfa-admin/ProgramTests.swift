import MFAAdminTestSupport
import MFAStore
import MFAModel
import Foundation
import MFABase
import MFATestSupport
import Testing

/// The installed mfa-admin, run by root and by other users.
@Suite(.privateMachine, .serialized) struct ProgramTests {
  static let program = "/usr/sbin/mfa-admin"

  func run(
    _ arguments: [String], as identity: Identity = .current, environment: [String: String] = [:]
  ) throws -> Command {
    try Command.run([Self.program] + arguments, as: identity, environment: environment)
  }

  /// Stores two factors for a user, as if the user had enrolled.
  func enroll(_ user: MachineUser, failures: UInt32 = 0, lastFailure: Int64 = 0) throws {
    let name = Array(user.name.utf8)
    guard let account = try Account.named(name), let location = StoreLocation.standard else {
      throw TestMistake(what: user.name)
    }
    let entry = try LocalFactorStore(location).entry(of: account, creating: true)
    let factors = [
      try factor(try id(0xAB, 0xCD), "phone"), try factor(try id(0xEF), "my \u{E9}cran"),
    ]
    let record = try record(user.name, uid: account.uid, factors)
    let attempts = AttemptState(
      record: record.id, failures: failures, lastFailure: lastFailure,
      watermarks: factors.map { AttemptState.Watermark(factor: $0.id, step: 56_666_667) })
    _ = try entry.replace(record: record, attempts: attempts, entering: nil)
  }

  func discard(_ user: MachineUser) throws {
    guard let location = StoreLocation.standard else { return }
    let event = AuditLogEvent(
      .revoked,
      by: AuditLogEvent.Actor(
        name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: .unknown), at: 0)
    _ = try LocalFactorStore(location)
      .discard(user: try userName(user.name), account: nil, entering: event)
  }

  /// Provides a machine with an enrolled user.
  func withEnrolled(_ body: (Machine, MachineUser) throws -> Void) throws {
    try Machine.use { machine in
      let user = try machine.addUser()
      machine.atTheEnd("revoke") { try discard(user) }
      try enroll(user)
      try body(machine, user)
    }
  }

  /// Command lines that are rejected, and the command whose help is suggested.
  static let misuse: [(Int, [String], String)] = [
    (1, ["show"], "show "), (2, ["list", "extra"], "list "), (3, ["no-such-command"], ""),
    (4, ["list", "--yaml"], "list "), (5, ["revoke"], "revoke "),
    (6, ["revoke", "alice", "phone", "--all"], "revoke "), (7, ["unlock", "a", "b"], "unlock "),
    (8, ["show", "\u{1B}[2J", "\u{1B}[2J"], "show "),
    (9, ["explain", "--user", "alice", "--service", "../sshd"], "explain "),
    (10, ["audit-log", "verify", "--expect", "x"], "audit-log verify "),
    (11, ["audit-log", "show", "--since", "yesterday"], "audit-log show "),
    (12, ["config", "frobnicate"], "config "), (13, ["--yaml", "list"], ""),
    (14, ["bypass", "alice", "--reason", "x", "--for", "90d"], "bypass "),
    (15, ["enable", "--no-confirm", "--confirm-within", "5m", "sudo"], "enable "),
  ]

  @Test(arguments: misuse)
  func misused(_ number: Int, _ arguments: [String], _ subject: String) throws {
    let command = try run(arguments)
    #expect(command.status == .exited(64), "case \(number)")
    #expect(command.output.isEmpty, "case \(number)")
    #expect(command.errorText.hasPrefix("mfa-admin: error: "), "case \(number)")
    #expect(
      command.errorText.hasSuffix("\nmfa-admin: hint: mfa-admin \(subject)--help\n"),
      "case \(number): \(command.errorText)")
    #expect(isHarmless(command.errorText), "case \(number)")
  }

  @Test func helpAndVersionNeedNoPrivilege() throws {
    try Machine.use { machine in
      let user = try machine.addUser()
      for arguments in [["--help"], ["list", "--help"], ["revoke", "--help"], ["--version"], []] {
        let command = try run(arguments, as: user.identity)
        #expect(command.status == .exited(0), "\(arguments)")
        #expect(!command.output.isEmpty && command.errors.isEmpty, "\(arguments)")
        guard arguments.last == "--help" else { continue }
        for status in ["0", "1", "2", "64", "77"] {
          #expect(command.text.contains("\n  \(status) "), "\(arguments)")
        }
      }
    }
  }

  @Test func otherUsersAreRefused() throws {
    try withEnrolled { machine, user in
      for arguments in [
        ["list"], ["show", user.name], ["revoke", user.name, "--all", "--yes"],
        ["unlock", user.name],
      ] {
        let command = try run(arguments, as: user.identity)
        #expect(command.status == .exited(77))
        #expect(command.output.isEmpty)
        let hint = "mfa-admin: hint: sudo mfa-admin \(arguments.joined(separator: " "))\n"
        #expect(command.errorText.hasSuffix(hint))
      }
      #expect(try run(["show", user.name]).status == .exited(0))
    }
  }

  @Test func listsAndShows() throws {
    try withEnrolled { machine, user in
      let list = try run(["list"])
      #expect(list.status == .exited(0))
      #expect(list.text.contains("\n\(user.name)  "))
      #expect(list.text.contains("  phone, my \u{E9}cran  2023-11-14 22:13  0      open\n"))
      let show = try run(["show", user.name])
      #expect(show.status == .exited(0))
      #expect(show.text.contains("abcd0000000000000000000000000000"))
      let json = try run(["list", "--json"])
      let read = try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any]
      let users = read?["users"] as? [[String: Any]]
      #expect(users?.contains { $0["user"] as? String == user.name } == true)
      let one = try run(["show", "--json", user.name])
      let object = try JSONSerialization.jsonObject(with: Data(one.output)) as? [String: Any]
      #expect((object?["factors"] as? [[String: Any]])?.count == 2)
      #expect(try run(["show", "no-such-user"]).status == .exited(2))
      #expect(try run(["show", "nobody"]).status == .exited(2))
    }
  }

  @Test func unusableRecordDoesNotHideOthers() throws {
    try withEnrolled { machine, user in
      let other = try machine.addUser()
      machine.atTheEnd("revoke") { try discard(other) }
      try enroll(other)
      try machine.write(
        "nothing", to: "/var/lib/mfa/factors/\(other.name)", owner: "mfa", mode: "0600")
      let list = try run(["list"])
      #expect(list.status == .exited(1))
      #expect(list.text.contains("damaged: record: damaged\n"))
      #expect(list.text.contains("\n\(user.name) "))
      #expect(list.errorText.contains("mfa-admin: error: 1 of "))
      let json = try run(["list", "--json"])
      #expect(json.status == .exited(1))
      #expect(try JSONSerialization.jsonObject(with: Data(json.output)) is [String: Any])
      let show = try run(["show", other.name])
      #expect(show.status == .exited(1))
      #expect(show.errorText.contains("mfa-admin revoke \(other.name) --all"))
      #expect(try run(["revoke", other.name, "--all", "--yes"]).status == .exited(0))
      #expect(try run(["list"]).status == .exited(0))
    }
  }

  @Test func revocationIsLogged() throws {
    try withEnrolled { machine, user in
      // The first command after a change of the configuration logs that change.
      #expect(try run(["list"]).status == .exited(0))
      let start = try machine.log.position()
      let unasked = try run(["revoke", user.name, "phone"])
      #expect(unasked.status == .exited(64))
      #expect(unasked.errorText.contains("--yes"))
      #expect(try run(["revoke", user.name, "tablet", "--yes"]).status == .exited(2))
      #expect(try run(["revoke", user.name, "--yes"]).status == .exited(64))
      let revoked = try run(
        ["revoke", user.name, "abcd", "--yes"], environment: ["SUDO_USER": "eve admin"])
      #expect(revoked.status == .exited(0))
      #expect(revoked.text == "\(user.name): revoked phone\n")
      let last = try run(["revoke", user.name, "--yes"])
      #expect(
        last.text
          == "\(user.name): revoked my \u{E9}cran; no factor is left: sign-ins now ask for no code\n"
      )
      #expect(try run(["revoke", user.name, "--all", "--yes"]).status == .exited(2))
      let entries = try machine.log.entries(since: start).filter { $0.line.contains("mfa-admin") }
      #expect(entries.map(\.facility) == [10, 10])
      #expect(
        entries.map(\.messageBeforeMark) == [
          "result=revoked user=\(user.name) factor=abcd0000000000000000000000000000 "
            + "by=eve\\x20admin",
          "result=revoked user=\(user.name) factor=ef000000000000000000000000000000 by=root",
        ])
    }
  }

  @Test func asksAtATerminal() throws {
    try withEnrolled { machine, user in
      let arguments = [Self.program, "revoke", user.name, "phone"]
      for answer in ["", "n", "yesterday"] {
        let session = try TerminalSession(arguments)
        _ = try session.expect(
          "revoke phone (abcd0000000000000000000000000000) of \(user.name)? [y/N] ")
        try session.send(answer)
        _ = try session.expect("nothing was changed")
        #expect(try session.waitForExit() == .exited(1))
      }
      let session = try TerminalSession(arguments)
      _ = try session.expect("[y/N] ")
      try session.sendKeys([4])
      #expect(try session.waitForExit() == .exited(1))
      let yes = try TerminalSession(arguments)
      _ = try yes.expect("[y/N] ")
      try yes.send("y")
      _ = try yes.expect("\(user.name): revoked phone")
      #expect(try yes.waitForExit() == .exited(0))
    }
  }

  @Test func unlocks() throws {
    try withEnrolled { machine, user in
      #expect(try run(["unlock", user.name]).text == "\(user.name): was not locked\n")
      try discard(user)
      try enroll(user, failures: 100, lastFailure: 1_700_000_000)
      #expect(try run(["list"]).text.contains("  100    locked\n"))
      let start = try machine.log.position()
      let unlocked = try run(["unlock", user.name])
      #expect(unlocked.text == "\(user.name): 100 wrong codes, locked: unlocked\n")
      let entries = try machine.log.entries(since: start).filter { $0.line.contains("mfa-admin") }
      #expect(
        entries.map(\.messageBeforeMark) == [
          "result=unlocked user=\(user.name) wrong-codes=100 by=root"
        ])
      #expect(try run(["list"]).text.contains("  0      open\n"))
    }
  }

  /// Commands that change something, in this order, and members of their JSON; `USER` stands for
  /// the user name.
  static let changes: [(Int, [String], result: String, member: String, count: Int?)] = [
    (1, ["unlock", "USER"], "unlocked", "factorsAhead", 0),
    (2, ["unlock", "USER"], "not-locked", "factorsAhead", 0),
    (3, ["forget", "USER"], "nothing-remembered", "rememberedSignIns", nil),
    (4, ["withdraw", "USER", "--all"], "withdrawn", "grants", 1),
    (5, ["revoke", "USER", "abcd", "--yes"], "revoked", "factors", 1),
    (6, ["revoke", "USER", "--all", "--yes"], "revoked", "factors", 1),
  ]

  @Test("commands that change something report it as JSON") func changesAreReportedAsJSON() throws {
    try withEnrolled { machine, user in
      try discard(user)
      try enroll(user, failures: 100, lastFailure: 1_700_000_000)
      #expect(try run(["ticket", user.name]).status == .exited(0))
      for (number, arguments, result, member, count) in Self.changes {
        let start = try machine.log.position()
        let command = try run(arguments.map { $0 == "USER" ? user.name : $0 } + ["--json"])
        #expect(command.status == .exited(0), "case \(number): \(command.errorText)")
        #expect(command.errors.isEmpty, "case \(number): \(command.errorText)")
        guard command.status == .exited(0) else { continue }
        let object = try #require(
          try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any])
        #expect(object["user"] as? String == user.name, "case \(number)")
        #expect(object["result"] as? String == result, "case \(number): \(command.text)")
        #expect((object[member] as? [Any])?.count == count, "case \(number): \(command.text)")
        // The checkpoint equals the one in the system log. Without a change, neither has one.
        let marks = try machine.log.entries(since: start).compactMap {
          $0.line.firstMatch(of: /checkpoint=([0-9a-f:]+)/).map { String($0.output.1) }
        }
        #expect(object["checkpoint"] as? String == marks.last, "case \(number): \(marks)")
        #expect(marks.count == (number == 2 || number == 3 ? 0 : 1), "case \(number): \(marks)")
      }
      let gone = try run(["revoke", user.name, "--all", "--yes", "--json"])
      #expect(gone.status == .exited(2))
      #expect(gone.output.isEmpty)
    }
  }

  @Test("prompts are not written to the JSON output") func promptIsNotInJSONOutput() throws {
    try withEnrolled { machine, user in
      let unasked = try run(["revoke", user.name, "phone", "--json"])
      #expect(unasked.status == .exited(64))
      #expect(unasked.output.isEmpty)
      let file = machine.folder + "/revoked.json"
      let session = try TerminalSession([
        "/bin/sh", "-c", "exec \(Self.program) revoke --json \(user.name) phone >\(file)",
      ])
      _ = try session.expect("of \(user.name)? [y/N] ")
      try session.send("y")
      #expect(try session.waitForExit() == .exited(0))
      let written = Data(try #require(machine.contents(of: file)))
      let object = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
      #expect(object["result"] as? String == "revoked")
      #expect(!session.text.contains("{"))
    }
  }

  @Test func invalidConfigurationStopsDependentCommands() throws {
    try withEnrolled { machine, user in
      try machine.writeConfiguration("[project]\nadjacent_intervals = 11\n")
      let unlock = try run(["unlock", user.name])
      #expect(unlock.status == .exited(1))
      #expect(unlock.errorText.contains("/etc/mfa/mfa.conf:2: "))
      let list = try run(["list"])
      #expect(list.status == .exited(1))
      #expect(list.text.contains("\n\(user.name) "))
      #expect(list.errorText.contains("/etc/mfa/mfa.conf:2: "))
      #expect(try run(["revoke", user.name, "phone", "--yes"]).status == .exited(0))
    }
  }

  @Test func outputThatCannotBeWrittenIsAnError() throws {
    try withEnrolled { machine, user in
      let full = try Command.run(["/bin/sh", "-c", "\(Self.program) list >/dev/full"])
      #expect(full.status == .exited(1))
      #expect(full.errorText.contains("mfa-admin: error: cannot write to standard output"))
    }
  }

  @Test func theTableFitsTheTerminal() throws {
    try withEnrolled { machine, user in
      let session = try TerminalSession([
        "/bin/sh", "-c", "stty cols 53; exec \(Self.program) list",
      ])
      #expect(try session.waitForExit() == .exited(0))
      let lines = session.text.split(whereSeparator: \.isNewline)
      #expect(lines.count >= 2)
      #expect(lines.allSatisfy { $0.count <= 53 })
      #expect(session.text.contains("…"))
    }
  }

  @Test("the doctor reports a missing account line, and accepts the one from the guide")
  func doctor() throws {
    try Machine.use { machine in
      try machine.writeConfiguration("[project]\nenrollment = required\n")
      let lines = try Guide.blocks(under: "ssh: the password, then a code")[0]
      try machine.changeService("sshd", authentication: lines)
      #expect(!(try run(["doctor"]).text.contains("who must enrol are denied")))

      let file = "/etc/pam.d/sshd"
      let text = machine.text(of: file)
      let account = "account required pam_mfa.so\n"
      try machine.write(text.replacing(account, with: ""), to: file)
      let missing = try run(["doctor"])
      #expect(missing.status == .exited(3))
      let auth = try #require(
        text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
          $0.hasPrefix("auth required pam_mfa.so")
        })
      #expect(
        missing.text.hasPrefix(
          "error: /etc/pam.d/sshd:\(auth + 1): sshd: users who must enrol are denied by"),
        "\(missing.text)")
      #expect(missing.text.contains("\"account required pam_mfa.so\""))

      try machine.write(text.replacing(account, with: "") + account, to: file)
      let skippable = try run(["doctor", "--json"])
      #expect(skippable.status == .exited(3))
      #expect(skippable.text.contains("\"finding\": \"skippable\""), "\(skippable.text)")
      #expect(skippable.text.contains("\"place\": \"/etc/pam.d/common-account:"))

      try machine.writeConfiguration("[project]\n")
      #expect(!(try run(["doctor"]).text.contains("who must enrol are denied")))

      let user = try machine.addUser()
      #expect(try run(["doctor"], as: user.identity).status == .exited(77))
    }
  }
}
