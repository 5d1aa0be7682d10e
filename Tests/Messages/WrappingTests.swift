import Glibc
import MFACTestSupport
import MFAMessages
import Testing

/// A text and its lines, by rules of their own: the columns are those of the system's `wcwidth`, and a
/// line may end only at a space or beside a wide character.
struct WrappedText {
  let text: [Unicode.Scalar]
  let lines: [[Unicode.Scalar]]

  init(_ text: String, _ wrapped: String) {
    self.text = Array(text.unicodeScalars)
    lines = wrapped.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(
      Array.init)
  }

  private static func columns(of line: some Sequence<Unicode.Scalar>) -> Int {
    line.reduce(0) { $0 + Int(ctest_columns(wchar_t(bitPattern: $1.value))) }
  }

  private static func isWide(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { ctest_columns(wchar_t(bitPattern: $0.value)) == 2 } ?? false
  }

  private static let closing = Set("、。，：；？！」』）".unicodeScalars)
  private static let opening = Set("「『（".unicodeScalars)

  /// The columns of the word at the start of a text, with the punctuation that belongs to the word: up to a space or a
  /// wide character. A number and what it counts are one word, and in Japanese hiragana belong to what stands before them.
  private static func firstWord(_ text: ArraySlice<Unicode.Scalar>, isJapanese: Bool) -> Int {
    var end = text.startIndex
    while end < text.endIndex, text[end] != "\n" {
      let next = text[end] == " " ? text[end...].dropFirst().first : text[end]
      let last = text[..<end].last
      let isBreak = text[end] == " " || isWide(text[end]) || isWide(last)
      let isBound =
        [last, next].contains { digits.contains($0 ?? " ") }
        || isJapanese
          && (isHiragana(next) || isHan(next) && verbStems.contains(last ?? " ")
            || [last, next].allSatisfy { isKatakana($0) }
            || [last, next].allSatisfy { isHan($0) })
        || closing.contains(next ?? " ") || opening.contains(last ?? " ")
      if end > text.startIndex, isBreak, !isBound { break }
      end += 1
    }
    return columns(of: text[..<end])
  }

  private static let verbStems = Set("きぎちびみり".unicodeScalars)

  private static let digits = Set("0123456789".unicodeScalars)

  private static func isHiragana(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { ("\u{3041}"..."\u{309F}").contains($0) } ?? false
  }

  private static func isKatakana(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { ("\u{30A0}"..."\u{30FF}").contains($0) } ?? false
  }

  private static func isHan(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { ("\u{4E00}"..."\u{9FFF}").contains($0) } ?? false
  }

  /// Returns what is wrong with the lines in a window of this width.
  func problems(_ columns: Int) -> [String] {
    var problems: [String] = []
    var rest = text[...]
    for (index, line) in lines.enumerated() {
      let shown = String(String.UnicodeScalarView(line))
      // The space at the end of a prompt may be outside the window.
      let isPrompt = index + 1 == lines.count && line.last == " "
      // A word that no line has room for is the only thing that may be too wide.
      let longest = line.split { $0 == " " || Self.isWide($0) }.map(Self.columns).max() ?? 0
      if Self.columns(of: line) - (isPrompt ? 1 : 0) > columns, longest <= columns - 4 {
        problems.append("too wide: \(shown)")
      }
      guard rest.starts(with: line) else { return problems + ["not in the text: \(shown)"] }
      rest = rest.dropFirst(line.count)
      guard index + 1 < lines.count else { break }
      let next = rest.first
      if next == "\n" || next == " " { rest = rest.dropFirst() }
      guard next != "\n" else { continue }
      let word = Self.firstWord(rest, isJapanese: text.contains { Self.isHiragana($0) })
      let isWithinWord = next != " " && !Self.isWide(line.last) && !Self.isWide(next)
      if isWithinWord { problems.append("a word is broken after: \(shown)") }
      if next == " ", word > 0, Self.columns(of: line) + 1 + word <= columns {
        problems.append("the next word has room: \(shown)")
      }
      if let first = rest.first, Self.closing.contains(first) {
        problems.append("punctuation begins the line after: \(shown)")
      }
      if let last = line.last, Self.opening.contains(last) {
        problems.append("a bracket ends the line: \(shown)")
      }
    }
    return rest.isEmpty ? problems : problems + ["missing at the end: \(rest.count) characters"]
  }
}

@Suite struct WrappingTests {
  struct Row: Sendable {
    let text: MessageText
    let columns: Int
    let lines: String
  }

  @Test(arguments: [
    Row(text: "one two three", columns: 7, lines: "one two\nthree"),
    Row(text: "one two three", columns: 80, lines: "one two three"),
    Row(text: "unbreakable", columns: 4, lines: "unbreakable"),
    Row(text: "a unbreakable b", columns: 4, lines: "a\nunbreakable\nb"),
    Row(text: "Code: ", columns: 5, lines: "Code: "),
    Row(text: "one\ntwo three", columns: 5, lines: "one\ntwo\nthree"),
    Row(text: "", columns: 5, lines: ""),
    Row(text: "確認コードを入力", columns: 8, lines: "確認\nコードを\n入力"),
    Row(text: "確認です。次", columns: 8, lines: "確認で\nす。次"),
    Row(text: "名は「電話」です", columns: 6, lines: "名は\n「電\n話」で\nす"),
    Row(text: "実行 mfa-enroll list", columns: 10, lines: "実行\nmfa-enroll\nlist"),
    Row(text: "番号を入力してください。もう一度", columns: 18, lines: "番号を\n入力してください。\nもう一度"),
    Row(text: "已由 root 移除裝置", columns: 8, lines: "已由\nroot 移\n除裝置"),
    Row(
      text: "It was removed on 27 November 2026, 16:19 CET.", columns: 31,
      lines: "It was removed\non 27 November 2026, 16:19 CET."),
    Row(text: "Try again in 2 minutes.", columns: 15, lines: "Try again\nin 2 minutes."),
    Row(text: "1 2 3 4 5", columns: 4, lines: "1 2\n3 4\n5"),
    Row(
      text: "Réessayez dans 2\u{a0}minutes", columns: 16, lines: "Réessayez\ndans 2\u{a0}minutes"),
  ])
  func wrapped(row: Row) {
    #expect(row.text.wrapped(to: row.columns).string == row.lines)
  }

  @Test("text after a prompt begins at the column of the prompt")
  func indentation() {
    let text: MessageText = "one two"
    #expect(text.wrapped(to: 7, indentation: 3).string == "one\ntwo")
    #expect(text.wrapped(to: 7, indentation: 7).string == "\none two")
  }

  @Test(
    "every message fits the window, and no word is broken that has room in a line",
    arguments: Language.allCases, [40, 60, 80, 100, 120])
  func everyMessage(language: Language, columns: Int) {
    let texts = Catalogue.texts(language) + EnrollCatalogue.texts(language)
    let problems = texts.flatMap {
      WrappedText($0.string, $0.wrapped(to: columns).string).problems(columns)
    }
    #expect(problems.isEmpty)
  }

  @Test("what is wrong with lines is found")
  func problems() {
    for (text, lines, problem) in [
      ("one two three", "one two three", "too wide"), ("one two", "one\ntw", "missing"),
      ("one two", "one\ntow", "not in the text"), ("four five", "fo\nur\nfive", "is broken"),
      ("a bc def", "a\nbc\ndef", "has room"), ("確認です。", "確認です\n。", "punctuation"),
      ("確認「電話", "確認「\n電話", "bracket"), ("確認コード", "確認コード", "too wide"),
    ] {
      let problems = WrappedText(text, lines).problems(9)
      #expect(problems.contains { $0.contains(problem) }, "\(problem): \(problems)")
    }
  }

  @Test("the columns of the last line are counted")
  func lastLine() {
    #expect(("one\nCode: " as MessageText).columnsOfLastLine == 6)
    #expect(("驗證碼：" as MessageText).columnsOfLastLine == 8)
  }
}
