import Testing

@testable import MFAAdmin

@Suite struct JSONReaderTests {
  static let accepted: [(Int, String, JSON)] = [
    (1, "null", .null), (2, " true\n", .bool(true)), (3, "\tfalse\r\n", .bool(false)),
    (4, "0", .number(0)), (5, "-7", .number(-7)), (6, #""a""#, .string("a")),
    (7, #""\"\\\/\b\f\n\r\t\u00fc""#, .string("\"\\/\u{8}\u{C}\n\r\t\u{FC}")),
    (8, "[]", .array([])), (9, "[ 1 , [ ] ]", .array([.number(1), .array([])])),
    (10, "{}", .object([])),
    (11, #"{"b":1,"a":{"b":null}}"#, .object([("a", .object([("b", .null)])), ("b", .number(1))])),
    (12, "[1,1]", .array([.number(1), .number(1)])),
    (
      13, #"[{"a":1},{"a":1}]"#,
      .array([.object([("a", .number(1))]), .object([("a", .number(1))])])
    ),
    (14, #"{":":"\"a\":1,\"a\":\\"}"#, .object([(":", .string("\"a\":1,\"a\":\\"))])),
    (15, #""\ud83d\ude00""#, .string("\u{1F600}")),
  ]

  @Test(arguments: accepted) func reads(_ number: Int, _ text: String, _ value: JSON) throws {
    #expect(try JSONReader.value(of: Array(text.utf8)) == value, "case \(number)")
  }

  @Test func printedValuesReadBackEqual() throws {
    for (number, value, text) in JSONTests.cases {
      #expect(try JSONReader.value(of: Array(text.utf8)) == value, "case \(number)")
    }
  }

  /// MUST 1, in rows 24 to 29.
  static let refused: [(Int, String, String)] = [
    (1, "", "is not JSON"), (2, "nul", "is not JSON"), (3, "{", "is not JSON"),
    (4, "\n[1,", "is not JSON"), (5, "[1,,]", "is not JSON"), (6, "[1 2]", "is not JSON"),
    (7, #"{"a" 1}"#, "is not JSON"), (8, "{a:1}", "is not JSON"),
    (9, #"{"a":1,,}"#, "is not JSON"), (10, "'a'", "is not JSON"), (11, "1 2", "is not JSON"),
    (12, "{}\n{}", "is not JSON"), (13, "1.5", "has a number that is not a 64-bit integer"),
    (14, "[1.5]", "has a number at [0] that is not a 64-bit integer"),
    (
      15, #"{"a":[1,{"b\n":1e-1}]}"#,
      #"has a number at a[1].b\x0a that is not a 64-bit integer"#
    ),
    (16, "9223372036854775808", "has a number that is not a 64-bit integer"),
    (17, "01", "has a number that is not a 64-bit integer"), (18, #""a"#, "is not JSON"),
    (19, #""\"#, "is not JSON"),
    (20, "\"\n\"", "is not JSON"), (21, #""\x""#, "is not JSON"), (22, #""\u12""#, "is not JSON"),
    (23, #""\ud800""#, "is not JSON"),
    (24, "{\"a\":1,\n\"a\":2}", "has the member \"a\" twice"),
    (25, #"{"\n":1,"\n":2}"#, #"has the member "\x0a" twice"#),
    (26, #"{"a":1,"\u0061":1}"#, "has the member \"a\" twice"),
    (27, #"[{"b":{"a":{"c":1},"a":2}}]"#, "has the member \"a\" twice"),
    (28, #"{"\"":1,"b":"\\","\"":2}"#, #"has the member """ twice"#),
    (29, #"{"a":1,"a":1,"a":1}"#, "has the member \"a\" twice"),
    (30, String(repeating: "[", count: 10_000), "is not JSON"),
    (31, "{\u{0}\"a\u{0}\":\u{0}1\u{0}}\u{0}", "is not UTF-8"),
  ]

  @Test(arguments: refused)
  func refuses(_ number: Int, _ text: String, _ reason: String) {
    let refusal = #expect(throws: JSONReader.Refusal.self) {
      _ = try JSONReader.value(of: Array(text.utf8))
    }
    #expect(refusal == JSONReader.Refusal(reason: reason), "case \(number)")
  }

  @Test func everyPrefixIsRefusedOrRead() {
    let text = Array(#" {"a": [1, true, null, "\u00fc\n"], "b": {"c": -12}} "#.utf8)
    for count in 0...text.count {
      do throws(JSONReader.Refusal) {
        _ = try JSONReader.value(of: Array(text.prefix(count)))
        #expect(count >= text.count - 1, "\(count)")
      } catch {
        #expect(count < text.count - 1, "\(count)")
      }
    }
    let notUTF8 = #expect(throws: JSONReader.Refusal.self) {
      _ = try JSONReader.value(of: [0x22, 0xFF, 0x22])
    }
    #expect(notUTF8?.reason == "is not UTF-8")
  }
}
