import MFAWire
import MFAAttempt
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFABase
import Testing

@Suite("Unlocking with a recovery code")
struct UnlockingCodeTests {
  let host = ScriptedHost()

  private static let locking = "[project]\nthrottle_after = 3\ndisable_after = 3\n"
  private static let unlocking = locking + "recovery_unlocks = on\n"
  /// The code of `Array("0123456789".utf8)`.
  private static let code = "gayt-emzu-gu3d-oobz"

  /// Enrols a factor and locks it.
  private func lock(_ configuration: String) throws {
    host.configuration = configuration
    _ = try host.memory.enroll(
      "Phone", secret: KnownFactor.secret, for: try #require(host.account))
    try host.memory.keep(
      recoveryCodes: [(Array("0123456789".utf8), .generated), (Array("87654321".utf8), .imported)])
    for _ in 0..<3 { _ = signIn(try KnownFactor.wrongCode(at: host.time)) }
    #expect(host.memory.attempts.failures == 3)
  }

  private func signIn(_ answer: String) -> (verdict: Verdict, application: ScriptedApplication) {
    let request = SignInRequest(user: Array("alice".utf8), service: Array("sshd".utf8))
    let application = ScriptedApplication([.text(answer)])
    return (SignInRun(request, host: host, application: application).authenticate(), application)
  }

  @Test("a recovery code unlocks the factors where policy allows it, once")
  func unlocks() throws {
    try lock(Self.unlocking)
    let (verdict, application) = signIn(Self.code)
    #expect(verdict == .allow)
    #expect(application.told.contains { $0.hasPrefix("Recovery code accepted. 1 left.") })
    #expect(host.memory.attempts.failures == 0)
    #expect(host.memory.record?.recoveryCodes.map(\.kind) == [.imported])
    #expect(host.memory.record?.notices.map(\.kind) == [.unlockedByRecoveryCode])
    #expect(host.memory.events.last.map { "\($0.kind.name)" } == "unlocked-by-recovery-code")
    #expect(signIn(try KnownFactor.code(at: host.time)).verdict == .allow)
    #expect(signIn(Self.code).verdict == .deny)
  }

  @Test("without the setting, nothing is compared and no question is asked")
  func off() throws {
    try lock(Self.locking)
    host.memory.steps = []
    let (verdict, application) = signIn(Self.code)
    #expect(verdict != .allow && application.prompts.isEmpty)
    #expect(!host.memory.steps.contains(.digest))
    #expect(host.memory.record?.recoveryCodes.count == 2)
  }

  @Test(
    "while the factors are locked, no other code is compared or counted",
    arguments: ["87654321", "aaaa-bbbb-cccc-dddd", "000000", "code"])
  func others(answer: String) throws {
    try lock(Self.unlocking)
    host.memory.steps = []
    let answer = answer == "code" ? try KnownFactor.code(at: host.time) : answer
    let (verdict, application) = signIn(answer)
    #expect(verdict != .allow)
    #expect(application.told.last?.contains("Sign in with a recovery code") == true)
    #expect(!host.memory.steps.contains(.secret))
    #expect(host.memory.steps.contains(.digest) == answer.contains("-"))
    #expect(host.memory.attempts.failures == 3)
    #expect(host.memory.record?.recoveryCodes.count == 2)
  }

  @Test("if the record cannot be written, the factors stay locked")
  func notWritten() throws {
    try lock(Self.unlocking)
    host.memory.failure = (.replace, .busy)
    #expect(signIn(Self.code).verdict == .deny)
    host.memory.failure = nil
    #expect(host.memory.attempts.failures == 3)
    #expect(signIn(Self.code).verdict == .allow)
  }

  @Test("imported recovery codes alone unlock nothing")
  func importedAlone() throws {
    try lock(Self.unlocking)
    try host.memory.keep(recoveryCodes: [(Array("87654321".utf8), .imported)])
    let (verdict, application) = signIn("87654321")
    #expect(verdict != .allow && application.prompts.isEmpty)
  }
}
