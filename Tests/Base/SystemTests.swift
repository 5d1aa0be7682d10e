import Foundation
import Glibc
import MFABase
import MFACTestSupport
import MFATestSupport
import Testing

@Suite("Files and directories", .privateMachine)
struct DirectoryTests {
  private func folder(_ script: String) throws -> Directory {
    let name = "mfa-system-\(UInt32.random(in: 0...UInt32.max))"
    try Command.succeed([
      "/usr/bin/env", "sh", "-ec", "mkdir \"/var/lib/$1\"; cd \"/var/lib/$1\"; \(script)", "sh",
      name,
    ])
    let path = try #require(TrustedPath(Array("/var/lib/\(name)".utf8)))
    return try path.parent().directory(path.last)
  }

  private func name(_ text: String) throws -> FileName { try #require(FileName(Array(text.utf8))) }

  @Test("symbolic links are not followed")
  func links() throws {
    let directory = try folder("echo x > file; ln -s file link; mkdir inner; ln -s inner innerlink")
    let link = try name("link")
    do throws(SystemError) {
      _ = try directory.fileForReading(link)
      Issue.record("a link was followed")
    } catch {
      #expect(error.distrust == .symbolicLink)
    }
    let innerlink = try name("innerlink")
    do throws(SystemError) {
      _ = try directory.directory(innerlink)
      Issue.record("a link was followed")
    } catch {
      #expect(error.isNotADirectory || error.distrust == .symbolicLink)
    }
    #expect(throws: SystemError.self) { _ = try directory.create(link) }
  }

  @Test("opening a FIFO does not block, and it is distinguished from a regular file")
  func fifo() throws {
    let directory = try folder("mkfifo -m 0600 pipe")
    let file = try directory.fileForReading(try name("pipe"))
    #expect(try file.status().kind == .other)
  }

  @Test("descriptors are closed on exec")
  func closesOnExec() throws {
    let directory = try folder("echo x > file")
    let file = try directory.fileForReading(try name("file"))
    let listed = try Command.succeed(["/usr/bin/env", "sh", "-c", "ls -l /proc/self/fd"])
    #expect(!listed.contains("mfa-system"))
    _ = try file.status()
  }

  @Test("creating an existing name fails, renaming replaces, and each entry is listed once")
  func changes() throws {
    let directory = try folder("echo old > file")
    #expect(throws: SystemError.self) { _ = try directory.create(try name("file")) }
    let draft = try directory.create(try name(".new"))
    try draft.write(Array("new".utf8))
    try draft.sync()
    try directory.rename(try name(".new"), to: try name("file"))
    let file = try directory.fileForReading(try name("file"))
    #expect(try file.read(count: 10) == Array("new".utf8))
    var names: [[UInt8]] = []
    try directory.forEachEntry { entry in
      names.append(entry.bytes)
      return true
    }
    #expect(names == [Array("file".utf8)])
  }

  @Test("all entries of a directory are listed, even if the kernel returns them in several parts")
  func manyEntries() throws {
    let directory = try folder("for n in $(seq 100 299); do touch $(printf \"$n%0240d\" 0); done")
    var names: Set<String> = []
    try directory.forEachEntry { entry in
      names.insert(String(decoding: entry.bytes, as: UTF8.self))
      return true
    }
    let zeros = String(repeating: "0", count: 240)
    #expect(names == Set((100..<300).map { "\($0)\(zeros)" }))
  }

  @Test("waiting for a lock that is held ends after the given time")
  func lock() throws {
    let directory = try folder("echo x > file")
    let first = try directory.fileForUpdating(try name("file"))
    #expect(try first.lock(seconds: 0))
    let second = try directory.fileForUpdating(try name("file"))
    #expect(try second.lock(seconds: 0) == false)
  }
}

@Suite("Paths")
struct PathTests {
  @Test(
    "only absolute paths without . and .. components are valid",
    arguments: [
      ("/etc/mfa/mfa.conf", true), ("/x", true), ("", false), ("/", false), ("etc", false),
      ("/a/b/c", true), ("/.../x", true), ("/a//b", false), ("/a/../b", false), ("/a/b//", false),
      ("//etc", false), ("/etc/", false), ("/etc/../x", false), ("/./x", false), ("/a\0b", false),
    ])
  func paths(text: String, isPath: Bool) {
    #expect((TrustedPath(Array(text.utf8)) != nil) == isPath)
  }
}

@Suite("Log lines")
struct LogLineTests {
  @Test(
    "a value can end neither its pair nor its line",
    arguments: [
      ("plain-1.2:3/4@5+6%7,8_9", "plain-1.2:3/4@5+6%7,8_9"), ("a b", "a\\x20b"),
      ("a=b", "a\\x3db"), ("a\"b", "a\\x22b"), ("a\\x", "a\\x5cx"), ("\n", "\\x0a"),
      ("\u{1B}[0m", "\\x1b\\x5b0m"), ("ø", "\\xc3\\xb8"), ("", "-"),
    ])
  func escaping(value: String, expected: String) {
    var line = LogLine()
    line.add("key", escaping: Array(value.utf8))
    #expect(String(decoding: line.text, as: UTF8.self) == "key=" + expected)
  }

  @Test("a long value is truncated, and quoted text cannot end its quotation marks")
  func limits() {
    var line = LogLine()
    line.add("key", escaping: [UInt8](repeating: 0x61, count: 200))
    #expect(line.text.count == 4 + LogLine.longestValue + 3)
    var quoted = LogLine()
    quoted.addQuoted("message", Array("say \"hi\" \\ \n".utf8))
    #expect(
      String(decoding: quoted.text, as: UTF8.self) == "message=\"say \\x22hi\\x22 \\x5c \\x0a\"")
  }
}

@Suite("Accounts")
struct AccountTests {
  @Test("root has uid 0, and impossible names are not found")
  func lookUp() throws {
    #expect(try Account.named(Array("root".utf8)) == Account(name: Array("root".utf8), uid: 0))
    #expect(try Account.with(uid: 0)?.name == Array("root".utf8))
    #expect(try Account.named(Array("no such user".utf8)) == nil)
    #expect(try Account.named([]) == nil)
    #expect(try Account.named([0x72, 0]) == nil)
    #expect(try Account.named([UInt8](repeating: 0x61, count: 300)) == nil)
  }
}

@Suite("Terminals")
struct ControllingTerminalTests {
  @Test(
    "a device number is mapped to a terminal name, or to none",
    arguments: [
      (1, 0x8803, "pts/3"), (2, 0x88FF, "pts/255"), (3, 0x10_8800, "pts/256"),
      (4, 0xFFF0_88FF, "pts/1048575"), (5, 0x0401, "tty1"), (6, 0x043F, "tty63"),
      (7, 0x0440, "ttyS0"), (8, 0, nil), (9, 0x0500, nil), (10, 0x8903, nil),
      (11, 0x0010_0400, nil), (12, UInt32.max, nil),
    ] as [(Int, UInt32, String?)])
  func names(row: Int, number: UInt32, name: String?) {
    let found = ControllingTerminal.name(of: number).map { String(decoding: $0, as: UTF8.self) }
    #expect(found == name, "row \(row)")
  }
}

/// A file's identity, and when it becomes trusted.
@Suite("Identities of files")
struct FileIdentityTests {
  private let path = "/tmp/mfa-identity-\(UUID().uuidString)"

  /// Returns the identity after a shell script with `$F` as the file.
  private func identity(_ script: String) throws -> FileIdentity? {
    try Command.succeed(["/bin/sh", "-ec", script], environment: ["F": path])
    return try FileIdentity.of(Array(path.utf8))
  }

  private func remove() throws { try FileManager.default.removeItem(atPath: path) }

  @Test("a file that does not exist has no identity")
  func missing() throws {
    for name in ["", "/x"] { #expect(try FileIdentity.of(Array((path + name).utf8)) == nil) }
    _ = try identity("touch $F")
    #expect(try FileIdentity.of(Array((path + "/x").utf8)) == nil)
    try remove()
  }

  @Test(
    "a file that was written, replaced, or given another owner or mode has another identity",
    arguments: [
      "echo x >> $F", "cp $F $F.2; touch -r $F $F.2; mv $F.2 $F", "chmod 0640 $F", "chown 1 $F",
      "touch -d @1000000000 $F", "mv $F $F.2; ln -s $F.2 $F; rm $F.2",
    ])
  func changed(script: String) throws {
    let before = try identity("echo a > $F; chmod 0600 $F")
    #expect(try identity("cat $F") == before)
    #expect(try identity(script) != before)
    try remove()
  }

  @Test("an identity is old two seconds after the last change, and not if it is from the future")
  func old() throws {
    let second: Int64 = 1_000_000_000
    // 2100-01-01; the change of the times themselves is now.
    let future = 4_102_444_800 * second
    let identity = try #require(try identity("touch -d @4102444800 $F"))
    for time in [0, .min, .max - 2 * second] { _ = identity.isOld(at: time) }
    #expect(!identity.isOld(at: Clock.nanoseconds()))
    #expect(!identity.isOld(at: 0))
    #expect(!identity.isOld(at: future + 2 * second))
    #expect(identity.isOld(at: future + 2 * second + 1))
    try remove()
  }

  @Test("setting the time of the last write back does not make an identity old")
  func timeSetBack() throws {
    let before = Clock.nanoseconds()
    let identity = try #require(try identity("touch -d @1000000000 $F"))
    #expect(!identity.isOld(at: before + 1_000_000_000))
    #expect(identity.isOld(at: Clock.nanoseconds() + 3_000_000_000))
    try remove()
  }
}

/// The tests run in separate processes, because identities, limits and signals belong to a whole
/// process.
@Suite("Sections that no other user can interrupt", .privateMachine)
struct UninterruptedSectionTests {
  /// Returns the value of a line of this thread's status in /proc.
  static func status(_ name: String) -> String {
    let text = FileManager.default.contents(atPath: "/proc/thread-self/status") ?? Data()
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix(name + ":\t") }.map { String($0.dropFirst(name.count + 2)) }
      ?? ""
  }

  /// The mask of SIGTSTP, SIGTTIN and SIGTTOU.
  static let stops: UInt64 = 0x380000

  static var blocked: UInt64? { UInt64(status("SigBlk"), radix: 16) }

  @Test("the end of each of two sections unblocks only the signals that it blocked")
  func undone() async {
    await #expect(processExitsWith: .success) {
      #expect(ctest_set_identities(12345, 12345, 12345) == 0)
      let before = UninterruptedSectionTests.blocked
      do {
        let section = try UninterruptedSection()
        #expect(UninterruptedSectionTests.blocked.map { $0 & 0x380000 } == 0x380000)
        let inner = try UninterruptedSection()
        _ = consume inner
        #expect(UninterruptedSectionTests.status("Uid") == "12345\t12345\t12345\t12345")
        #expect(UninterruptedSectionTests.blocked.map { $0 & 0x380000 } == 0x380000)
        _ = consume section
      }
      #expect(UninterruptedSectionTests.blocked == before)
    }
  }

  @Test("if another user can signal the program, the section is refused")
  func refused() async {
    for user in [UInt32(0), 12346] {
      await #expect(processExitsWith: .success) { [user = user as UInt32] in
        #expect(ctest_set_identities(12345, user, user) == 0)
        let before = UninterruptedSectionTests.blocked
        #expect(throws: SystemError(.lock, number: EPERM)) { _ = try UninterruptedSection() }
        #expect(UninterruptedSectionTests.status("Uid") == "12345\t\(user)\t\(user)\t\(user)")
        #expect(UninterruptedSectionTests.blocked == before)
      }
    }
  }
}

@Suite("Writes under RLIMIT_FSIZE", .privateMachine)
struct FileSizeLimitTests {
  @Test("a write that the limit would truncate is refused in advance, without a signal")
  func refused() async {
    await #expect(processExitsWith: .success) {
      let folder = "/var/lib/mfa-limit-\(getpid())"
      try Command.succeed(["/bin/mkdir", folder])
      let path = try #require(TrustedPath(Array((folder + "/file").utf8)))
      let directory = try path.parent()
      let file = try directory.create(path.last)
      try Command.succeed(["/usr/bin/prlimit", "--pid", "\(getpid())", "--fsize=100"])
      try file.write([UInt8](repeating: 1, count: 100))
      for (count, offset) in [(101, 0), (1, 100), (50, 60), (1, Int64.max)] as [(Int, Int64)] {
        #expect(throws: SystemError(.write, number: EFBIG), "\(count) at \(offset)") {
          try file.write([UInt8](repeating: 2, count: count), at: offset)
        }
      }
      #expect(try file.read(count: 200) == [UInt8](repeating: 1, count: 100))
      try file.write([3], at: 99)
      #expect(try file.read(count: 1, at: 99) == [3])
      try Command.succeed(["/bin/rm", "-r", folder])
    }
  }
}
