import MFAAdminTestSupport
import MFABase
import MFAModel
import MFATestSupport
import Testing

@testable import MFAAdmin

@Suite struct AccountSourceTests {
  static let cases: [(Int, String, [String: UInt32])] = [
    (1, "", [:]),
    (2, "alice:x:1000:1000:Alice,,,:/home/alice:/bin/sh\n", ["alice": 1000]),
    (3, "alice:x:1000:1000::/:/bin/sh\nalice:x:0:0::/:/bin/sh", ["alice": 1000]),
    (4, "alice:x:-1:1000::/:/bin/sh\n", [:]),
    (5, "alice:x:4294967296:0::/:\n", [:]),
    (6, "+\n+::::::\nbob:x:7:7::/:\n", ["bob": 7]),
    (7, "alice:x:\nbob\n\n:x:5:5\n", ["": 5]),
  ]

  @Test(arguments: cases)
  func passwordFile(_ number: Int, _ text: String, _ expected: [String: UInt32]) {
    let source = AccountSource(
      named: { _ in nil }, passwordFile: { Array(text.utf8) },
      systemAccounts: { () throws(SystemError) in [] })
    let found = source.local().map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
    #expect(Dictionary(uniqueKeysWithValues: found) == expected, "case \(number)")
  }

  @Test func missingPasswordFileGivesNoAccounts() {
    let source = AccountSource(
      named: { _ in nil }, passwordFile: { nil }, systemAccounts: { () throws(SystemError) in [] })
    #expect(source.local().isEmpty)
  }
}

@Suite("The accounts of the system")
struct KnownAccountTests {
  static let rows: [(Int, UInt32, String, Bool)] = [
    (1, 0, "/bin/bash", true), (2, 1000, "/bin/sh", true), (3, 60_000, "", true),
    (4, 999, "/bin/bash", false), (5, 60_001, "/bin/bash", false),
    (6, 1000, "/usr/sbin/nologin", false), (7, 1000, "/bin/false", false),
    (8, 65_534, "/usr/sbin/nologin", false), (9, 1000, "/bin/falsehood", true),
    (10, 1000, "nologin", false), (11, 0, "/sbin/nologin", false),
  ]

  @Test("personal accounts have a uid in the range for users and a login shell", arguments: rows)
  func personalAccountsAreRecognised(row: Int, uid: UInt32, shell: String, expected: Bool) {
    let account = KnownAccount(
      account: Account(name: Array("alice".utf8), uid: uid), shell: Array(shell.utf8))
    #expect(account.isPersonal == expected, "row \(row)")
  }

  @Test("the accounts of this machine contain root exactly once")
  func system() throws {
    let all = try KnownAccount.all()
    #expect(all.count { $0.account == Account(name: Array("root".utf8), uid: 0) } == 1)
    #expect(Set(all.map(\.account.name)).count == all.count)
  }
}

@Suite struct LockHolderTests {
  private func holder(startTime: Int64?) -> LockHolder {
    LockHolder(
      process: 7, start: 1, startTime: startTime, command: "x\u{1B}", user: 1000, userName: nil,
      state: .stopped, file: "/x")
  }

  @Test func sentenceNamesProcessAndStartTime() {
    #expect(
      holder(startTime: 1_795_000_089).sentence
        == "process 7 (x\\x1b) of uid 1000, started 2026-11-18 11:08:09 UTC, stopped")
    #expect(holder(startTime: nil).sentence == "process 7 (x\\x1b) of uid 1000, stopped")
  }
}

@Suite("What happens at the sign-ins of a user without a factor")
struct UnenrolledSignInsTests {
  @Test(
    arguments: [
      (1, "[project]\n", .withoutCode),
      (2, "[project]\nenrollment = offered\noffer_sign_ins = 3\n", .withoutCode),
      (3, "[project]\nenrollment = required\n", .denied),
      (4, "[project]\nenrollment = required\nstate = observe\n", .withoutCode),
      (
        5, "[project]\n[tenant staff]\ngroups = staff\nenrollment = required\n", .denied
      ),
      (6, "[project]\n[tenant guests]\ngroups = guests\nenrollment = required\n", .withoutCode),
      (
        7, "[project]\nenrollment = required\n[tenant cron]\nservices = cron\nstate = disabled\n",
        .dependsOnPolicy
      ),
    ] as [(Int, String, UnenrolledSignIns)])
  func policies(row: Int, text: String, expected: UnenrolledSignIns) throws {
    var draft = ConfigurationDraft()
    try draft.add(Array(text.utf8).span, from: Array("/x".utf8))
    let policy = try draft.finish()
    let found = UnenrolledSignIns(of: try userName("alice"), under: policy) { group in
      group == Array("staff".utf8)
    }
    #expect(found == expected, "row \(row)")
  }
}

@Suite struct ReadingObstacleTests {
  /// The folders and the file, each with an owner, a group and permissions.
  struct Row {
    var etc: (UInt32, UInt32, UInt32) = (0, 0, 0o755)
    var folder: (UInt32, UInt32, UInt32) = (0, 0, 0o755)
    var file: (UInt32, UInt32, UInt32) = (0, 0, 0o644)
    let remedy: String?
  }

  static let file = "/etc/mfa/mfa.conf"
  static let mended = "chgrp mfa \(file) && chmod g+r \(file)"

  static let rows = [
    Row(remedy: nil),
    // What tee and an umask of 027 make.
    Row(file: (0, 0, 0o640), remedy: mended),
    Row(file: (0, 998, 0o640), remedy: nil),
    Row(file: (0, 998, 0o604), remedy: mended),
    Row(file: (999, 0, 0o400), remedy: nil),
    Row(file: (999, 998, 0o044), remedy: mended),
    Row(file: (0, 0, 0o600), remedy: mended),
    // The folder must be opened, and those above it searched.
    Row(folder: (0, 0, 0o711), remedy: "chgrp mfa /etc/mfa && chmod g+rx /etc/mfa"),
    Row(folder: (0, 998, 0o750), remedy: nil),
    Row(
      folder: (0, 0, 0o750), file: (0, 0, 0o640),
      remedy: "chgrp mfa /etc/mfa && chmod g+rx /etc/mfa"),
    Row(etc: (0, 0, 0o711), remedy: nil),
    Row(etc: (0, 0, 0o750), remedy: "chmod a+x /etc"),
  ]

  @Test("what keeps the deciding user from reading a file, and how to mend it", arguments: rows)
  func row(row: Row) {
    let paths = ["/etc", "/etc/mfa", Self.file]
    let steps = zip(paths, [row.etc, row.folder, row.file]).map { path, status in
      ReadingObstacle.Step(
        path: path, isFolder: path != Self.file, owner: status.0, group: status.1,
        permissions: status.2)
    }
    let root = ReadingObstacle.Step(
      path: "/", isFolder: true, owner: 0, group: 0, permissions: 0o755)
    #expect(ReadingObstacle([root] + steps, for: 999, group: 998)?.remedy == row.remedy)
  }
}

@Suite(.privateMachine) struct PlainFileTests {
  @Test("a FIFO, a socket, a device and a folder are refused at once")
  func otherKinds() throws {
    try Machine.use { machine in
      let fifo = machine.folder + "/fifo"
      try Command.succeed(["/usr/bin/mkfifo", fifo])
      try Command.succeed([
        "/usr/bin/python3", "-c",
        "import socket; socket.socket(socket.AF_UNIX).bind('\(machine.folder)/socket')",
      ])
      try Command.succeed(["/bin/ln", "-s", fifo, machine.folder + "/link"])
      for path in [fifo, machine.folder + "/link", "/dev/zero", machine.folder] {
        guard case .failure(.untrusted(.notARegularFile)) = PlainFile.read(path, longest: 10) else {
          Issue.record("\(path)")
          continue
        }
      }
      guard case .failure(let error) = PlainFile.read(machine.folder + "/socket", longest: 10),
        error.obstacle == nil
      else {
        Issue.record("a socket")
        return
      }
    }
  }

  @Test("a file of another owner is refused if an owner is named, and a long file is cut")
  func ownerAndLength() throws {
    try Machine.use { machine in
      let path = machine.folder + "/file"
      try machine.write("abcdef", to: path, owner: "nobody")
      #expect(try PlainFile.read(path, longest: 10).get() == Array("abcdef".utf8))
      #expect(try PlainFile.read(path, longest: 2).get() == Array("abc".utf8))
      #expect(PlainFile.read(path, longest: 10, owner: 0) == .failure(.untrusted(.wrongOwner)))
      try machine.write("abcdef", to: path)
      #expect(try PlainFile.read(path, longest: 10, owner: 0).get().count == 6)
      #expect(try PlainFile.read("/dev/null", longest: 10, owner: 0).get().isEmpty)
      #expect(try PlainFile.read("/proc/self/status", longest: 1 << 16).get().count > 100)
    }
  }
}

@Suite struct ChildProgramTests {
  private func run(
    _ arguments: [String], seconds: Int64 = 60, longest: Int = 1 << 20
  ) throws(AdminError) -> ProgramOutput {
    try ChildProgram(arguments: arguments, seconds: seconds, longest: longest).run()
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func noShellReadsArguments() throws {
    let arguments = ["$(id)", "a  b", "*", ";", "'\"\\", ""]
    let output = try run(["/usr/bin/printf", "%s\\n"] + arguments)
    #expect(text(output.output) == arguments.map { $0 + "\n" }.joined())
    #expect(output.isSuccess)
  }

  @Test func streamsAndExitStatusAreReturned() throws {
    let output = try run(["/bin/sh", "-c", "echo out; echo one >&2; echo two >&2; exit 3"])
    #expect(output.status == 3)
    #expect(text(output.output) == "out\n")
    #expect(text(output.errors) == "one\ntwo\n")
    #expect(output.complaint == "two")
    #expect(try run(["/bin/sh", "-c", "exit 3"]).complaint == "exit status 3")
    let killed = try run(["/bin/sh", "-c", "kill -9 $$"])
    #expect(killed.status == nil && !killed.isSuccess)
    #expect(killed.complaint == "a signal ended it")
  }

  @Test func environmentIsFixedAndInputIsEmpty() throws {
    let environment = text(try run(["/usr/bin/env"]).output).split(separator: "\n").sorted()
    #expect(environment == ["LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
    #expect(try run(["/bin/cat"]).output.isEmpty)
  }

  @Test func largeOutputIsReadCompletely() throws {
    let output = try run(["/usr/bin/head", "-c", "1000000", "/dev/zero"])
    #expect(output.output.count == 1_000_000)
  }

  @Test func tooMuchOutputIsRefused() {
    #expect(throws: AdminError(at: "/bin/cat", "it printed more than 10 bytes")) {
      try run(["/bin/cat", "/dev/zero"], longest: 10)
    }
  }

  @Test("a program that does not end is killed, and has no output")
  func endless() throws {
    let program = ChildProgram(arguments: ["/bin/sleep", "1000"], seconds: 0)
    #expect(try program.runIfItEnds() == nil)
    let short = ChildProgram(arguments: ["/bin/echo", "x"])
    #expect(try short.runIfItEnds()?.output == Array("x\n".utf8))
  }

  @Test func programThatRunsTooLongIsKilled() {
    #expect(throws: AdminError(at: "/bin/sleep", "it did not end within 0 s")) {
      try run(["/bin/sleep", "1000"], seconds: 0)
    }
    // The limit applies even if the program closes its output.
    #expect(throws: AdminError(at: "/bin/sh", "it did not end within 1 s")) {
      try run(["/bin/sh", "-c", "exec >&- 2>&- sleep 1000"], seconds: 1)
    }
  }

  @Test func missingProgramIsAnError() {
    #expect(throws: AdminError(at: "/nonexistent", SystemError(.process, number: 2).text)) {
      try run(["/nonexistent"])
    }
  }
}
