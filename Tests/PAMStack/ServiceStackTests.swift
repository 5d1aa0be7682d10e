import MFAPAMStack
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
