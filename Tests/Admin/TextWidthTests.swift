import Testing

@testable import MFAAdmin

@Suite("Widths of texts")
struct TextWidthTests {
  @Test(
    "long lines are broken at spaces, with their indentation",
    arguments: [
      (1, "", 10, ""), (2, "one two", 10, "one two"), (3, "one two thr", 10, "one two\n    thr"),
      (4, "  one two thr", 10, "  one two\n      thr"),
      (5, "a verylongword b", 8, "a\n    verylongword\n    b"),
      (6, "one two thr\n  x\n", 10, "one two\n    thr\n  x\n"),
      // Wide characters take two columns.
      (7, "\u{4E00}\u{4E00} \u{4E00}\u{4E00} x", 9, "\u{4E00}\u{4E00} \u{4E00}\u{4E00}\n    x"),
    ] as [(Int, String, Int, String)])
  func wrapped(number: Int, text: String, columns: Int, expected: String) {
    #expect(TextWidth.wrapped(text, to: columns) == expected, "row \(number)")
    #expect(TextWidth.wrapped(text, to: nil) == text, "row \(number)")
  }
}
