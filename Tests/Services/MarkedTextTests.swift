import Testing

@testable import MFAServices

@Suite struct MarkedTextTests {
  static let mark = MarkedText(service: Array("sshd".utf8))
  static let lines = ["auth requisite pam_mfa.so after_password", "account required pam_mfa.so"]

  struct Row: CustomTestStringConvertible {
    let number: Int
    let text: String
    let offset: Int
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    Row(number: 1, text: "", offset: 0),
    Row(number: 2, text: "a\nb\n", offset: 0),
    Row(number: 3, text: "a\nb\n", offset: 2),
    Row(number: 4, text: "a\nb\n", offset: 4),
    Row(number: 5, text: "a\nb", offset: 2),
    Row(number: 6, text: "a\nb", offset: 3),
    Row(number: 7, text: "\n\n", offset: 1),
    Row(number: 8, text: "a\r\nb\r\n", offset: 3),
    Row(number: 9, text: "a", offset: 1),
  ]

  @Test("removing the inserted lines restores the text byte for byte", arguments: rows)
  func roundTrip(row: Row) {
    let text = Array(row.text.utf8)
    let marked = Self.mark.inserting(Self.lines, into: text, at: row.offset)
    #expect(marked != text)
    #expect(Self.mark.removing(from: marked) == .removed(text, editedLine: nil))
    #expect(Self.mark.removing(from: text) == .absent)
    #expect(MarkedText(service: Array("ssh".utf8)).removing(from: marked) == .absent)
    #expect(MarkedText.services(in: marked) == [Array("sshd".utf8)])
    // Also when the lines were inserted twice.
    let twice = Self.mark.inserting(Self.lines, into: marked, at: 0)
    #expect(Self.mark.removing(from: twice) == .removed(text, editedLine: nil))
  }

  static let begin = "# >>> mfa-admin enable sshd: mfa-admin disable sshd takes these lines out\n"
  static let end = "# <<< mfa-admin enable sshd\n"

  struct EditedRow: CustomTestStringConvertible {
    let number: Int
    let text: String
    let rest: String
    let line: Int?
    var testDescription: String { "\(number)" }
  }

  static let editedRows = [
    // Ours, whatever its arguments.
    EditedRow(
      number: 1, text: "x\n\(begin)auth optional pam_mfa.so debug\n\(end)y\n", rest: "x\ny\n",
      line: 3),
    EditedRow(
      number: 2, text: "\(begin)auth [success=1 default=die] /lib/security/pam_mfa.so\n\(end)",
      rest: "", line: 2),
    EditedRow(
      number: 3, text: "\(begin)auth requisite pam_mfa.so after_password \n\(end)", rest: "",
      line: 2),
    EditedRow(
      number: 4, text: "\(begin)\n#auth requisite pam_mfa.so after_password\n\(end)", rest: "",
      line: 2),
    // The line that lets root pass.
    EditedRow(
      number: 13, text: "\(begin)account sufficient pam_rootok.so debug\n\(end)", rest: "", line: 2),
    // Another module: the line stays.
    EditedRow(
      number: 5, text: "\(begin)auth requisite pam_faillock.so\nauth x pam_mfa.so\n\(end)y\n",
      rest: "auth requisite pam_faillock.so\ny\n", line: 2),
    // Marks without a counterpart.
    EditedRow(
      number: 6,
      text: "\(begin)auth requisite pam_mfa.so after_password\nauth required pam_unix.so\nz\n",
      rest: "auth required pam_unix.so\nz\n", line: 1),
    EditedRow(number: 7, text: "x\n\(end)", rest: "x\n", line: 2),
    EditedRow(number: 8, text: "\(begin)\(begin)\(end)", rest: "", line: 2),
    EditedRow(number: 9, text: "\(begin)\(end)\(end)x\n", rest: "x\n", line: 3),
    // sshd's drop-in: a setting of a Match block never becomes a general one.
    EditedRow(
      number: 10,
      text: "\(begin)UsePAM no\nPrintMotd no\nMatch Group *\n  PermitTTY no\n\(end)y\n",
      rest: "PrintMotd no\ny\n", line: 2),
    EditedRow(
      number: 11, text: "\(begin)UsePAM yes\nauthenticationmethods any\n\(end)", rest: "", line: 3),
    EditedRow(number: 12, text: "\(begin)UsePAM yes\n\(end)", rest: "", line: nil),
  ]

  @Test(
    "an edited line of ours is removed, and a line of another module stays", arguments: editedRows)
  func edited(row: EditedRow) {
    #expect(
      Self.mark.removing(from: Array(row.text.utf8))
        == .removed(Array(row.rest.utf8), editedLine: row.line))
  }

  @Test("the block is removed even if one of its lines is missing")
  func shortened() {
    let text = "a\n\(Self.begin)account required pam_mfa.so\n\(Self.end)b"
    #expect(
      Self.mark.removing(from: Array(text.utf8)) == .removed(Array("a\nb".utf8), editedLine: nil))
  }
}
