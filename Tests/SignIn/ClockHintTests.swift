import MFAWire
import MFAAttempt
import MFAModel
import MFAMessages
import MFASignIn
import MFASignInTestSupport
import MFAStore
import MFABase
import Testing

@Suite("The hint that a clock may be wrong")
struct ClockHintTests {
  let host = ScriptedHost()

  private static let hint = SignInMessage.clockMayBeWrong.text(in: .english).string

  private func enroll() throws {
    _ = try host.memory.enroll(
      "Phone", secret: KnownFactor.secret, for: try #require(host.account))
  }

  /// Signs in with a code, and returns the messages.
  private func signIn(_ code: String, silently: Bool = false) -> [String] {
    let request = SignInRequest(user: Array("alice".utf8), service: Array("sshd".utf8))
    let application = ScriptedApplication([.text(code)])
    application.showsMessages = !silently
    _ = SignInRun(request, host: host, application: application).authenticate()
    return application.told
  }

  @Test(
    "after an accepted code, a code outside the window that was rejected before causes the hint",
    arguments: [
      (1, 6, true), (2, 15, true), (3, -6, true), (4, -15, true), (5, 16, false), (6, -16, false),
    ] as [(Int, Int64, Bool)])
  func outside(row: Int, steps: Int64, isHinted: Bool) throws {
    try enroll()
    let rejected = signIn(try KnownFactor.code(at: host.time, steps: steps))
    #expect(rejected == ["Wrong code."], "row \(row)")
    #expect(host.memory.attempts.recentAnswers.clockHint != nil, "row \(row)")
    let accepted = signIn(try KnownFactor.code(at: host.time))
    #expect(accepted.contains(Self.hint) == isHinted, "row \(row)")
    #expect(host.memory.attempts.recentAnswers.clockHint == nil, "row \(row)")
    // The hint is given once.
    #expect(!signIn(try KnownFactor.code(at: host.time, steps: 1)).contains(Self.hint))
  }

  @Test("a wrong code, or a used code, causes no hint")
  func noHint() throws {
    try enroll()
    _ = signIn(try KnownFactor.wrongCode(at: host.time))
    #expect(!signIn(try KnownFactor.code(at: host.time)).contains(Self.hint))
    _ = signIn(try KnownFactor.code(at: host.time))
    #expect(!signIn(try KnownFactor.code(at: host.time, steps: 1)).contains(Self.hint))
  }

  @Test("an attempt that fails never gives the hint")
  func toldOnlyAfterAcceptedCode() throws {
    try enroll()
    for code in [
      try KnownFactor.code(at: host.time, steps: 8), try KnownFactor.code(at: host.time, steps: 8),
      try KnownFactor.wrongCode(at: host.time),
    ] {
      #expect(signIn(code) == ["Wrong code."])
    }
  }

  @Test("a sign-in that shows no messages leaves the hint to a later one")
  func silent() throws {
    try enroll()
    _ = signIn(try KnownFactor.code(at: host.time, steps: 8))
    #expect(!signIn(try KnownFactor.code(at: host.time), silently: true).contains(Self.hint))
    #expect(signIn(try KnownFactor.code(at: host.time, steps: 1)).contains(Self.hint))
  }

  @Test("the time of the rejected code counts, not that of the accepted one")
  func later() throws {
    try enroll()
    _ = signIn(try KnownFactor.code(at: host.time, steps: 8))
    host.time += 86_400
    #expect(signIn(try KnownFactor.code(at: host.time)).contains(Self.hint))
  }
}
