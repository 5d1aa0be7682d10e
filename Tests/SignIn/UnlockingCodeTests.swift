import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

@testable import MFASignIn

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
    try host.enroll()
    try host.memory.keep(
      recoveryCodes: [(Array("0123456789".utf8), .generated), (Array("87654321".utf8), .imported)])
    for _ in 0..<3 { _ = signIn(try host.wrongCode()) }
    #expect(host.memory.attempts.failures == 3)
  }

  private func signIn(_ answer: String) -> (verdict: Verdict, application: ScriptedApplication) {
    let request = SignInRequest()
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
    #expect(signIn(try host.code()).verdict == .allow)
    #expect(signIn(Self.code).verdict == .deny)
  }

  @Test("once the first factor is proven, the prompt asks for a recovery code")
  func prompt() throws {
    try lock(Self.unlocking)
    for (arguments, prompt) in [
      (["after_password"], "Your devices are locked. Recovery code: "), ([], "Verification code: "),
    ] {
      let application = ScriptedApplication([.text("")])
      let request = SignInRequest(arguments: arguments)
      #expect(SignInRun(request, host: host, application: application).authenticate() == .deny)
      #expect(application.prompts.first?.hasPrefix(prompt.dropLast()) == true)
    }
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
    let answer = answer == "code" ? try host.code() : answer
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

/// The break-glass code, for the time in which the store cannot be used.
@Suite("The break-glass code")
struct BreakGlassTests {
  static let code = "abcd-efgh-ijkl-mnop"
  static let readOnly = FactorStoreError.system(.attempts, SystemError(.open, number: 30))

  let host = ScriptedHost()

  init() throws {
    let typed = Array(Self.code.utf8)
    guard let code = RecoveryCode(answer: typed.span) else { throw FactorStoreError.cryptography }
    let salt = [UInt8](repeating: 7, count: BreakGlassCredential.saltLength)
    let hash = try SlowHash.hash(
      code.bytes.span, salt: salt, costLog2: 14, count: BreakGlassCredential.hashLength)
    host.breakGlass = BreakGlassCredential(
      users: [Array("alice".utf8)], costLog2: 14, salt: salt,
      hash: hash.span.indices.map { hash.span[$0] })
    host.storeFailure = .damaged(.directory)
  }

  private func signIn(
    _ application: ScriptedApplication, _ arguments: [String] = [], user: String = "alice"
  ) -> SignInRun<ScriptedHost> {
    let request = SignInRequest(user: user, arguments: arguments)
    return SignInRun(request, host: host, application: application)
  }

  @Test("a user whom the file names signs in with the code, and that is logged as an alert")
  func accepted() {
    for answer in [Self.code, "ABCDEFGHIJKLMNOP"] {
      let application = ScriptedApplication([.text(answer)])
      let run = signIn(application)
      #expect(run.authenticate() == .allow)
      #expect(
        application.prompts == ["The store of second factors cannot be used. Break-glass code: "])
      #expect(
        application.logged == [
          "result=break-glass user=alice service=sshd rhost=- tty=- part=store reason=damaged"
        ])
      let line = run.outcome.result?.logLine(
        SignInRequest(user: [], service: [], arguments: []), account: nil, state: .enabled)
      #expect(line?.0.number == LogPriority.alert.number)
      #expect(application.told.count == 1)
    }
  }

  @Test(
    "another code, a code of an app and no answer deny",
    arguments: [
      ("abcd-efgh-ijkl-mnoq", "result=wrong "), ("123456", "result=not-a-code "),
      ("", "result=not-a-code "),
    ])
  func denied(answer: String, result: String) {
    let application = ScriptedApplication([.text(answer)])
    #expect(signIn(application).authenticate() == .deny)
    #expect(application.logged.first?.hasPrefix(result) == true, "\(application.logged)")
  }

  @Test("nothing is asked if the user is not named, or the line or the process may not ask")
  func others() {
    for arguments in [["forward_pass"], ["use_first_pass"]] {
      let application = ScriptedApplication([.text(Self.code)])
      #expect(signIn(application, arguments).authenticate() == .deny)
      #expect(!application.prompts.contains { $0.contains("Break-glass") })
    }
    host.identity = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false)
    let unprivileged = ScriptedApplication([.text(Self.code)])
    #expect(signIn(unprivileged).authenticate() == .deny)
    host.identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    host.account = Account(name: Array("bob".utf8), uid: 1001)
    let other = ScriptedApplication([.text(Self.code)])
    #expect(signIn(other, user: "bob").authenticate() == .deny)
    let unknown = ScriptedApplication([.text(Self.code)])
    #expect(signIn(unknown, user: "nobody").authenticate() == .deny)
    #expect(other.prompts.isEmpty && unknown.prompts.isEmpty && unprivileged.prompts.isEmpty)
    host.account = Account(name: Array("alice".utf8), uid: 1000)
    host.breakGlass = nil
    let unprepared = ScriptedApplication([.text(Self.code)])
    #expect(signIn(unprepared).authenticate() == .deny && unprepared.prompts.isEmpty)
  }

  @Test("while the store works, the code is refused, and is not asked for")
  func onlyWithoutStore() throws {
    host.storeFailure = nil
    let account = try #require(host.account)
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
    let application = ScriptedApplication([.text(Self.code)])
    #expect(signIn(application).authenticate() == .deny)
    #expect(application.prompts == ["Verification code: "])
    host.clockFailure = SystemError(.clock, number: 5)
    let withoutClock = ScriptedApplication([.text(Self.code), .text(Self.code)])
    #expect(signIn(withoutClock).authenticate() == .deny)
    #expect(!withoutClock.prompts.contains { $0.contains("Break-glass") })
  }

  @Test(
    "of a store that can be read and not written, the code is asked for after an attempt, and signs in"
  )
  func readOnlyStore() throws {
    host.storeFailure = nil
    let account = try #require(host.account)
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
    host.memory.failure = (.lock, Self.readOnly)
    let application = ScriptedApplication([.text("000000"), .text(Self.code)])
    #expect(signIn(application).authenticate() == .allow)
    #expect(
      application.prompts == [
        "Verification code: ", "The store of second factors cannot be used. Break-glass code: ",
      ])
    // If the store works when the answer arrives, a code is asked for again, and the answer is worth nothing.
    for (last, verdict) in [
      (Self.code, .deny), (try host.code(), .allow),
    ] as [(String, Verdict)] {
      host.memory.failure = (.lock, Self.readOnly)
      let repaired = ScriptedApplication([.text("000000"), .text(Self.code), .text(last)])
      repaired.atPrompt = { [host, repaired] in
        if repaired.prompts.count == 2 { host.memory.failure = nil }
      }
      #expect(signIn(repaired).authenticate() == verdict)
      #expect(repaired.prompts.last == "Verification code: " && repaired.prompts.count == 3)
    }
  }

  @Test("only a fault of the store as a whole opens the way")
  func rule() throws {
    let earlier = try #require(UserName(Array("old".utf8)))
    func system(_ part: FactorStoreError.Part, _ number: Int32) -> FactorStoreError {
      .system(part, SystemError(.open, number: number))
    }
    let rows: [(Int, FactorStoreError, Bool)] = [
      (1, system(.attempts, 30), true), (2, system(.attempts, 28), true),
      (3, system(.record, 122), true), (4, system(.auditLog, 5), true),
      (5, system(.directory, 2), true), (6, system(.directory, 13), true),
      (7, system(.key, 2), true), (8, .untrusted(.directory, .wrongOwner), true),
      (9, .untrusted(.key, .wrongPermissions), true), (10, .damaged(.auditLogHead), true),
      (11, .rolledBack(.auditLog), true), (12, .damaged(.auditLogIndex), true),
      (13, system(.attempts, 2), false), (14, system(.record, 13), false),
      (15, system(.attempts, 24), false), (16, system(.directory, 12), false),
      (17, system(.auditLogHead, 11), false), (18, system(.clock, 30), false),
      (19, system(.sends, 28), false), (20, .untrusted(.record, .wrongOwner), false),
      (21, .damaged(.record), false), (22, .damaged(.attempts), false),
      (23, .rolledBack(.record), false), (24, .rolledBack(.attempts), false),
      (25, .otherKey, false), (26, .otherVersion(9), false), (27, .belongsToAnother, false),
      (28, .busy, false), (29, .cryptography, false), (30, .nameTooLong, false),
      (31, .engine(.unreachable), false), (32, .untrusted(.clock, .wrongOwner), false),
      (33, .foreign(.missing), true), (34, .foreign(.older), true),
      (35, .damaged(.identity), true), (36, .renamed(from: earlier), false),
    ]
    for (row, error, closes) in rows { #expect(error.closesStore == closes, "row \(row)") }
  }
}
