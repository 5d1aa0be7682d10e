import MFABase
import MFAPAMStack
import MFATestSupport
import Testing

@Suite("The stack of a service")
struct ServiceStackTests {
  /// Returns `level file:line module arguments`, or `level file:line substack`, for each line.
  private func shown(
    _ files: [String: String], _ facility: StackType = .account, service: String = "s"
  ) throws -> [String] {
    let stack = try ServiceStack(
      facility, of: Array(service.utf8), from: MemoryStacks(files: files))
    return stack.entries.map { entry in
      let place = String(decoding: entry.position.text.dropFirst("/pam/".count), as: UTF8.self)
      switch entry.kind {
      case .substack: return "\(entry.level) \(place) substack"
      case .module(let name, let arguments, _):
        let words = ([name] + arguments).map { String(decoding: $0, as: UTF8.self) }
        return "\(entry.level) \(place) \(words.joined(separator: "|"))"
      }
    }
  }

  static let readable: [(Int, String, [String])] = [
    (1, "account required a.so", ["0 s:1 a.so"]),
    (2, "\n# comment\n  # another\naccount\trequired\ta.so # why\n", ["0 s:4 a.so"]),
    (3, "ACCOUNT Required a.so\n", ["0 s:1 a.so"]),
    (4, "-account required a.so one two=2", ["0 s:1 a.so|one|two=2"]),
    (
      5, "account required \\\n  a.so \\\n one\naccount required b.so",
      ["0 s:1 a.so|one", "0 s:4 b.so"]
    ),
    (6, "account required a.so [prompt=two words] x", ["0 s:1 a.so|prompt=two words|x"]),
    (7, "account required a.so [one\\]two]", ["0 s:1 a.so|one]two"]),
    (8, "auth required a.so\npassword required b.so\nsession optional c.so", []),
    (9, "account [success=1 default=ignore] a.so", ["0 s:1 a.so"]),
    (10, "account [ success = ok  default=die ] a.so", ["0 s:1 a.so"]),
    (11, "account[default=bad]a.so", []),
    (12, "", []),
  ]

  @Test("service files are parsed", arguments: readable)
  func reads(row: Int, text: String, expected: [String]) throws {
    // Row 11 has an invalid type.
    guard row != 11 else {
      #expect(throws: StackRefusal.self) { try shown(["s": text]) }
      return
    }
    #expect(try shown(["s": text]) == expected, "row \(row)")
  }

  @Test("files are included at their positions")
  func includes() throws {
    let files = [
      "s": "account required a.so\n@include common\naccount include more\naccount substack sub\n"
        + "account required z.so",
      "common": "auth required x.so\naccount required b.so\n@include deep",
      "deep": "account required c.so",
      "more": "account required d.so\nauth required y.so",
      "sub": "account required e.so\n@include deep",
    ]
    #expect(
      try shown(files) == [
        "0 s:1 a.so", "0 common:2 b.so", "0 deep:1 c.so", "0 more:1 d.so", "0 s:4 substack",
        "1 sub:1 e.so", "1 deep:1 c.so", "0 s:5 z.so",
      ])
    #expect(try shown(files, .auth) == ["0 common:1 x.so"])
  }

  @Test("other is used for a service without a file, and for a type without a line")
  func other() throws {
    let other = "account required o.so\nauth required p.so"
    #expect(try shown(["other": other]) == ["0 other:1 o.so"])
    #expect(try shown(["s": "auth required a.so", "other": other]) == ["0 other:1 o.so"])
    #expect(try shown(["s": "auth required a.so", "other": other], .auth) == ["0 s:1 a.so"])
    #expect(try shown([:]) == [])
  }

  private static func position(_ text: String) -> StackPosition { StackPosition(text) }

  static let refusals: [(Int, String, StackRefusal)] = [
    (1, "account", .notUnderstood(position("s:1"))),
    (2, "account required", .notUnderstood(position("s:1"))),
    (3, "\nacount required a.so", .notUnderstood(position("s:2"))),
    (4, "account reqired a.so", .notUnderstood(position("s:1"))),
    (5, "account [success=maybe] a.so", .notUnderstood(position("s:1"))),
    (6, "account [success] a.so", .notUnderstood(position("s:1"))),
    (7, "account [success=ok a.so", .notUnderstood(position("s:1"))),
    (8, "account required a.so \\", .notUnderstood(position("s:1"))),
    (9, "account required \\\n# comment\na.so", .notUnderstood(position("s:2"))),
    (10, "account required a.so # comment \\\nb", .notUnderstood(position("s:1"))),
    (11, "account required a.so\u{1}", .notUnderstood(position("s:1"))),
    (101, "account required a.so\r", .carriageReturn(position("s:1"))),
    (102, "# x\r\n\t#y\r\naccount required a.so\n\r\n", .carriageReturn(position("s:4"))),
    (103, "account required a.so\r ", .carriageReturn(position("s:1"))),
    (12, "account required a\u{0}.so", .notUnderstood(position("s:1"))),
    (13, "@include s", .loop(position("s:1"))),
    (14, "@include a b", .notUnderstood(position("s:1"))),
    (15, "@include missing", .notFound(includedAt: position("s:1"))),
    (16, "@include ../shadow", .notUnderstood(position("s:1"))),
    (17, "account include /etc/passwd", .notUnderstood(position("s:1"))),
    (18, "account substack a", .loop(position("b:1"))),
    (19, "account [success=12345 default=bad] a.so", .notUnderstood(position("s:1"))),
  ]

  @Test("an invalid line is refused with its position", arguments: refusals)
  func refused(row: Int, text: String, refusal: StackRefusal) {
    let files = ["s": text, "a": "account substack b", "b": "account include a"]
    #expect(throws: refusal, "row \(row)") { try shown(files) }
  }

  @Test("the depth and the number of lines are limited")
  func bounds() throws {
    var files = ["s": "@include n1"]
    for number in 1...20 { files["n\(number)"] = "@include n\(number + 1)" }
    #expect(throws: StackRefusal.tooDeep(StackPosition("n15:1"))) { try shown(files) }
    let line = "account required a.so\n"
    #expect(try shown(["s": String(repeating: line, count: 1000)]).count == 1000)
    #expect(throws: StackRefusal.tooLong(file: Array("/pam/s".utf8))) {
      try shown(["s": String(repeating: line, count: 1001)])
    }
    // Small files that each include the next one twice; the limit on lines ends this.
    var tree = ["s": "@include t1\n@include t1"]
    for number in 1...12 { tree["t\(number)"] = "@include t\(number + 1)\n@include t\(number + 1)" }
    tree["t13"] = line
    #expect(throws: StackRefusal.self) { try shown(tree) }
    #expect(throws: StackRefusal.tooLong(file: Array("/pam/s".utf8))) {
      try shown(["s": String(repeating: "#", count: 65_537)])
    }
  }

  @Test(
    "service names are validated",
    arguments: ["", "S", "a/b", ".s", "a b", "ü", "a\u{0}", String(repeating: "s", count: 129)])
  func names(name: String) {
    #expect(throws: StackRefusal.notAServiceName) {
      try shown(["s": "account required a.so"], service: name)
    }
  }
}

@Suite struct IncludedServiceFileTests {
  static let rows: [(number: Int, name: String, isIncludedOnly: Bool)] = [
    (1, "common-auth", true),
    (2, "common-session-noninteractive", true),
    (3, "system-auth", true),
    (4, "password-auth", true),
    (5, "smartcard-auth", true),
    (6, "fingerprint-auth", true),
    (7, "postlogin", true),
    (8, "config-util", true),
    (9, "system-login", true),
    (10, "system-local-login", true),
    (11, "system-remote-login", true),
    (12, "system-services", true),
    (13, "common", false),
    (14, "login", false),
    (15, "sshd", false),
    (16, "gdm-password", false),
    // libpam uses `other` for services without a file.
    (17, "other", false),
    (18, "", false),
  ]

  @Test(arguments: rows)
  func filesThatAreNoServiceAreRecognised(number: Int, name: String, isIncludedOnly: Bool) {
    #expect(IncludedServiceFile.contains(Array(name.utf8)) == isIncludedOnly, "row \(number)")
  }
}

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
    #expect(throws: StackRefusal.system(file: file, .untrusted(expected)), "row \(row)") {
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

/// Service files in memory, in the folder `/pam`.
struct MemoryStacks: StackSource {
  var files: [String: String] = [:]

  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    let name = String(decoding: name, as: UTF8.self)
    return files[name].map {
      StackFile(path: Array("/pam/\(name)".utf8), contents: Array($0.utf8))
    }
  }
}

extension StackPosition {
  /// Parses a position such as `sshd:3`.
  init(_ text: String) {
    let parts = text.split(separator: ":")
    self.init(file: Array("/pam/\(parts[0])".utf8), line: Int(parts[1]) ?? 0)
  }
}
