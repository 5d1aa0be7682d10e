import Testing

@testable import MFAAdmin

@Suite struct ObjectLiteralTests {
  func value(_ text: String) throws(JSONReader.Refusal) -> JSON {
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
    let refusal = #expect(throws: JSONReader.Refusal.self, "case \(number)") {
      _ = try value(text)
    }
    #expect(refusal == JSONReader.Refusal(reason: reason), "case \(number)")
  }

  @Test func refusesOtherEncodings() {
    let refusal = #expect(throws: JSONReader.Refusal.self) {
      _ = try ObjectLiteral.json(Array("{a: '".utf8) + [0xFF] + Array("'}".utf8))
    }
    #expect(refusal == JSONReader.Refusal(reason: "is not UTF-8"))
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
