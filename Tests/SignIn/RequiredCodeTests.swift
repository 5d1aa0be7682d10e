import MFAAttempt
import MFABase
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

/// The `account` line with `require_code`, for programs that verify passwords themselves, and run no `auth` line.
@Suite("An account line that requires a code")
struct RequiredCodeTests {
  let host = ScriptedHost()

  private static let name = Array("alice".utf8)

  private func check(
    _ application: ScriptedApplication = ScriptedApplication(), note: TransactionNote? = nil,
    of name: [UInt8] = name, arguments: [String] = ["require_code"]
  ) -> Verdict {
    if let note { _ = application.store(note: ([note.rawValue] + name).span) }
    let request = SignInRequest(service: "samba", arguments: arguments)
    return SignInRun(request, host: host, application: application).checkAccount()
  }

  @Test(
    "a user who has enrolled is denied, with the reason in the log and without a text or a question"
  )
  func enrolled() throws {
    try host.enroll()
    let application = ScriptedApplication()
    #expect(check(application) == .notPermitted)
    #expect(application.told.isEmpty && application.prompts.isEmpty)
    #expect(
      application.logged == [
        "result=code-required user=alice service=samba rhost=- tty=- reason=not-authenticated-here"
      ])
    #expect(check(arguments: []) == .allow, "other account lines")
  }

  @Test("a user who has not enrolled and need not is let in")
  func notEnrolled() throws {
    let application = ScriptedApplication()
    #expect(check(application) == .pass)
    #expect(
      application.logged == ["result=not-enrolled user=alice service=samba rhost=- tty=-"])
  }

  @Test("a user who must enrol is denied, and is not asked to enrol")
  func required() throws {
    host.configuration = "[project]\nenrollment = required\n"
    let application = ScriptedApplication()
    #expect(check(application) == .notPermitted)
    #expect(application.told.isEmpty && application.prompts.isEmpty)
    #expect(
      application.logged == [
        "result=code-required user=alice service=samba rhost=- tty=- reason=not-enrolled"
      ])
  }

  @Test(
    "while enrolment is offered, users who have not enrolled are let in, and nothing is counted")
  func offered() throws {
    host.configuration = "[project]\nenrollment = offered\noffer_sign_ins = 1\n"
    for _ in 0..<3 {
      let application = ScriptedApplication()
      #expect(check(application) == .pass)
      #expect(application.told.isEmpty && application.prompts.isEmpty)
    }
    host.configuration = "[project]\nenrollment = offered\noffer_until = 2001-01-01\n"
    #expect(check() == .notPermitted)
  }

  @Test(
    "policy that switches the second factor off, or observes, denies nobody",
    arguments: ["disabled", "observe"])
  func notEnforced(state: String) throws {
    try host.enroll()
    host.configuration = "[project]\n[tenant files]\nservices = samba\nstate = \(state)\n"
    #expect(check() == .pass)
  }

  @Test("a user whose code the auth line accepted is let in, and no other user")
  func afterCode() throws {
    try host.enroll()
    #expect(check(note: .allowed) == .allow)
    #expect(check(note: .bypass) == .allow)
    #expect(check(note: .allowed, of: Array("bob".utf8)) == .notPermitted)
    #expect(check(note: .enrollment) == .notPermitted)
  }

  @Test("a sign-in whose auth line accepts a code passes the account line with the argument")
  func sameTransaction() throws {
    try host.enroll()
    let application = ScriptedApplication([.text(try host.code())])
    let request = SignInRequest(service: "samba")
    #expect(
      SignInRun(request, host: host, application: application).authenticate() == .allow)
    #expect(check(application) == .allow)
  }

  @Test("what cannot be determined denies")
  func errors() throws {
    host.configuration = "nonsense"
    #expect(check() == .deny)
    host.configuration = "[project]\n"
    host.account = nil
    #expect(check() == .deny)
    #expect(check(arguments: ["require_code", "require_code"]) == .deny)
  }
}
