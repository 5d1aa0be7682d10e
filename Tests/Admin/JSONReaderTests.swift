import Testing

@testable import mfa_admin

@Suite struct JSONReaderTests {
  static let accepted: [(Int, String, JSON)] = [
    (1, "null", .null), (2, " true\n", .bool(true)), (3, "\tfalse\r\n", .bool(false)),
    (4, "0", .number(0)), (5, "-7", .number(-7)), (6, #""a""#, .string("a")),
    (7, #""\"\\\/\b\f\n\r\t\u00fc""#, .string("\"\\/\u{8}\u{C}\n\r\t\u{FC}")),
    (8, "[]", .array([])), (9, "[ 1 , [ ] ]", .array([.number(1), .array([])])),
    (10, "{}", .object([])),
    (11, #"{"b":1,"a":{"b":null}}"#, .object([("b", .number(1)), ("a", .object([("b", .null)]))])),
    (12, "[1,1]", .array([.number(1), .number(1)])),
  ]

  @Test(arguments: accepted) func reads(_ number: Int, _ text: String, _ value: JSON) throws {
    #expect(try JSONReader.value(of: Array(text.utf8)) == value, "case \(number)")
  }

  @Test func printedValuesReadBackEqual() throws {
    for (number, value, text) in JSONTests.cases {
      #expect(try JSONReader.value(of: Array(text.utf8)) == value, "case \(number)")
    }
  }

  static let refused: [(Int, String, Int, String)] = [
    (1, "", 1, "is not JSON"), (2, "nul", 1, "is not JSON"), (3, "{", 1, "is not JSON"),
    (4, "\n[1,", 2, "is not JSON"), (5, "[1,]", 1, "is not JSON"), (6, "[1 2]", 1, "is not JSON"),
    (7, #"{"a" 1}"#, 1, "is not JSON"), (8, "{a:1}", 1, "is not JSON"),
    (9, #"{"a":1,}"#, 1, "is not JSON"), (10, "'a'", 1, "is not JSON"),
    (11, "1 2", 1, "has extra text after the JSON value"),
    (12, "{}\n{}", 2, "has extra text after the JSON value"),
    (13, "1.5", 1, "has the number 1.5, which is not a 64-bit integer"),
    (14, "5.0", 1, "has the number 5.0, which is not a 64-bit integer"),
    (15, "01", 1, "has the number 01, which is not a 64-bit integer"),
    (16, "1e1", 1, "has the number 1e1, which is not a 64-bit integer"),
    (
      17, "9223372036854775808", 1,
      "has the number 9223372036854775808, which is not a 64-bit integer"
    ),
    (18, #""a"#, 1, "ends within a string"), (19, #""\"#, 1, "ends within a string"),
    (20, "\"\n\"", 2, "has a control character in a string"),
    (21, #""\x""#, 1, "has an unsupported escape sequence"),
    (22, #""\u12""#, 1, "has an unsupported escape sequence"),
    (23, #""\ud800""#, 1, "has an unsupported escape sequence"),
    (24, "{\"a\":1,\n\"a\":2}", 2, "has the member \"a\" twice"),
    (25, String(repeating: "[", count: 17), 1, "is nested too deeply"),
    (26, #"{"\n":1,"\n":2}"#, 1, #"has the member "\x0a" twice"#),
  ]

  @Test(arguments: refused)
  func refuses(_ number: Int, _ text: String, _ line: Int, _ reason: String) {
    let refusal = #expect(throws: JSONReader.Refusal.self) {
      _ = try JSONReader.value(of: Array(text.utf8))
    }
    #expect(refusal == JSONReader.Refusal(line: line, reason: reason), "case \(number)")
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
