import MFAWire
import MFAAttempt
import MFAModel
import MFASignInTestSupport
import MFABase
import Testing

@testable import MFASignIn

@Suite("How sshd ends a sign-in")
struct SecureShellEndTests {
  let host = ScriptedHost()

  private func signIn(_ service: String, _ arguments: [String] = [], methods: String? = "") throws
    -> Verdict
  {
    if host.memory.record == nil {
      _ = try host.memory.enroll(
        "Phone", secret: KnownFactor.secret, for: try #require(host.account))
    }
    host.memory.attempts = AttemptState(
      record: host.memory.attempts.record, failures: 100, lastFailure: 0,
      watermarks: host.memory.attempts.watermarks)
    let request = SignInRequest(
      user: Array("alice".utf8), service: Array(service.utf8),
      arguments: arguments.map { Array($0.utf8) })
    let application = ScriptedApplication([.text("000000")])
    application.methods = methods
    return SignInRun(request, host: host, application: application).authenticate()
  }

  @Test("if another method is left, sshd withdraws the methods of PAM")
  func otherMethod() throws {
    #expect(try signIn("sshd") == .tooManyAttempts)
  }

  @Test("if another method has succeeded, or none may be left, sshd only starts PAM no more")
  func noOtherMethod() throws {
    #expect(try signIn("sshd", methods: "publickey ssh-ed25519 AAAA") == .endSignIn)
    #expect(try signIn("sshd", methods: nil) == .endSignIn)
    host.secureShell = .unknown
    #expect(try signIn("sshd") == .endSignIn)
  }

  @Test("other services and hidden refusals do not depend on sshd")
  func otherServices() throws {
    host.secureShell = .unknown
    #expect(try signIn("login") == .tooManyAttempts)
    #expect(try signIn("sshd", ["forward_pass"]) == .deny)
  }

  @Test("the seconds that are left begin with the connection")
  func secondsLeft() throws {
    func left(_ service: String = "sshd") throws -> Int64? {
      let request = SignInRequest(user: Array("alice".utf8), service: Array(service.utf8))
      return try SignInRun(request, host: host, application: ScriptedApplication()).prepared()
        .secondsLeft()
    }
    #expect(try left() == nil)
    // The connection began 970 s after the machine was started.
    let ticks: [UInt8] = [0, 0, 0, 0, 0, 1, 0x7A, 0xE8]
    host.session = SignInOrigin(
      .session, Array(repeating: UInt8(ascii: "b"), count: 36) + [0, 0, 0, 7] + ticks)
    #expect(try left() == 90)
    #expect(try left("login") == nil)
    host.sinceBoot = 1300
    #expect(try left() == 0)
    host.sinceBoot = 900
    #expect(try left() == nil)
    host.sinceBoot = nil
    #expect(try left() == nil)
  }
}
