import Foundation
import Testing

@testable import MFAAdmin

@Suite struct JSONTests {
  static let cases: [(Int, JSON, String)] = [
    (1, .null, "null"),
    (2, .bool(true), "true"),
    (3, .number(-7), "-7"),
    (4, .string("a\"b\\c"), #""a\"b\\c""#),
    (5, .string("\n\u{0}\u{7F}\u{9B}ü"), #""\u000a\u0000\u007f\u009bü""#),
    (6, .array([]), "[]"),
    (7, .object([]), "{}"),
    (8, .array([.number(1), .null]), "[\n  1,\n  null\n]"),
    (9, .object([("a", .array([.bool(false)]))]), "{\n  \"a\": [\n    false\n  ]\n}"),
    (10, JSON(nil), "null"),
  ]

  @Test(arguments: [0, 1, 2, 3000])
  func inPieces(_ count: Int64) {
    var pieces: [String] = []
    JSON.writeObject(
      "all", 0..<count, value: { .object([("number", .number($0)), ("none", .array([]))]) },
      to: { pieces.append($0) })
    let whole = JSON.object([
      ("all", .array((0..<count).map { .object([("number", .number($0)), ("none", .array([]))]) }))
    ])
    #expect(pieces.joined() == whole.text + "\n")
    #expect((pieces.count > 1) == (count == 3000))
  }

  @Test(arguments: cases) func written(_ number: Int, _ value: JSON, _ expected: String) {
    #expect(value.text == expected, "case \(number)")
  }

  @Test func foundationReadsTheSameText() throws {
    let text = String(String.UnicodeScalarView((0...0x2FF).compactMap { Unicode.Scalar($0) }))
    let data = Data(JSON.object([("text", .string(text))]).text.utf8)
    let read = try JSONSerialization.jsonObject(with: data) as? [String: String]
    #expect(read == ["text": text])
  }
}

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
    let refusal = #expect(throws: AdminError.self) {
      _ = try JSONReader.value(of: Array(text.utf8))
    }
    #expect(refusal == JSONReader.refusal(reason), "case \(number)")
  }

  @Test func everyPrefixIsRefusedOrRead() {
    let text = Array(#" {"a": [1, true, null, "\u00fc\n"], "b": {"c": -12}} "#.utf8)
    for count in 0...text.count {
      do throws(AdminError) {
        _ = try JSONReader.value(of: Array(text.prefix(count)))
        #expect(count >= text.count - 1, "\(count)")
      } catch {
        #expect(count < text.count - 1, "\(count)")
      }
    }
    let notUTF8 = #expect(throws: AdminError.self) {
      _ = try JSONReader.value(of: [0x22, 0xFF, 0x22])
    }
    #expect(notUTF8?.reason == "is not UTF-8")
  }
}

@Suite struct ObjectLiteralTests {
  func value(_ text: String) throws(AdminError) -> JSON {
    try JSONReader.value(of: try ObjectLiteral.json(Array(text.utf8)))
  }

  /// Texts, and the JSON with the same value.
  static let accepted: [(Int, String, String)] = [
    (1, "{}", "{}"), (2, "{a: 1}", #"{"a":1}"#), (3, "{a: 1,}", #"{"a":1}"#),
    (4, "[1, 2,]", "[1,2]"), (5, "{'a': 'b'}", #"{"a":"b"}"#),
    (
      6, #"{a: '"', b: 'it\'s', c: "it\'s", d: '\"'}"#,
      #"{"a":"\"","b":"it's","c":"it's","d":"\""}"#
    ),
    (7, "{a: 1, // one\n b: /* two, */ 2}//", #"{"a":1,"b":2}"#),
    (8, "{\u{A0}a: null, $b_1: true, c: false }", #"{"a":null,"$b_1":true,"c":false}"#),
    (9, "\u{FEFF}{a: -1.0e1}\r\n", #"{"a":-10}"#), (10, #"{"a//": "/*"}"#, #"{"a//":"/*"}"#),
    (11, #"{a: '\\'}"#, #"{"a":"\\"}"#), (12, #"{a: '\u0041,}'}"#, #"{"a":"A,}"}"#),
    (13, "{a: [ {b: 1,}, ],}", #"{"a":[{"b":1}]}"#), (14, "{true: 1}", #"{"true":1}"#),
  ]

  @Test(arguments: accepted) func reads(_ number: Int, _ text: String, _ json: String) throws {
    #expect(try value(text) == JSONReader.value(of: Array(json.utf8)), "case \(number)")
  }

  static let refused: [(Int, String, String)] = [
    (1, "", "is empty; copy the object, from its { to its }"),
    (2, "{a: 1,,}", "is not JSON: there must be a name or } (line 1, column 7)"),
    (3, "{,}", "is not JSON: there must be a name or } (line 1, column 2)"),
    (4, "[,]", "is not JSON: there must be a value or ] (line 1, column 2)"),
    (5, "{a:,}", "is not JSON: there must be a value (line 1, column 4)"),
    (6, "[1 2]", "is not JSON: there must be a comma or ] (line 1, column 4)"),
    (7, "{a: 1\n b: 2}", "is not JSON: there must be a comma or } (line 2, column 2)"),
    (8, "{a: {}", "is not JSON: there must be a comma or } (line 1, column 7)"),
    (9, "{a}", "is not JSON: there must be a colon (line 1, column 3)"),
    (10, "{a: `b`}", "has ` outside a string (line 1, column 5)"),
    (11, "{/* a: 1}", "has a comment without an end (line 1, column 2)"),
    (
      12, "[a: 1]",
      "has a; replace it with a number, or a string in quotation marks (line 1, column 2)"
    ),
    (13, "{a: 1]", "is not JSON: there must be a comma or } (line 1, column 6)"),
    (14, "{'a\n': 1}", "has a string \(notAllowed) (line 1, column 2)"),
    (15, #"{a: '\x41'}"#, "has a string \(notAllowed) (line 1, column 5)"),
    (
      16, "getAuth().updateProjectConfig({a: 1})",
      "does not begin with {; copy the object only, from its { to its } (line 1, column 1)"
    ),
    (
      17, "'{}'",
      "does not begin with {; copy the object only, from its { to its } (line 1, column 1)"
    ),
    (
      18, "{a: 1})",
      "has text after the last }; copy the object only, from its { to its } (line 1, column 7)"
    ),
    (
      19, "{};",
      "has text after the last }; copy the object only, from its { to its } (line 1, column 3)"
    ),
    (
      20, "{}\n\n }",
      "has text after the last }; copy the object only, from its { to its } (line 3, column 2)"
    ),
    (21, "{a: 'b}", "has a string without a quotation mark at its end (line 1, column 5)"),
    (22, #"{a: 'b\"#, "has a string without a quotation mark at its end (line 1, column 5)"),
    (
      23, "{a: {intervals: NUM_ADJ_INTERVALS}}",
      "has NUM_ADJ_INTERVALS as the value of intervals; replace it with a number, or a string in "
        + "quotation marks (line 1, column 17)"
    ),
    (
      24, #"{"intervals" : 05}"#,
      "has 05 as the value of intervals; replace it with a number, or a string in quotation marks "
        + "(line 1, column 16)"
    ),
    (
      25, "{'\u{1B}[2J': 0x5}", "has a string \(notAllowed) (line 1, column 2)"
    ),
    (
      26, "{a: 1, b: [1, {c: 1, 'c': 2}]}",
      "has the member b[1].c twice; remove one of the two (line 1, column 22)"
    ),
    (27, "{a: 1.5}", "has a number at a that is not a 64-bit integer"),
    (28, "{\u{201C}a\u{201D}: 1}", "has \u{201C} outside a string (line 1, column 2)"),
    (29, "{a: \u{0}}", #"has \x00 outside a string (line 1, column 5)"#),
    (
      30, #"{a: 1, "\u0061": 1}"#,
      "has the member a twice; remove one of the two (line 1, column 8)"
    ),
    (31, #"["\ud800"]"#, "has a string \(notAllowed) (line 1, column 2)"),
    (32, "// 電話\n{電: 1}", "has 電 outside a string (line 2, column 2)"),
    (33, "/* 電話 */ {,", "is not JSON: there must be a name or } (line 1, column 11)"),
    (34, "[}", "is not JSON: there must be a value or ] (line 1, column 2)"),
    (35, "{a: 1: 2}", "is not JSON: there must be a comma or } (line 1, column 6)"),
  ]

  static let notAllowed =
    "that JSON does not allow; it allows no line feeds and other control characters, and after a "
    + "backslash only \", \\, /, b, f, n, r, t, and u with four digits"

  @Test(arguments: refused) func refuses(_ number: Int, _ text: String, _ reason: String) {
    let refusal = #expect(throws: AdminError.self, "case \(number)") {
      _ = try value(text)
    }
    #expect(refusal == JSONReader.refusal(reason), "case \(number)")
  }

  @Test func refusesOtherEncodings() {
    let refusal = #expect(throws: AdminError.self) {
      _ = try ObjectLiteral.json(Array("{a: '".utf8) + [0xFF] + Array("'}".utf8))
    }
    #expect(refusal == JSONReader.refusal("is not UTF-8"))
  }

  /// MUST 1.
  @Test func jsonKeepsItsValue() throws {
    for (number, text, json) in JSONReaderTests.accepted {
      #expect(try value("[\(text)]") == .array([json]), "case \(number)")
    }
    for (number, json, text) in JSONTests.cases {
      #expect(try value("{\"a\": [\(text)]}") == .object([("a", .array([json]))]), "case \(number)")
    }
  }
}
