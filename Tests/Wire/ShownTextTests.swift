import MFAWire
import Testing

@Suite struct ShownTextTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let text: [UInt8]
    let shown: String
    var testDescription: String { "\(number)" }
  }

  static let rows: [Row] = [
    Row(number: 1, text: Array("Password: ".utf8), shown: "Password: "),
    Row(number: 2, text: [], shown: ""),
    Row(number: 3, text: Array("two\nlines".utf8), shown: "two\nlines"),
    Row(number: 4, text: Array("\u{1B}]52;c;AAAA\u{07}".utf8), shown: "?]52;c;AAAA?"),
    Row(number: 5, text: Array("a\r\tb\u{0}c\u{7F}d".utf8), shown: "a??b?c?d"),
    Row(number: 6, text: Array("\u{9B}31m".utf8), shown: "?31m"),
    Row(number: 7, text: Array("\u{202E}drowssaP\u{2066}".utf8), shown: "?drowssaP?"),
    Row(number: 8, text: Array("Пароль, 密碼, 🔑, é".utf8), shown: "Пароль, 密碼, 🔑, é"),
    Row(number: 9, text: [65, 0xFF, 66, 0xC3], shown: "A?B?"),
    Row(number: 10, text: Array("\u{2028}\u{FEFF}\u{E0041}".utf8), shown: "???"),
    Row(
      number: 11, text: [UInt8](repeating: 65, count: 1025),
      shown: String(repeating: "A", count: 1024)),
    // A character that does not fit completely is omitted.
    Row(
      number: 12, text: [UInt8](repeating: 65, count: 1023) + Array("é".utf8),
      shown: String(repeating: "A", count: 1023)),
    // Joiners belong to the spelling of Persian and of some emoji; other invisible characters do
    // not.
    Row(number: 13, text: Array("می\u{200C}خواهم".utf8), shown: "می\u{200C}خواهم"),
    Row(number: 14, text: Array("a\u{200B}\u{AD}\u{2060}b".utf8), shown: "a???b"),
    Row(number: 15, text: Array("\u{FFF9}\u{3164}\u{180E}".utf8), shown: "???"),
  ]

  @Test("control characters are removed from shown text", arguments: rows)
  func cleaning(row: Row) {
    let text = DisplayText(cleaning: row.text)
    #expect(text.utf8 == Array(row.shown.utf8))
    #expect(DisplayText(cleaning: text.utf8) == text)
  }
}
