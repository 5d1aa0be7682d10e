import MFAPAMStack
import MFABase
import MFATestSupport
import Testing

@Suite("Service files on disk", .privateMachine)
struct InstalledStackTests {
  /// Returns a source with two folders, filled by a script that runs in the first one.
  private func stacks(_ script: String) throws -> (InstalledStacks, String) {
    let folder = "/var/lib/mfa-stacks-\(UInt32.random(in: 0...UInt32.max))"
    try Command.succeed([
      "/usr/bin/env", "sh", "-ec",
      "mkdir \"$1\" \"$1/a\" \"$1/b\"; cd \"$1/a\"; umask 022; \(script)", "sh", folder,
    ])
    let folders = ["\(folder)/a", "\(folder)/b"].map { Array($0.utf8) }
    return (InstalledStacks(folders: folders), folder)
  }

  private func read(_ script: String) throws -> String {
    let (stacks, _) = try stacks(script)
    let stack = try ServiceStack(.account, of: Array("s".utf8), from: stacks)
    return stack.entries.map { String(decoding: $0.position.text.suffix(5), as: UTF8.self) }
      .joined(separator: " ")
  }

  @Test("the first folder takes precedence, and other is used last")
  func order() throws {
    let line = "account required x.so"
    #expect(try read("echo '\(line)' >s; echo '\(line)' >../b/s") == "a/s:1")
    #expect(try read("echo '\(line)' >../b/s; echo '\(line)' >other") == "b/s:1")
    #expect(try read("echo '\(line)' >other") == "her:1")
    #expect(try read("echo '@include more' >s; echo '\(line)' >../b/more") == "ore:1")
    #expect(try read(":") == "")
  }

  @Test(
    "files that other users could have written are not read",
    arguments: [
      (1, "echo >s; chown 1 s", TrustFailure.wrongOwner),
      (2, "echo >s; chmod 0664 s", .wrongPermissions),
      (3, "echo >s; chmod 0646 s", .wrongPermissions), (4, "mkdir s", .notARegularFile),
      (5, "mkfifo s", .notARegularFile), (6, "echo >t; ln -s t s", .symbolicLink),
    ])
  func distrusted(row: Int, script: String, expected: TrustFailure) throws {
    let (stacks, folder) = try stacks(script)
    let file = Array("\(folder)/a/s".utf8)
    #expect(throws: StackRefusal.untrusted(file: file, expected), "row \(row)") {
      try ServiceStack(.account, of: Array("s".utf8), from: stacks)
    }
  }

  @Test("files in folders that other users may change, and files that are too long, are not read")
  func folders() throws {
    for script in ["echo >s; chmod 0777 .", "echo >s; chown 1 ."] {
      #expect(throws: StackRefusal.self) { try read(script) }
    }
    let (stacks, folder) = try stacks("head -c 65537 /dev/zero >s")
    #expect(throws: StackRefusal.tooLong(file: Array("\(folder)/a/s".utf8))) {
      try ServiceStack(.account, of: Array("s".utf8), from: stacks)
    }
  }

  @Test("the services of this machine can be read")
  func own() throws {
    for service in ["sshd", "login", "sudo", "su", "other"] {
      for facility in StackType.allCases {
        _ = try ServiceStack(facility, of: Array(service.utf8), from: InstalledStacks())
      }
    }
  }

  @Test("services are listed once, in order, without backup files")
  func listed() throws {
    let (stacks, _) = try stacks(
      "touch sshd login su-l sshd.dpkg-old login.bak Upper .hidden 'a b' a~ ../b/sshd ../b/aa")
    let names = try stacks.services().map { String(decoding: $0, as: UTF8.self) }
    #expect(names == ["aa", "login", "sshd", "su-l"])
    let one = InstalledStacks(folders: [Array("/var/lib/no-such-folder".utf8)])
    #expect(try one.services().isEmpty)
  }
}
