import Testing

@testable import MFAAdmin
@testable import MFADoctor

@Suite struct ProgramComplaintTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    let errors: String
    var files = ["/etc/public"]
    let place: String?
    let text: String
    var testDescription: String { "\(number)" }
  }

  static let hidden = "not shown, because not every user can read this file"

  static let rows = [
    Row(
      number: 1, errors: "/etc/public: line 7: Bad configuration option: Foo\r\nterminating\n",
      place: "/etc/public:7", text: "/etc/public: line 7: Bad configuration option: Foo"),
    Row(
      number: 2, errors: "/etc/public line 7: Foo\n", place: "/etc/public:7",
      text: "/etc/public line 7: Foo"),
    // The message quotes the line of a private file.
    Row(
      number: 3, errors: "/etc/shadow: line 1: Bad configuration option: root:$6$secret\n",
      place: "/etc/shadow:1", text: "/etc/shadow: line 1: \(hidden)"),
    Row(
      number: 4, errors: "/etc/sudoers:7:3: syntax error\nsecret\n", place: "/etc/sudoers:7",
      text: "/etc/sudoers:7:3: syntax error"),
    Row(
      number: 5, errors: "/etc/sudoers:7: unknown defaults entry \"secret\"\n",
      place: "/etc/sudoers:7", text: "/etc/sudoers:7: \(hidden)"),
    // Without a place, the text can be from any file that was read.
    Row(
      number: 6, errors: "Unsupported Match attribute secret\n",
      files: ["/etc/public", "/etc/shadow"], place: nil, text: "exit status 255"),
    Row(
      number: 7, errors: "Unsupported Match attribute x\n", place: nil,
      text: "Unsupported Match attribute x"),
    Row(
      number: 8, errors: "Missing privilege separation directory: /run/sshd\n",
      files: ["/etc/shadow"], place: nil,
      text: "Missing privilege separation directory: /run/sshd"),
    Row(number: 9, errors: "", files: ["/etc/shadow"], place: nil, text: "exit status 255"),
    Row(
      number: 10, errors: "/etc/public: line 1: \u{1B}[2J\n", place: "/etc/public:1",
      text: "/etc/public: line 1: \\x1b[2J"),
  ]

  @Test("the text of a file that not every user can read is not quoted", arguments: rows)
  func row(row: Row) {
    let output = ProgramOutput(status: 255, output: [], errors: Array(row.errors.utf8))
    let complaint = ProgramComplaint(output, files: row.files) { $0 == "/etc/public" }
    #expect(complaint.place == row.place)
    #expect(complaint.text == row.text)
    #expect(!complaint.reason.contains("secret"))
  }
}
