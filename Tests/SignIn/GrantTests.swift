import MFAWire
import MFAAttempt
import MFABase
import MFAModel
import MFASignIn
import MFAStore
import MFASignInTestSupport
import Testing

@Suite("Bypass codes and tickets")
struct GrantTests {
  static let code = Array("0123456789".utf8)
  static let written = "gayt-emzu-gu3d-oobz"

  let host = ScriptedHost()
  let account = Account(name: Array("alice".utf8), uid: 1000)

  private func signIn(_ application: ScriptedApplication) -> Verdict {
    let request = SignInRequest(remoteHost: "203.0.113.9")
    return SignInRun(request, host: host, application: application).authenticate()
  }

  @Test("a bypass code is accepted as often as granted, and is shown, noted and logged")
  func bypass() throws {
    try host.enroll()
    let id = try host.memory.grant(.bypass, Self.code, to: account, madeAt: host.time, uses: 2)
    let name = String(decoding: id.hexadecimal, as: UTF8.self)
    for (use, left) in [
      (1, "It can be used once more. Add a device:"),
      (2, "It can't sign you in again. Add a device"),
    ] {
      let application = ScriptedApplication([.text(Self.written)])
      #expect(signIn(application) == .allow, "use \(use)")
      #expect(
        application.told.last.map { $0.hasPrefix("Bypass code accepted. \(left)") } == true)
      #expect(application.essentials == application.told.suffix(1))
      #expect(
        application.logged == [
          "result=bypass-code user=alice service=sshd rhost=203.0.113.9 tty=- "
            + "grant=\(name) uses-left=\(2 - use) reason=phone\\x20lost "
            + "checkpoint=\(use):00c0ffee"
        ])
      #expect(host.delivered.count == use)
    }
    // For a while, the code enrols a factor, and does nothing else.
    #expect(host.memory.record?.grants.map(\.kind) == [.enrollment])
    #expect(host.memory.record?.grants.map(\.expiresAt) == [host.time + 900])
    #expect(host.memory.record?.notices.map(\.kind) == [.bypassUsed, .bypassUsed])
    #expect(signIn(ScriptedApplication([.text(Self.written)])) == .deny)
  }

  @Test("the use of a bypass code is written before the user is let in, or the sign-in is denied")
  func durableFirst() throws {
    try host.enroll()
    _ = try host.memory.grant(.bypass, Self.code, to: account, madeAt: host.time)
    host.memory.steps = []
    host.memory.failure = (.replace, .busy)
    #expect(signIn(ScriptedApplication([.text(Self.written)])) == .deny)
    #expect(
      host.memory.steps == [
        .snapshot, .snapshot, .lock, .digest, .write(failures: 1), .digest, .replace, .unlock,
      ])
  }

  @Test(
    "a bypass code is accepted only while it is valid",
    arguments: [
      (1, -1, Verdict.deny), (2, 0, .allow), (3, 1799, .allow), (4, 1800, .deny),
    ] as [(Int, Int64, Verdict)])
  func bypassInTime(row: Int, seconds: Int64, expected: Verdict) throws {
    try host.enroll()
    _ = try host.memory.grant(.bypass, Self.code, to: account, madeAt: host.time)
    host.time += seconds
    #expect(signIn(ScriptedApplication([.text(Self.written)])) == expected, "row \(row)")
    #expect(host.memory.attempts.failures == (expected == .allow ? 0 : 1), "row \(row)")
  }

  @Test("a ticket is not a code, and without a bypass code its format is not one either")
  func ticketIsNoCode() throws {
    try host.enroll()
    _ = try host.memory.grant(.ticket, Self.code, to: account, madeAt: host.time)
    #expect(signIn(ScriptedApplication([.text(Self.written)])) == .deny)
    #expect(host.memory.attempts.failures == 0)
    #expect(host.memory.record?.grants.count == 1)
  }

  @Test("a wrong bypass code is counted, and too many are refused")
  func wrongBypass() throws {
    try host.enroll()
    _ = try host.memory.grant(.bypass, Self.code, to: account, madeAt: host.time)
    for letter in ["b", "c", "d", "e"] {
      #expect(signIn(ScriptedApplication([.text(letter + "aaa-aaaa-aaaa-aaaa")])) == .deny)
    }
    #expect(signIn(ScriptedApplication([.text("aaaa-aaaa-aaaa-aaaa")])) == .tooManyAttempts)
    #expect(signIn(ScriptedApplication([.text(Self.written)])) == .tooManyAttempts)
    #expect(host.memory.record?.grants.count == 1)
  }

  @Test("if a factor is named, bypass codes are not accepted")
  func namedFactor() throws {
    try host.enroll()
    _ = try host.memory.grant(.bypass, Self.code, to: account, madeAt: host.time)
    let factor = try #require(host.memory.record?.factors.first)
    let result = try Attempt.make(
      TypedCodes(whole: Array(Self.written.utf8).span), by: account, in: host.memory,
      Attempt.Context(settings: .defaults, clock: { host.time }, factor: factor.id)
    ).result
    guard case .rejected(.notACode) = result else {
      Issue.record("\(result)")
      return
    }
  }

  // MARK: Users who must enrol

  @Test(
    "a user who must enrol and has a bypass code is asked for it, and passes both lines with it")
  func bypassCodeReplacesEnrolment() throws {
    host.configuration = "[project]\nenrollment = required\n"
    _ = try host.memory.grant(.bypass, Self.code, to: account, madeAt: host.time, uses: 2)
    let request = SignInRequest()
    let wrong = ScriptedApplication([.text("aaaa-aaaa-aaaa-aaaa")])
    #expect(SignInRun(request, host: host, application: wrong).authenticate() == .deny)
    #expect(SignInRun(request, host: host, application: wrong).checkAccount() == .deny)
    let application = ScriptedApplication([.text(Self.written)])
    let signIn = SignInRun(request, host: host, application: application)
    #expect(signIn.authenticate() == .allow)
    #expect(signIn.checkAccount() == .allow)
    #expect(application.prompts.count == 1)
    // A different transaction has no such note.
    let other = ScriptedApplication()
    #expect(SignInRun(request, host: host, application: other).checkAccount() == .deny)
    let forgetful = ScriptedApplication([.text(Self.written)])
    forgetful.takesNotes = false
    #expect(SignInRun(request, host: host, application: forgetful).authenticate() == .deny)
    #expect(host.memory.record?.isEnrolled == false)
  }

  @Test(
    "a user who has only a bypass code reads nothing about an app",
    arguments: [
      ("login", "That is not a bypass code. Type the code that your administrator gave you."),
      ("sshd", "Wrong code."),
    ])
  func digitsForBypass(service: String, text: String) throws {
    // The stack of login asks for the password first; nobody knows what sshd's has proven.
    host.configuration = "[project]\nenrollment = required\n"
    _ = try host.memory.grant(.bypass, Self.code, to: account, madeAt: host.time)
    for answer in ["123456", "hello"] {
      let application = ScriptedApplication([.text(answer)])
      let request = SignInRequest(
        service: service, arguments: service == "login" ? ["after_password"] : [])
      #expect(SignInRun(request, host: host, application: application).authenticate() == .deny)
      #expect(application.told.last == text, "\(answer): \(application.told)")
    }
    #expect(host.memory.attempts.failures == 0)
  }

  @Test("an expired bypass code changes nothing for a user who must enrol")
  func oldBypass() throws {
    host.configuration = "[project]\nenrollment = required\n"
    _ = try host.memory.grant(.bypass, Self.code, to: account, madeAt: host.time)
    host.time += 1800
    let application = ScriptedApplication()
    let request = SignInRequest()
    #expect(SignInRun(request, host: host, application: application).authenticate() == .pass)
    #expect(application.prompts.isEmpty)
  }

  // MARK: Tickets

  private func redeem(_ code: [UInt8]) throws -> Attempt.RedemptionResult {
    guard let ticket = RecoveryCode(bytes: SecretBytes(copying: code.span)) else {
      throw FactorStoreError.cryptography
    }
    return try Attempt.redeem(
      ticket: ticket, by: account, in: host.memory,
      Attempt.Context(settings: .defaults, clock: { host.time }))
  }

  @Test("a ticket is found and kept, also for a user without a factor")
  func ticket() throws {
    let id = try host.memory.grant(.ticket, Self.code, to: account, madeAt: host.time)
    host.memory.steps = []
    guard case .good(id) = try redeem(Self.code) else {
      Issue.record("the ticket was refused")
      return
    }
    #expect(
      host.memory.steps == [
        .lock, .write(failures: 1), .digest, .write(failures: 0), .sync, .unlock,
      ])
    #expect(host.memory.record?.grants.count == 1)
    guard case .wrong(0) = try redeem(Array("9876543210".utf8)) else {
      Issue.record("a wrong ticket was accepted")
      return
    }
    #expect(host.memory.attempts.failures == 1)
    host.time += 1800
    guard case .wrong(0) = try redeem(Self.code) else {
      Issue.record("an expired ticket was accepted")
      return
    }
  }

  @Test("without a ticket, redeeming one compares nothing and changes nothing")
  func noTicket() throws {
    for _ in 1...50 {
      guard case .wrong(wait: 0) = try redeem(Self.code) else {
        Issue.record("an attempt without a ticket was not refused as wrong")
        return
      }
    }
    #expect(!host.memory.steps.contains(.digest) && !host.memory.steps.contains(.sync))
  }
}
