import MFABase
import Testing

@testable import MFAModel

@Suite struct ExcerptTests {
  @Test(arguments: [
    (1, "", ""),
    (2, "adjacent_intervals", "adjacent_intervals"),
    (3, "a b~", "a b~"),
    (4, "a\"b\\c", "a\\\"b\\\\c"),
    (5, "\u{1B}[31m", "\\x1b[31m"),
    (6, "\0\t\n\r\u{7F}", "\\x00\\x09\\x0a\\x0d\\x7f"),
    (7, "\u{85}ü", "\\xc2\\x85\\xc3\\xbc"),
    (8, String(repeating: "x", count: 64), String(repeating: "x", count: 64)),
    (9, String(repeating: "x", count: 65), String(repeating: "x", count: 64) + "..."),
    (10, String(repeating: "\u{1}", count: 16), String(repeating: "\\x01", count: 16)),
    (
      11, "x" + String(repeating: "\u{1}", count: 16),
      "x" + String(repeating: "\\x01", count: 15) + "..."
    ),
    (12, String(repeating: "x", count: 63) + "\\", String(repeating: "x", count: 63) + "..."),
  ])
  func escapes(number: Int, text: String, escaped: String) {
    #expect(readable(excerpt(text).text) == escaped, "row \(number)")
  }

  @Test func everyByteComesOutPrintable() {
    for byte in UInt8.min...UInt8.max {
      let excerpt = Excerpt([byte].span)
      #expect(excerpt.text.allSatisfy { (0x20...0x7E).contains($0) })
      #expect(!excerpt.text.isEmpty && excerpt.text.count <= 4)
    }
  }
}

@Suite("Lists with names in quotes")
struct QuotedListTests {
  private static func read(_ text: String, _ separator: Character) -> [String]? {
    QuotedList.elements(of: Array(text.utf8), separatedBy: separator.asciiValue ?? 0)?.map {
      ($0.isQuoted ? "'" : "") + String(decoding: $0.text, as: UTF8.self)
    }
  }

  @Test(
    "elements are separated outside of quotes",
    arguments: [
      (1, "a, b ,c", ",", ["a", "b", "c"]), (2, "", ",", [""]), (3, "a,", ",", ["a", ""]),
      (4, #""a, b",c"#, ",", ["'a, b", "c"]), (5, #" "a" "#, ",", ["'a"]),
      (6, #""a\"b\\""#, ",", [#"'a"b\"#]), (7, "\"\"", ",", ["'"]), (8, "a b", ",", ["a b"]),
      (9, "a  b\tc ", " ", ["a", "b\tc"]), (10, "", " ", []), (11, "   ", " ", []),
      (12, #""a b" c"#, " ", ["'a b", "c"]), (13, #"" a ""#, " ", ["' a "]),
      (14, #"a\b"#, ",", [#"a\b"#]),
    ] as [(Int, String, Character, [String])])
  func elements(row: Int, text: String, separator: Character, expected: [String]) {
    #expect(Self.read(text, separator) == expected, "row \(row)")
  }

  @Test(
    "misplaced quotes are refused",
    arguments: [
      #""a"#, #"a"b"#, #"a"b""#, #""a"b"#, #""a" b"#, #""a\"#, #""a\n""#, #""a""b""#, "\"",
    ])
  func refused(text: String) {
    #expect(Self.read(text, ",") == nil)
  }

  @Test(
    "a name in quotes is read back", arguments: ["", "a", #"a"b"#, #"\"#, #"\""#, "a, b", "#="])
  func roundTrip(name: String) {
    let text = String(decoding: QuotedList.quoted(Array(name.utf8)), as: UTF8.self)
    #expect(Self.read(text, ",") == ["'" + name] && Self.read(text, " ") == ["'" + name])
  }
}

@Suite struct IPAddressTests {
  @Test(arguments: [
    (1, "0.0.0.0", "0.0.0.0"), (2, "192.0.2.1", "192.0.2.1"),
    (3, "255.255.255.255", "255.255.255.255"), (4, "::", "::"), (5, "::1", "::1"),
    (6, "1::", "1::"),
    (7, "2001:db8::1", "2001:db8::1"), (8, "2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
    (9, "2001:0db8::0001", "2001:db8::1"), (10, "1:0:0:2:0:0:0:3", "1:0:0:2::3"),
    (11, "1:0:0:2:3:0:0:4", "1::2:3:0:0:4"), (12, "1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
    (13, "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), (14, "::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    (15, "::ffff:192.0.2.1", "192.0.2.1"), (16, "::FFFF:c000:201", "192.0.2.1"),
    (17, "0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"), (18, "64:ff9b::192.0.2.1", "64:ff9b::c000:201"),
    (19, "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), (20, "::1.2.3.4", "::102:304"),
    (
      21, "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
    ),
    (22, "fe80::1:0:0", "fe80::1:0:0"), (23, "0:0:1::", "0:0:1::"), (24, "1::2:0", "1::2:0"),
    (25, "::fffe:1.2.3.4", "::fffe:102:304"), (26, "0:0:0:0:1:0:0:0", "::1:0:0:0"),
  ])
  func addresses(number: Int, text: String, printed: String) throws {
    let parsed = try #require(address(of: text), "row \(number)")
    #expect(readable(parsed.text) == printed, "row \(number)")
    #expect(parsed.isIPv4 == printed.contains("."), "row \(number)")
    #expect(address(of: printed) == parsed, "row \(number)")
  }

  @Test(arguments: [
    (1, ""), (2, "192.0.2"), (3, "192.0.2.1.1"), (4, "192.0.2.256"), (5, "192.0.2.01"),
    (6, "192.0.2."), (7, ".192.0.2.1"), (8, "192..2.1"), (9, "192.0.2.1 "), (10, " 192.0.2.1"),
    (11, "0x7f.0.0.1"), (12, "2130706433"), (13, "192.0.2.-1"), (14, "192.0.2.1:22"), (15, ":"),
    (16, ":::"), (17, "1:2:3:4:5:6:7"), (18, "1:2:3:4:5:6:7:8:9"), (19, "1:2:3:4:5:6:7:8::"),
    (20, "1:2:3:4::5:6:7:8"), (21, "1::2::3"), (22, "12345::"), (23, "g::"), (24, ":1::"),
    (25, "1::2:"), (26, "1:2:3:4:5:6:7:1.2.3.4"), (27, "::1.2.3"), (28, "::1.2.3.4:5"),
    (29, "fe80::1%eth0"), (30, "[::1]"), (31, "::1/128"), (32, "localhost"), (33, "dead.beef"),
    (34, "1.2.3.4::"), (35, "::01.2.3.4"), (36, "::ffff:1.2.3.456"), (37, "0:0:0:0:0:0:0:0:"),
    (38, "00000000:0000:0000:0000:0000:0000:0000:000001"), (39, "::\u{661}"),
    (40, "1:2:3:4:5:6::1.2.3.4"),
  ])
  func others(number: Int, text: String) {
    #expect(address(of: text) == nil, "row \(number)")
  }

  @Test func randomTextsAreRefusedOrParsed() {
    let pieces = ["::", ":", "0", "1", "ffff", "f", ".", "192.0.2.1", "255", "01", "g", "/", "%"]
    var random = FixedRandom(seed: 5)
    for _ in 0..<50_000 {
      let text = (0..<Int.random(in: 0...16, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      guard let parsed = address(of: text) else { continue }
      #expect(address(of: readable(parsed.text)) == parsed, "\(text)")
    }
  }
}

@Suite("The source of a request")
struct SourceTests {
  private static func source(_ text: String, at host: String) -> String {
    String(decoding: Source(Array(text.utf8)).at(host: Array(host.utf8)).text, as: UTF8.self)
  }

  @Test("the host of a realm is named before the terminal or address")
  func host() {
    #expect(Self.source("pts/3", at: "web1") == "web1:pts/3")
    #expect(Self.source("2001:db8::1", at: "web1") == "web1:2001:db8::1")
    #expect(Self.source("", at: "web1") == "web1")
  }

  @Test("of a text that is too long, the name of the host is cut")
  func longHost() {
    let host = String(repeating: "h", count: 255)
    let address = "2001:db8:1111:2222:3333:4444:5555:6666"
    let source = Self.source(address, at: host)
    #expect(source.count == Source.maximumLength)
    #expect(source.hasSuffix("h:" + address))
    let longest = String(repeating: "a", count: Source.maximumLength)
    #expect(Self.source(longest, at: host) == longest)
    #expect(Self.source(String(longest.dropLast()), at: host) == longest.dropLast())
  }
}
