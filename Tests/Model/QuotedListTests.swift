import MFABase
import Testing

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
