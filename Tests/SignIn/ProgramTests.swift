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
      .codeSent(number: []), .recoveryCodeAccepted(left: 1, areFew: true),
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
}
