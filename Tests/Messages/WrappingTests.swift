import MFAMessages
import Testing

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
    Row(text: "確認コードを入力", columns: 8, lines: "確認コー\nドを入力"),
    Row(text: "確認です。次", columns: 8, lines: "確認で\nす。次"),
    Row(text: "名は「電話」です", columns: 6, lines: "名は\n「電\n話」で\nす"),
    Row(text: "実行 mfa-enroll list", columns: 10, lines: "実行\nmfa-enroll\nlist"),
    Row(
      text: "Réessayez dans 2\u{a0}minutes", columns: 16, lines: "Réessayez dans\n2\u{a0}minutes"),
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

  @Test("the columns of the last line are counted")
  func lastLine() {
    #expect(("one\nCode: " as MessageText).columnsOfLastLine == 6)
    #expect(("驗證碼：" as MessageText).columnsOfLastLine == 8)
  }
}
