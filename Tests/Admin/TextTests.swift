import Testing

@testable import MFAAdmin

@Suite struct TextTests {
  static let visible: [(Int, [UInt8], String)] = [
    (1, Array("alice".utf8), "alice"),
    (2, Array("jürgen".utf8), "jürgen"),
    (3, [0x61, 0x1B, 0x5B, 0x6D], "a\\x1b[m"),
    (4, [0x61, 0x0A, 0x62], "a\\x0ab"),
    (5, [0x61, 0xFF], "a\\xff"),
    (6, Array("a\u{202E}b".utf8), "a\\xe2\\x80\\xaeb"),
    (7, Array("a\u{9B}b".utf8), "a\\xc2\\x9bb"),
    (8, [], ""),
    (9, Array("a b".utf8), "a b"),
    (10, Array("\u{1B}\\".utf8), "\\x1b\\x5c"),
    (11, Array("a\u{200D}b".utf8), "a\\xe2\\x80\\x8db"),
    (12, Array("a\u{3164}b".utf8), "a\\xe3\\x85\\xa4b"),
  ]

  @Test(arguments: visible)
  func deceptiveCharactersAreEscaped(_ number: Int, _ bytes: [UInt8], _ expected: String) {
    #expect(VisibleText.escaping(bytes) == expected, "case \(number)")
  }

  @Test func lineFeedsAreKept() {
    #expect(VisibleText.escaping("one\ntwo\u{7}\n") == "one\ntwo\\x07\n")
  }

  static let widths: [(Int, String, Int)] = [
    (1, "", 0),
    (2, "abc", 3),
    (3, "e\u{301}", 1),
    (4, "電話", 4),
    (5, "📱", 2),
    (6, "ü…", 2),
    // Combining marks: enclosing, Thai and Arabic.
    (7, "a\u{20DD}", 1),
    (8, "ก\u{E31}", 1),
    (9, "ب\u{64E}", 1),
    (10, "한글", 4),
    (11, "\u{1112}\u{1161}\u{11AB}", 2),
    (12, "Ａｱ、", 5),
    (13, "\u{1FAE0}😀", 4),
    (14, "a\u{200B}b", 2),
    (15, "\u{378}\u{9B}", 2),
    (16, "\u{20000}", 2),
  ]

  @Test(arguments: widths) func width(_ number: Int, _ text: String, _ expected: Int) {
    #expect(TextWidth.of(text) == expected, "case \(number)")
  }

  static let cuts: [(Int, String, Int, String)] = [
    (1, "telephone", 9, "telephone"),
    (2, "telephone", 8, "telepho…"),
    (3, "電話電話", 8, "電話電話"),
    (4, "電話電話", 7, "電話電…"),
    (5, "電話電話", 6, "電話…"),
    (6, "ab", 1, "…"),
  ]

  @Test(arguments: cuts)
  func cut(_ number: Int, _ text: String, _ columns: Int, _ expected: String) {
    #expect(TextWidth.cut(text, to: columns) == expected, "case \(number)")
    #expect(TextWidth.of(TextWidth.cut(text, to: columns)) <= columns, "case \(number)")
  }

  @Test func padding() {
    #expect(TextWidth.pad("電", to: 4) == "電  ")
    #expect(TextWidth.pad("long", to: 2) == "long")
  }
}
