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
