import MFAWire
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

/// `alice` signs in; `bob` has the same uid.
@Suite("Sign-ins of accounts whose uid has several names")
struct SharedIdentityTests {
  let host = ScriptedHost()
  let bob = Account(name: Array("bob".utf8), uid: 1000)

  init() { host.others = [Account(name: Array("carol".utf8), uid: 1000), bob] }

  private func request(_ arguments: [String] = []) -> SignInRequest {
    SignInRequest(
      user: Array("alice".utf8), service: Array("login".utf8),
      arguments: arguments.map { Array($0.utf8) })
  }

  private func signIn(_ answers: [String]) -> (Verdict, ScriptedApplication) {
    let application = ScriptedApplication(answers.map { .text($0) })
    let verdict = SignInRun(request(), host: host, application: application).authenticate()
    return (verdict, application)
  }

  private func enroll(_ account: Account) throws {
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
  }

  @Test("codes of a factor under another name are required, and accepted once")
  func anotherNamesCode() throws {
    try enroll(bob)
    let code = try KnownFactor.code(at: host.time)
    let (wrong, asked) = signIn([try KnownFactor.wrongCode(at: host.time)])
    #expect(wrong == .deny && asked.prompts == ["One-time code: "])
    #expect(host.memory.attempts.failures == 1, "the attempt counts")
    #expect(signIn([code]).0 == .allow)
    #expect(signIn([code]).0 == .deny, "the code is used")
  }

  @Test(
    "enrolment during a sign-in is for users without a factor under any name",
    arguments: ["self-service", "required"])
  func account(enrollment: String) throws {
    host.configuration = "[project]\nenrollment = \(enrollment)\n"
    try enroll(bob)
    let application = ScriptedApplication()
    let signIn = SignInRun(request(), host: host, application: application)
    #expect(signIn.checkAccount() == .allow)
    #expect(application.prompts.isEmpty)
  }

  @Test("an account's own factors take precedence")
  func ownFactors() throws {
    try enroll(try #require(host.account))
    host.othersFailure = SystemError(.lookUpAccount, number: 5)
    #expect(signIn([try KnownFactor.code(at: host.time)]).0 == .allow, "no other name is looked up")
  }

  @Test("if no name has a factor, there is no prompt")
  func nobodyIsEnrolled() throws {
    let (verdict, application) = signIn([])
    #expect(verdict == .pass && application.prompts.isEmpty)
  }

  @Test("if the other names cannot be looked up, the sign-in is denied")
  func failure() throws {
    host.othersFailure = SystemError(.lookUpAccount, number: 5)
    #expect(signIn([]).0 == .deny)
    let application = ScriptedApplication()
    #expect(SignInRun(request(), host: host, application: application).checkAccount() == .deny)
  }
}
