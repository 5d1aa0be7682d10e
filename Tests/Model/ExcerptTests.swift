import MFAModel
import Testing

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
