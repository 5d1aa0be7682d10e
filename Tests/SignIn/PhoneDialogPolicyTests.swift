import MFAAttempt
import MFABase
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

// What policy says about phones that are enrolled during a sign-in.
extension PhoneDialogTests {
  @Test("if policy no longer allows phones, the enrolment begins anew with an app")
  func policyChanged() {
    let application = ScriptedApplication([.text(Self.number), .text("123456"), .none])
    application.atPrompt = { [host] in
      if application.prompts.count == 2 {
        host.configuration = "[project]\nenrollment = required\nfactors = totp\n"
      }
    }
    #expect(signIn(application, host) == .deny)
    #expect(application.prompts[2].hasSuffix("Type 1, 2 or 3: (echo)"))
    #expect(host.memory.record == nil)
  }

  @Test("a phone that was removed a short time ago delays the new one, and the user is told")
  func changedNumber() throws {
    let account = try #require(host.account)
    _ = try host.memory.enrollPhone("Old", number: Self.number, for: account)
    var record = try #require(host.memory.record)
    let source = Source(Array("pts/3".utf8))
    _ = try record.unenroll(record.factors[0].id, from: source, at: host.time)
    record.notePhoneRemoved(at: host.time)
    host.memory.record = record
    let (verdict, application) = signIn([.text("+15105550000"), code, .text(""), .text("")])
    #expect(verdict == .allow)
    #expect(application.prompts[3].contains("codes are sent to this new"))
  }

  @Test(
    "where no phone can be enrolled, the sign-in is denied, and nothing is offered",
    arguments: [
      ("regions = +1\n", "no-gateway"), ("gateway = /usr/lib/mfa/gateways/test\n", "no-regions"),
    ])
  func notSetUp(settings: String, reason: String) {
    host.configuration = "[project]\n" + settings + "factors = phone\nenrollment = required\n"
    let required = ScriptedApplication([.text("123456")])
    #expect(SignInRun(SignInRequest(), host: host, application: required).authenticate() == .deny)
    #expect(required.told.count == 1)
    #expect(
      required.told[0].contains("An administrator must first set gateway and regions in mfa.conf."))
    #expect(required.logged.last?.hasSuffix("reason=\(reason)") == true, "\(required.logged)")
    host.configuration =
      "[project]\n" + settings + "factors = phone\nenrollment = offered\noffer_sign_ins = 1\n"
    for _ in 1...3 {
      let (verdict, application) = signIn([])
      #expect(verdict == .pass && application.told.isEmpty && application.prompts.isEmpty)
    }
  }

  @Test("a test number gets no message, and counts for no limit")
  func testNumber() {
    host.configuration =
      "[project]\nphone_test_numbers = \(Self.number)=123456\nfactors = phone\nenrollment = required\n"
    for _ in 0..<5 {
      host.memory.record = nil
      let answers: [ScriptedApplication.Answer] = [
        .text(Self.number), .text("s"), .text("s"), .text("123456"), .text(""), .text(""),
      ]
      #expect(signIn(answers).verdict == .allow)
    }
    #expect(host.codeSender.requested.isEmpty && host.memory.attempts.sentCodes.isEmpty)
    #expect(host.memory.record?.factors[0].origin == .testNumber)
  }
}
