import MFATestSupport
import Testing

extension Differential {
  /// Runs the same scripts through this module and through pam_google_authenticator.so, with the
  /// same key. If the two are expected to differ, the row states the reason; a difference that has
  /// disappeared fails the test, too.
  @Suite struct GoogleAuthenticator {
    /// What the user types.
    enum Answer: Sendable {
      /// The code of a time step, relative to the current one.
      case step(Int)
      case wrong
      case text(String)
      /// A code with a space in the middle.
      case spaced(Int)
    }

    struct Row: Sendable, CustomTestStringConvertible {
      let title: String
      let answers: [Answer]
      /// Whether this module accepts each answer.
      let ours: [Bool]
      /// Whether the other module accepts each answer, with the reason; nil if both agree.
      var theirs: [Bool]?
      var reason = ""
      var testDescription: String { "\(title)" }
    }

    static let rows = [
      Row(title: "a correct code", answers: [.step(0)], ours: [true]),
      Row(title: "a wrong code", answers: [.wrong], ours: [false]),
      Row(title: "a used code", answers: [.step(0), .step(0)], ours: [true, false]),
      Row(title: "the next code", answers: [.step(0), .step(1)], ours: [true, true]),
      Row(title: "an early code", answers: [.step(4)], ours: [true]),
      Row(title: "a late code", answers: [.step(-4)], ours: [true]),
      Row(title: "a code that is too early", answers: [.step(7)], ours: [false]),
      Row(title: "a code that is too late", answers: [.step(-7)], ours: [false]),
      Row(
        title: "an older code after a newer one", answers: [.step(1), .step(0)],
        ours: [true, false], theirs: [true, true],
        reason: "theirs keeps a list of used steps; ours takes nothing older than the last one, so "
          + "that a code that was seen and not used is worthless once a later one was used"),
      Row(
        title: "a code with a space", answers: [.spaced(0)], ours: [true],
        theirs: [false], reason: "apps show codes in two groups, and ours takes them as shown"),
      Row(title: "an empty answer", answers: [.text("")], ours: [false]),
      Row(title: "a password", answers: [.text("correct horse")], ours: [false]),
      Row(title: "a code with an extra digit", answers: [.text("0123456")], ours: [false]),
      Row(
        title: "a correct code after wrong ones",
        answers: [.wrong, .wrong, .wrong, .step(0)],
        ours: [false, false, false, true]),
    ]

    @Test func script() throws {
      let user = try machine.addUser()
      let ours = try machine.makeService(["auth required pam_mfa.so tries=1"])
      let theirs = try machine.makeService(["auth required pam_google_authenticator.so"])
      let enrollment = try machine.enroll(user)
      let phone = enrollment.phone
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      for row in Self.rows {
        var results: [[Bool]] = []
        var step: Int
        repeat {
          try files.restore(image)
          try machine.write(
            "\(phone.key)\n\" WINDOW_SIZE 11\n\" DISALLOW_REUSE\n\" TOTP_AUTH\n",
            to: user.home + "/.google_authenticator", owner: user.name, group: user.name,
            mode: "0600")
          step = phone.step()
          let answers = try row.answers.map { try Self.text($0, phone) }
          results = try [ours, theirs].map { service in
            try answers.map { answer in
              try user.signIn(to: service, typing: answer).code == "PAM_SUCCESS"
            }
          }
        } while phone.step() != step
        #expect(results[0] == row.ours, "\(row.testDescription), ours")
        #expect(results[1] == row.theirs ?? row.ours, "\(row.testDescription), theirs")
        if let theirs = row.theirs {
          #expect(theirs != row.ours && !row.reason.isEmpty, "\(row.testDescription)")
        }
      }
    }

    static func text(_ answer: Answer, _ phone: Authenticator) throws -> String {
      switch answer {
      case .step(let offset): return try phone.code(offset: offset)
      case .wrong: return try phone.wrongCode()
      case .text(let text): return text
      case .spaced(let offset):
        let code = try phone.code(offset: offset)
        return code.prefix(3) + " " + code.suffix(3)
      }
    }
  }
}
