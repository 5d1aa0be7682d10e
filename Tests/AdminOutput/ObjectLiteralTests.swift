import Testing

@testable import MFAAdminOutput

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
    (1, "", "is not JSON"), (2, "{a: 1,,}", "is not JSON"), (3, "{,}", "is not JSON"),
    (4, "[,]", "is not JSON"), (5, "{a:,}", "is not JSON"), (6, "[1 2]", "is not JSON"),
    (7, "{a: 1 b: 2}", "is not JSON"), (8, "{a: {}", "is not JSON"),
    (9, "{a}", "has a; replace it with a number, or a string in quotation marks"),
    (10, "{a: `b`}", "has ` outside a string"), (11, "{/* a: 1}", "is not JSON"),
    (12, "[a: 1]", "is not JSON"),
    (13, "{a: 1]", "is not JSON"), (14, "{'a\n': 1}", "is not JSON"),
    (15, #"{a: '\x41'}"#, "is not JSON"),
    (
      16, "getAuth().updateProjectConfig({a: 1})",
      "does not begin with {; copy the object only, from its { to its }"
    ),
    (17, "'{}'", "does not begin with {; copy the object only, from its { to its }"),
    (18, "{a: 1})", "has text after the last }; copy the object only, from its { to its }"),
    (19, "{};", "has text after the last }; copy the object only, from its { to its }"),
    (20, "{}}", "has text after the last }; copy the object only, from its { to its }"),
    (21, "{a: 'b}", "has a string without a quotation mark at its end"),
    (22, #"{a: 'b\"#, "has a string without a quotation mark at its end"),
    (
      23, "{a: {intervals: NUM_ADJ_INTERVALS}}",
      "has NUM_ADJ_INTERVALS as the value of intervals; replace it with a number, or a string in "
        + "quotation marks"
    ),
    (
      24, #"{"intervals" : 05}"#,
      "has 05 as the value of intervals; replace it with a number, or a string in quotation marks"
    ),
    (
      25, "{'\u{1B}[2J': 0x5}",
      #"has 0x5 as the value of \x1b[2J; replace it with a number, or a string in quotation marks"#
    ),
    (26, "{a: 1, 'a': 2}", "has the member \"a\" twice"),
    (27, "{a: 1.5}", "has a number at a that is not a 64-bit integer"),
    (28, "{\u{201C}a\u{201D}: 1}", "has \u{201C} outside a string"),
    (29, "{a: \u{0}}", #"has \x00 outside a string"#),
  ]

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
