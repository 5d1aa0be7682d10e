import MFAMessages
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

@Suite("What the programs of services are sent")
struct ProgramTests {
  let host = ScriptedHost()

  init() throws { try host.enroll() }

  private func signIn(
    _ service: String, _ answers: [String], _ arguments: [String] = ["tries=1"],
    user: String = "alice"
  ) -> ScriptedApplication {
    let application = ScriptedApplication(answers.map { .text($0) })
    let request = SignInRequest(
      user: user, service: service, terminal: "pts/1", arguments: arguments)
    _ = SignInRun(request, host: host, application: application).authenticate()
    return application
  }

  // MARK: Information and errors

  @Test(
    "notices are information and refusals are errors, except for programs that information harms",
    arguments: [
      ("login", true), ("sshd", true), ("polkit-1", true), ("gdm-password", true),
      ("cockpit", true), ("unknown", true), ("su", false), ("su-l", false), ("sudo", false),
      ("sudo-i", false), ("doas", false), ("sddm", false),
    ])
  func information(service: String, takesIt: Bool) throws {
    let refused = signIn(service, [try host.wrongCode()])
    #expect(refused.told.last?.hasPrefix("Wrong code.") == true && refused.information.isEmpty)
    let accepted = signIn(service, [try host.code()])
    let notice = try #require(accepted.told.last)
    #expect(notice.hasPrefix("1 failed code since your last sign-in"), "\(accepted.told)")
    #expect(accepted.information == (takesIt ? [notice] : []))
  }

  @Test("the number of recovery codes that are left is information")
  func recoveryCode() throws {
    let code = Array("0123456789".utf8)
    try host.memory.keep(recoveryCodes: [(code, .generated)])
    let application = signIn("login", ["gayt-emzu-gu3d-oobz"])
    #expect(application.information == application.told && application.told.count == 1)
  }

  @Test("a message is information if it is neither a refusal nor a failure")
  func messages() {
    let information: [SignInMessage] = [
      .codeIsNext, .codeSent(number: []), .recoveryCodeAccepted(left: 1, areFew: true),
      .bypassCodeAccepted(usesLeft: 0, command: []), .breakGlassAccepted, .clockMayBeWrong,
      .enrollmentOffered(onlyPhones: false), .howToReadNotices, .noticesStay(until: .any),
    ]
    #expect(information.allSatisfy { $0.isInformation })
    let errors: [SignInMessage] = [
      .wrongCode, .usedCode, .throttled(seconds: 1), .locked, .unavailable, .codeNotSent,
      .codeNotSentYet(seconds: 1), .noSuchDevice, .enrollmentAbandoned,
      .deviceNotAdded(command: []),
    ]
    #expect(!errors.contains { $0.isInformation })
  }

  // MARK: sudo -p

  private static let line = "Now type a code."

  @Test("sudo, which may show a text of its own in place of each question, is told what is asked")
  func replacedQuestions() throws {
    for service in ["sudo", "sudo-i"] {
      host.memory.attempts = AttemptState(record: try #require(host.memory.record).id)
      let application = signIn(service, [try host.wrongCode(), "000000"], ["tries=2"])
      #expect(application.prompts.count == 2)
      // The message about a wrong code says that a code is asked for again.
      #expect(application.told == [Self.line, "Wrong code. Try again.", "Wrong code."])
      #expect(application.essentials == application.told && application.information.isEmpty)
      // Every user is told the same.
      let unknown = signIn(service, ["000000"], user: "mallory")
      #expect(unknown.told.first == Self.line && unknown.prompts.count == 1)
    }
  }

  @Test("other programs, one prompt for the password and the code, and no question need no line")
  func otherQuestions() throws {
    for service in ["su", "doas", "login", "sshd", "polkit-1"] {
      #expect(!signIn(service, ["000000"]).told.contains(Self.line), "\(service)")
    }
    host.memory.attempts = AttemptState(record: try #require(host.memory.record).id)
    #expect(!signIn("sudo", ["password000000"], ["forward_pass"]).told.contains(Self.line))
    host.memory.attempts = AttemptState(
      record: try #require(host.memory.record).id, failures: 5, lastFailure: host.time,
      watermarks: host.memory.attempts.watermarks)
    let throttled = signIn("sudo", [])
    #expect(throttled.prompts.isEmpty && throttled.told.count == 1)
    #expect(throttled.told.first?.hasPrefix("Too many wrong codes.") == true)
  }
}
