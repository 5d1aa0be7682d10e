import MFAWire
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("The session line of sshd")
struct SessionLineTests {
  let host = ScriptedHost()

  init() throws {
    host.stacks.files["sshd"] = "account required pam_mfa.so\nsession optional pam_mfa.so\n"
    _ = try host.memory.enroll(
      "Phone", secret: KnownFactor.secret, for: try #require(host.account))
  }

  private func signIn(
    _ application: ScriptedApplication, _ service: String = "sshd"
  ) -> SignInRun<ScriptedHost> {
    let request = SignInRequest(
      user: Array("alice".utf8), service: Array(service.utf8), terminal: Array("ssh".utf8))
    return SignInRun(request, host: host, application: application)
  }

  private func fail() throws {
    let guess = ScriptedApplication([.text(try KnownFactor.wrongCode(at: host.time))])
    #expect(signIn(guess).authenticate() == .deny)
  }

  private static let notice =
    "1 failed code since your last sign-in, from ssh on 2023-11-14 22:13 UTC."

  @Test("the auth line leaves notices to the session, which shows them and changes nothing")
  func kept() throws {
    try fail()
    let right = ScriptedApplication([.text(try KnownFactor.code(at: host.time))])
    #expect(signIn(right).authenticate() == .allow)
    #expect(right.told.isEmpty)
    let before = host.memory.attempts
    for _ in 0..<2 {
      let shell = ScriptedApplication()
      signIn(shell).beginSession()
      #expect(
        shell.told == [Self.notice, "These notices are shown until you run mfa-enroll notices."])
      #expect(shell.noted == nil)
    }
    #expect(host.memory.attempts == before)
  }

  @Test("without a session line, or in another service, the auth line shows the notices")
  func withoutLine() throws {
    for (service, lines) in [("sshd", ""), ("login", "session optional pam_mfa.so\n")] {
      host.stacks.files[service] = "account required pam_mfa.so\n" + lines
      try fail()
      let right = ScriptedApplication([.text(try KnownFactor.code(at: host.time))])
      #expect(signIn(right, service).authenticate() == .allow)
      #expect(right.told.count == 1 && right.told[0].hasPrefix("1 failed code"))
      host.time += 60
    }
    try fail()
    let session = ScriptedApplication()
    signIn(session, "login").beginSession()
    #expect(session.told.isEmpty)
  }

  @Test("a session in silence shows nothing, and an error does no harm")
  func silence() throws {
    try fail()
    let silent = ScriptedApplication()
    silent.showsMessages = false
    signIn(silent).beginSession()
    #expect(silent.told.isEmpty && silent.noted == nil)
    host.storeFailure = .busy
    let broken = ScriptedApplication()
    signIn(broken).beginSession()
    #expect(broken.told.isEmpty && broken.logged.isEmpty)
  }

  @Test("the user's own first enrolment is no news for a while")
  func ownEnrollment() throws {
    host.memory.record?.note(
      .enrolled, Array("Pixel".utf8), about: .account, from: Source(Array("mfa-enroll".utf8)),
      at: host.time)
    let first = ScriptedApplication()
    signIn(first).beginSession()
    #expect(first.told.isEmpty)
    host.time += 900
    let later = ScriptedApplication()
    signIn(later).beginSession()
    #expect(later.told.count == 2)
  }
}
