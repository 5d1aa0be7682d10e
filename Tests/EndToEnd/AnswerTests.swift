import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Answers that cannot be a code are refused, not counted as failed attempts, and never logged.
  @Suite struct Answers {
    struct Row: Sendable, CustomTestStringConvertible {
      let title: String
      let answer: PAMClient.Answer
      /// The kind of answer that the log reports.
      let kind: String
      /// Text that must not appear in the log.
      var secret = ""
      var testDescription: String { "\(title)" }
    }

    static let rows = [
      Row(title: "empty", answer: .text(""), kind: "something-else"),
      Row(title: "an answer without text", answer: .noText, kind: "none"),
      Row(title: "the user disconnects", answer: .failure, kind: "none"),
      Row(title: "success without answers", answer: .noAnswers, kind: "none"),
      Row(title: "success without setting the responses", answer: .untouched, kind: "none"),
      Row(
        title: "1 MiB of letters",
        answer: .bytes(Array(repeating: UInt8(ascii: "q"), count: 1 << 20)), kind: "too-long",
        secret: "qqqq"),
      Row(
        title: "1 MiB of digits",
        answer: .bytes(Array(repeating: UInt8(ascii: "7"), count: 1 << 20)), kind: "too-long",
        secret: "7777"),
      Row(
        title: "a NUL byte first",
        answer: .bytes([0, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36]),
        kind: "something-else", secret: "123456"),
      Row(
        title: "a NUL byte in the middle", answer: .bytes(Array("473\0829".utf8)),
        kind: "something-else", secret: "473"),
      Row(title: "Arabic digits", answer: .text("٤٧٣٨٢٩"), kind: "something-else", secret: "٤٧٣"),
      Row(
        title: "Arabic digits", answer: .text("٤٧٣٨٢٩"), kind: "something-else",
        secret: "٤٧٣"),
      Row(
        title: "control characters",
        answer: .bytes([0x1b, 0x5b, 0x32, 0x4a, 0x07, 0x08]),
        kind: "something-else", secret: "[2J"),
      Row(
        title: "a line feed and a forged line",
        answer: .text("\nresult=accepted user=root"), kind: "something-else", secret: "accepted"),
      Row(
        title: "a password", answer: .text("correct horse battery staple"),
        kind: "something-else", secret: "horse"),
      Row(
        title: "a password of digits and letters", answer: .text("473829x"),
        kind: "something-else", secret: "473829"),
      Row(title: "five digits", answer: .text("47382"), kind: "something-else", secret: "47382"),
      Row(
        title: "seven digits, where codes have six", answer: .text("4738291"),
        kind: "something-else", secret: "4738291"),
      Row(title: "a minus sign", answer: .text("-47382"), kind: "something-else", secret: "47382"),
      Row(
        title: "bytes that are not UTF-8",
        answer: .bytes([0xff, 0xfe, 0xc3, 0x28, 0xf0]),
        kind: "something-else"),
      Row(
        title: "a format string", answer: .text("%s%n%s%n"), kind: "something-else",
        secret: "%s"),
      Row(
        title: "the answer of sshd for denied users",
        answer: .bytes(Array("\u{8}\n\r\u{7f}INCORRECT".utf8)), kind: "withheld-by-sshd",
        secret: "INCORRECT"),
    ]

    @Test(arguments: [OneCode.stack[0], OneCode.stack[0] + " debug"])
    func costNothing(line: String) throws {
      let (user, _) = try machine.addEnrolledUser()
      let service = try machine.makeService([line])
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      for row in Self.rows {
        let start = try machine.log.position()
        let outcome = try PAMClient.signIn(service: service, user: user.name, answers: [row.answer])
        #expect(
          outcome.results.map(\.code) == ["PAM_AUTH_ERR"], "\(row.testDescription) \(outcome)")
        #expect(try files.image() == image, "\(row.testDescription)")
        let entries = try OneCode.logged(machine, since: start)
        #expect(entries.map { $0.fields["result"] } == ["not-a-code"], "\(row.testDescription)")
        #expect(entries.first?.fields["answer"] == row.kind, "\(row.testDescription)")
        let all = try machine.log.entries(since: start).map(\.line).joined(separator: "\n")
        #expect(row.secret.isEmpty || !all.contains(row.secret), "\(row.testDescription): \(all)")
        let told = outcome.messages.map(\.text).joined()
        #expect(row.secret.isEmpty || !told.contains(row.secret), "\(row.testDescription): \(told)")
      }
    }

    @Test(
      "a code is accepted as keyboards and messages have it",
      arguments: [" 123 456 ", "123-456", "123\u{A0}456", "123\u{2013}456", "\u{FF11}23456"])
    func written(form: String) throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let code = Array(try enrollment.phone.code())
      let answer = form.map { character in
        if character == "\u{FF11}" { return Self.fullWidth(code[0]) }
        guard let digit = character.wholeNumberValue else { return character }
        return code[digit - 1]
      }
      let outcome = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(String(answer))])
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
    }

    /// Returns a digit as a Japanese keyboard types it.
    private static func fullWidth(_ digit: Character) -> Character {
      Character(Unicode.Scalar(UInt32(0xFF10 + (digit.wholeNumberValue ?? 0))) ?? "?")
    }

    @Test("neither correct nor wrong codes are logged")
    func noCodeInTheLog() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService([OneCode.stack[0] + " debug"])
      let start = try machine.log.position()
      let right = try enrollment.phone.code()
      let codes = [try enrollment.phone.wrongCode(), right, right]
      for code in codes {
        _ = try user.signIn(to: service, typing: code)
      }
      #expect(try OneCode.results(machine, since: start) == ["wrong", "accepted", "replayed"])
      for entry in try machine.log.entries(since: start) {
        for code in codes { #expect(!entry.line.contains(code), "\(entry.line)") }
        #expect(!entry.line.contains(enrollment.phone.key), "\(entry.line)")
      }
    }
  }

  /// The factor list at the prompt, as an OpenSSH client shows it.
  @Suite struct Hints {
    @Test("ssh: a number selects a factor, and a different factor's code is wrong")
    func list() throws {
      try machine.writeConfiguration("[project]\nprompt_hints = on\n")
      let user = try machine.addUser()
      let pixel = try machine.enroll(user, named: "Pixel")
      let tablet = try machine.enroll(
        user, named: "Grüner Knopf", presentCode: try pixel.phone.code(offset: -4))
      try machine.changeService(
        "sshd", authentication: try Guide.blocks(under: "ssh: a key, then a code")[0])
      let server = try PrivateServer(
        on: machine, settings: ["AuthenticationMethods keyboard-interactive"])
      let start = try machine.log.position()
      let session = try server.signIn(user.name, command: "echo uid=$(id -un)")
      let list = "Your devices:\r\n 1: Pixel\r\n 2: Grüner Knopf\r\n"
      let question = list + "Type a code, or the number of a device. Verification code: "
      try session.answer(question, with: "3")
      try session.expect("No device has that number.")
      try session.answer(question, with: "2")
      try session.answer("Device 'Grüner Knopf'. Verification code: ", with: try pixel.phone.code())
      try session.expect("Wrong code.")
      #expect(try StoreFiles(of: user.name).failures() == 1)
      try session.answer(question, with: "2")
      try session.answer(
        "Device 'Grüner Knopf'. Verification code: ", with: try tablet.phone.code())
      try session.expect("uid=\(user.name)")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")

      // A code is accepted without selecting a factor.
      let other = try server.signIn(user.name, command: "echo uid=$(id -un)")
      try other.answer(question, with: try pixel.phone.code())
      try other.answer("Type yes if you have read this: ", with: "yes")
      try other.expect("uid=\(user.name)")
      #expect(try other.waitForExit() == .exited(0), "\(other.transcript)")

      let entries = try OneCode.logged(machine, since: start)
      #expect(
        entries.map { $0.fields["result"] } == ["not-a-code", "wrong", "accepted", "accepted"])
      #expect(entries.compactMap { $0.fields["factor"] } == [tablet.factor, pixel.factor])

      // An unknown user sees the normal prompt.
      let stranger = try server.signIn("nobody-of-that-name")
      try stranger.expect(") Verification code: ")
    }
  }

  /// The guide's stack for clients with one prompt, in which the code precedes the password, as
  /// seen by a client without a valid password or code.
  @Suite struct CodeBeforePassword {
    static let stack = [
      "auth required pam_mfa.so forward_pass", "@include common-auth",
      "account required pam_mfa.so",
    ]

    @Test(
      "all denials look the same, whether or not the user exists, has a factor or is locked",
      arguments: ["password000000", "password", "000000", ""])
    func denials(typed: String) throws {
      let service = try machine.makeService(Self.stack)
      let (enrolled, _) = try machine.addEnrolledUser()
      let (throttled, _) = try machine.addEnrolledUser()
      let (locked, _) = try machine.addEnrolledUser()
      let unenrolled = try machine.addUser()
      try machine.writeConfiguration(
        "[project]\nthrottle_after = 2\n[tenant locked]\nusers = \(locked.name)\n"
          + "disable_after = 2\n")
      for (number, user) in [throttled, locked, throttled, locked].enumerated() {
        _ = try signIn(service, user.name, "password00000\(number)")
      }
      let start = try machine.log.position()
      _ = try signIn(service, throttled.name, "password000000")
      _ = try signIn(service, locked.name, "password000000")
      #expect(try OneCode.results(machine, since: start) == ["throttled", "locked"])
      let users = [
        enrolled.name, throttled.name, locked.name, unenrolled.name, "root", "nobody0",
      ]
      for user in users {
        let outcome = try signIn(service, user, typed)
        #expect(outcome.prompts == ["Password and verification code: "], "\(user): \(outcome)")
        #expect(outcome.notices.isEmpty, "\(user): \(outcome)")
        #expect(outcome.code == "PAM_AUTH_ERR", "\(user): \(outcome)")
        #expect(outcome.delays.count == 1, "\(user): \(outcome)")
        #expect(outcome.delays.allSatisfy { $0 >= 1_000_000 }, "\(user): \(outcome)")
      }
    }

    @Test("password and code sign in, or the password alone for a user without a factor")
    func accepted() throws {
      let service = try machine.makeService(Self.stack)
      let (enrolled, enrollment) = try machine.addEnrolledUser()
      let unenrolled = try machine.addUser()
      let code = try enrollment.phone.code()
      for (user, typed, expected) in [
        (enrolled, enrolled.password, "PAM_AUTH_ERR"),
        (enrolled, enrolled.password + "000000", "PAM_AUTH_ERR"),
        (enrolled, enrolled.password + code, "PAM_SUCCESS"),
        (enrolled, enrolled.password + code, "PAM_AUTH_ERR"),
        (unenrolled, unenrolled.password, "PAM_SUCCESS"),
      ] {
        let outcome = try signIn(service, user.name, typed)
        #expect(outcome.code == expected, "\(outcome)")
        #expect(outcome.prompts == ["Password and verification code: "], "\(outcome)")
      }
    }

    @Test("a denial is delayed if the module is the only one in the stack")
    func delay() throws {
      let service = try machine.makeService(OneCode.stack)
      let (enrolled, enrollment) = try machine.addEnrolledUser()
      for user in [enrolled.name, "nobody0"] {
        let outcome = try signIn(service, user, "000000")
        #expect(outcome.delays.count == 1 && outcome.code == "PAM_AUTH_ERR", "\(outcome)")
      }
      let accepted = try signIn(service, enrolled.name, try enrollment.phone.code())
      #expect(accepted.delays.isEmpty && accepted.code == "PAM_SUCCESS", "\(accepted)")
    }

    func signIn(_ service: String, _ user: String, _ typed: String) throws -> PAMOutcome {
      try PAMClient.signIn(service: service, user: user, answers: [.text(typed)])
    }
  }
}
