import Testing

@testable import MFAServiceSwitch

@Suite struct MarkedTextTests {
  static let mark = MarkedText(service: Array("sshd".utf8))
  static let lines = ["auth requisite pam_mfa.so", "account required pam_mfa.so"]

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
    #expect(Self.mark.removing(from: marked) == .removed(text))
    #expect(Self.mark.removing(from: text) == .absent)
    #expect(MarkedText(service: Array("ssh".utf8)).removing(from: marked) == .absent)
    #expect(MarkedText.services(in: marked) == [Array("sshd".utf8)])
    // Also when the lines were inserted twice.
    let twice = Self.mark.inserting(Self.lines, into: marked, at: 0)
    #expect(Self.mark.removing(from: twice) == .removed(text))
  }

  static let begin = "# >>> mfa-admin enable sshd: mfa-admin disable sshd takes these lines out\n"
  static let end = "# <<< mfa-admin enable sshd\n"

  @Test(
    "a foreign line between the markers is never removed",
    arguments: [
      ("x\n\(begin)auth optional pam_mfa.so\n\(end)", 3),
      ("\(begin)auth requisite pam_mfa.so\n\naccount required pam_mfa.so\n\(end)", 3),
      ("\(begin)auth requisite pam_mfa.so \n\(end)", 2),
      ("\(begin)auth requisite pam_mfa.so\n", 1),
      ("x\n\(end)", 2),
      ("\(begin)\(begin)\(end)", 2),
      ("\(begin)\(end)\(end)", 3),
    ])
  func altered(text: String, line: Int) {
    #expect(Self.mark.removing(from: Array(text.utf8)) == .altered(line: line))
  }

  @Test("the block is removed even if one of its lines is missing")
  func shortened() {
    let text = "a\n\(Self.begin)account required pam_mfa.so\n\(Self.end)b"
    #expect(Self.mark.removing(from: Array(text.utf8)) == .removed(Array("a\nb".utf8)))
  }
}
