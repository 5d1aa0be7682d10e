import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Answers that cannot be a code are refused, not counted as failed attempts, and never logged.
  @Suite struct Answers {
    struct Row: Sendable, CustomTestStringConvertible {
      let number: Int
      let title: String
      let answer: PAMClient.Answer
      /// The kind of answer that the log reports.
      let kind: String
      /// Text that must not appear in the log.
      var secret = ""
      var testDescription: String { "\(number): \(title)" }
    }

    static let rows = [
      Row(number: 1, title: "empty", answer: .text(""), kind: "something-else"),
      Row(number: 2, title: "an answer without text", answer: .noText, kind: "none"),
      Row(number: 3, title: "the user disconnects", answer: .failure, kind: "none"),
      Row(number: 4, title: "success without answers", answer: .noAnswers, kind: "none"),
      Row(
        number: 5, title: "success without setting the responses", answer: .untouched, kind: "none"),
      Row(
        number: 6, title: "1 MiB of letters",
        answer: .bytes(Array(repeating: UInt8(ascii: "q"), count: 1 << 20)), kind: "too-long",
        secret: "qqqq"),
      Row(
        number: 7, title: "1 MiB of digits",
        answer: .bytes(Array(repeating: UInt8(ascii: "7"), count: 1 << 20)), kind: "too-long",
        secret: "7777"),
      Row(
        number: 8, title: "a NUL byte first",
        answer: .bytes([0, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36]),
        kind: "something-else", secret: "123456"),
      Row(
        number: 9, title: "a NUL byte in the middle", answer: .bytes(Array("473\0829".utf8)),
        kind: "something-else", secret: "473"),
      Row(
        number: 10, title: "Arabic digits", answer: .text("٤٧٣٨٢٩"), kind: "something-else",
        secret: "٤٧٣"),
      Row(
        number: 11, title: "full-width digits", answer: .text("４７３８２９"), kind: "something-else",
        secret: "４７３"),
      Row(
        number: 12, title: "control characters",
        answer: .bytes([0x1b, 0x5b, 0x32, 0x4a, 0x07, 0x08]),
        kind: "something-else", secret: "[2J"),
      Row(
        number: 13, title: "a line feed and a forged line",
        answer: .text("\nresult=accepted user=root"), kind: "something-else", secret: "accepted"),
      Row(
        number: 14, title: "a password", answer: .text("correct horse battery staple"),
        kind: "something-else", secret: "horse"),
      Row(
        number: 15, title: "a password of digits and letters", answer: .text("473829x"),
        kind: "something-else", secret: "473829"),
      Row(
        number: 16, title: "five digits", answer: .text("47382"), kind: "something-else",
        secret: "47382"),
      Row(
        number: 17, title: "seven digits, where codes have six", answer: .text("4738291"),
        kind: "something-else", secret: "4738291"),
      Row(
        number: 18, title: "a minus sign", answer: .text("-47382"), kind: "something-else",
        secret: "47382"),
      Row(
        number: 19, title: "bytes that are not UTF-8",
        answer: .bytes([0xff, 0xfe, 0xc3, 0x28, 0xf0]),
        kind: "something-else"),
      Row(
        number: 20, title: "a format string", answer: .text("%s%n%s%n"), kind: "something-else",
        secret: "%s"),
      Row(
        number: 21, title: "the answer of sshd for denied users",
        answer: .bytes(Array("\u{8}\n\r\u{7f}INCORRECT".utf8)), kind: "withheld-by-sshd",
        secret: "INCORRECT"),
    ]

    @Test(arguments: [OneCode.stack[0], OneCode.stack[0] + " debug"])
    func costNothing(line: String) throws {
      try Machine.use { machine in
        let (user, _) = try machine.addEnrolledUser()
        let service = try machine.makeService([line])
        let files = StoreFiles(of: user.name)
        let image = try files.image()
        for row in Self.rows {
          let start = try machine.log.position()
          let outcome = try PAMClient.signIn(
            service: service, user: user.name, answers: [row.answer])
          #expect(
            outcome.results.map(\.code) == ["PAM_AUTH_ERR"], "\(row.testDescription) \(outcome)")
          #expect(try files.image() == image, "\(row.testDescription)")
          let entries = try OneCode.logged(machine, since: start)
          #expect(
            entries.map { $0.fields["result"] } == ["not-a-code"], "\(row.testDescription)")
          #expect(entries.first?.fields["answer"] == row.kind, "\(row.testDescription)")
          let all = try machine.log.entries(since: start).map(\.line).joined(separator: "\n")
          #expect(row.secret.isEmpty || !all.contains(row.secret), "\(row.testDescription): \(all)")
          let told = outcome.messages.map(\.text).joined()
          #expect(
            row.secret.isEmpty || !told.contains(row.secret), "\(row.testDescription): \(told)")
        }
      }
    }

    @Test("spaces between the digits of a code are ignored")
    func spaces() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let code = try enrollment.phone.code()
        let outcome = try PAMClient.signIn(
          service: service, user: user.name,
          answers: [.text(" \(code.prefix(3)) \(code.suffix(3)) ")])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      }
    }

    @Test("neither correct nor wrong codes are logged")
    func noCodeInTheLog() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService([OneCode.stack[0] + " debug"])
        let start = try machine.log.position()
        let right = try enrollment.phone.code()
        let codes = [try enrollment.phone.wrongCode(), right, right]
        for code in codes {
          _ = try PAMClient.signIn(service: service, user: user.name, answers: [.text(code)])
        }
        #expect(
          try OneCode.results(machine, since: start) == ["wrong", "accepted", "replayed"])
        for entry in try machine.log.entries(since: start) {
          for code in codes { #expect(!entry.line.contains(code), "\(entry.line)") }
          #expect(!entry.line.contains(enrollment.phone.key), "\(entry.line)")
        }
      }
    }
  }
}
