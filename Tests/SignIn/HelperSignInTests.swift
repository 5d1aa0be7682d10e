import MFAWire
import MFABase
import MFAModel
import MFASignIn
import MFAStore
import MFASignInTestSupport
import Testing

/// Sign-ins in a process that may not open the store.
@Suite("Sign-ins through the helper")
struct HelperSignInTests {
  static let forbidden = FactorStoreError.system(.directory, SystemError(.open, number: 13))

  let host: ScriptedHost

  init() {
    host = ScriptedHost()
    host.storeFailure = Self.forbidden
    host.identity = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false)
  }

  private func signIn(
    _ application: ScriptedApplication, _ arguments: [String] = []
  ) -> SignIn<ScriptedHost, ScriptedApplication> {
    let request = SignInRequest(
      user: Array("alice".utf8), service: Array("swaylock".utf8),
      arguments: arguments.map { Array($0.utf8) })
    return SignIn(request, host: host, application: application)
  }

  // MARK: The helper's responses

  private static func welcome(_ name: String = "alice") throws -> ScriptedHelper.Answer {
    let user = try #require(UserName(Array(name.utf8)))
    return .response { .welcome(user: user, issuer: DisplayText(cleaning: [])) }
  }

  private static func factor(
    _ id: UInt8, _ name: String, _ length: CodeLength = .six
  ) throws -> FactorSummary {
    FactorSummary(
      id: try #require(FactorID(bytes: [UInt8](repeating: id, count: 16))),
      displayName: try DisplayName(Array(name.utf8)), enrolledAt: 0,
      kind: .totp(try #require(TOTPParameters(algorithm: .sha1, codeLength: length, period: 30))))
  }

  private static func status(
    codes: UInt8 = 0, imported: UInt8 = 0, unlocks: Bool = false,
    _ standing: AccountStatus.Standing = .open
  ) -> ScriptedHelper.Answer {
    let status = AccountStatus(
      enrollment: .selfService, state: .enabled, recoveryCodesLeft: codes,
      importedRecoveryCodesLeft: imported, recoveryCodeUnlocks: unlocks, standing: standing)
    return .response { .status(status) }
  }

  private static let tested = used(.factor(nil))

  private static func used(_ code: UsedCode) -> ScriptedHelper.Answer {
    .response { .signedIn(code) }
  }

  /// Returns the helper session before the prompt.
  private static func look(
    _ factors: [FactorSummary], _ status: ScriptedHelper.Answer = HelperSignInTests.status()
  ) throws -> ScriptedHelper {
    ScriptedHelper([try welcome(), .response { .factors(factors) }, status])
  }

  /// Returns the helper session after the prompt.
  private static func judge(_ answers: [ScriptedHelper.Answer]) throws -> ScriptedHelper {
    ScriptedHelper([try welcome()] + answers)
  }

  // MARK: The sign-in

  @Test("a correct code is accepted, with separate helper sessions before and after the prompt")
  func rightCode() throws {
    let look = try Self.look([try Self.factor(7, "Phone")])
    let judge = try Self.judge([Self.tested])
    host.helpers = [look, judge]
    let application = ScriptedApplication([.text("123 456")])
    #expect(signIn(application).authenticate() == .allow)
    #expect(application.prompts == ["One-time code: "])
    #expect(application.told.isEmpty)
    #expect(
      application.logged == [
        "result=accepted user=alice service=swaylock rhost=- tty=- factor="
          + String(repeating: "07", count: 16)
      ])
    #expect(look.requests == ["hello", "list", "status"])
    #expect(judge.requests == ["hello", "signIn - 123456"])
    #expect(look.isUsedUp && judge.isUsedUp)
  }

  @Test("if the matching factor is unknown, none is logged")
  func severalFactors() throws {
    host.helpers = [
      try Self.look([try Self.factor(7, "Phone"), try Self.factor(8, "Tablet")]),
      try Self.judge([Self.tested]),
    ]
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application).authenticate() == .allow)
    #expect(
      application.logged == ["result=accepted user=alice service=swaylock rhost=- tty=-"])
  }

  @Test("no helper is running while the user is prompted")
  func noHelperAtThePrompt() throws {
    nonisolated final class Count { var living = 0 }
    let count = Count()
    let factors = [try Self.factor(7, "Phone")]
    for answers in [
      [try Self.welcome(), .response { .factors(factors) }, Self.status()],
      [try Self.welcome(), Self.tested],
    ] {
      count.living += 1
      host.helpers.append(ScriptedHelper(answers) { count.living -= 1 })
    }
    let application = ScriptedApplication([.text("123456")])
    var livingAtPrompt: [Int] = []
    // Only the second helper is still to be started.
    application.atPrompt = { livingAtPrompt.append(count.living) }
    #expect(signIn(application).authenticate() == .allow)
    #expect(livingAtPrompt == [1])
    #expect(count.living == 0)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let number: Int
    let failure: HelperFailure
    let verdict: Verdict
    let result: String
    let told: String?
    var testDescription: String { "\(number): \(failure)" }
  }

  static let refusals = [
    Refusal(
      number: 1, failure: .invalidVerificationCode, verdict: .deny, result: "wrong",
      told: "Wrong code."),
    Refusal(
      number: 2, failure: .codeAlreadyUsed, verdict: .deny, result: "replayed",
      told: "That code has already been used. Use the next one."),
    Refusal(
      number: 3, failure: .tooManyAttempts(seconds: 28), verdict: .tooManyAttempts,
      result: "throttled", told: "Too many wrong codes. Try again in 28 seconds."),
    Refusal(
      number: 4, failure: .factorsLocked, verdict: .tooManyAttempts, result: "locked",
      told: "Too many wrong codes. Your devices are locked. Ask an administrator to unlock them."
    ),
    Refusal(
      number: 5, failure: .notACode, verdict: .deny, result: "not-a-code",
      told: "That is not a code. Type the digits that your authenticator app shows."),
    // The factor was removed during the prompt.
    Refusal(
      number: 6, failure: .factorNotFound, verdict: .deny, result: "error",
      told:
        "Sign-in is unavailable because of a server problem, not your code. Contact your administrator."
    ),
    Refusal(
      number: 7, failure: .storeUnavailable, verdict: .deny, result: "error",
      told:
        "Sign-in is unavailable because of a server problem, not your code. Contact your administrator."
    ),
  ]

  @Test("the helper's refusals are shown and logged like others", arguments: refusals)
  func refused(row: Refusal) throws {
    host.helpers = [
      try Self.look([try Self.factor(7, "Phone")]), try Self.judge([.failure(row.failure)]),
    ]
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application).authenticate() == row.verdict, "row \(row.number)")
    #expect(application.told == [row.told].compactMap(\.self), "row \(row.number)")
    #expect(application.logged.count == 1)
    #expect(application.logged[0].hasPrefix("result=\(row.result) "), "row \(row.number)")
  }

  @Test(
    "a throttled user is not prompted",
    arguments: [
      (AccountStatus.Standing.throttled(seconds: 28), "throttled"), (.locked, "locked"),
    ])
  func waiting(standing: AccountStatus.Standing, result: String) throws {
    host.helpers = [try Self.look([try Self.factor(7, "Phone")], Self.status(standing))]
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application).authenticate() == .tooManyAttempts)
    #expect(application.prompts.isEmpty)
    #expect(application.logged.first?.hasPrefix("result=\(result) ") == true)
  }

  @Test("a locked user whom a recovery code unlocks is prompted, and the helper decides")
  func unlocking() throws {
    for (answer, isAccepted) in [
      (Self.used(.recoveryCode(left: 8)), true), (.failure(.factorsLocked), false),
    ] {
      host.helpers = [
        try Self.look([try Self.factor(7, "Phone")], Self.status(codes: 9, unlocks: true, .locked)),
        try Self.judge([answer]),
      ]
      let application = ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])
      let verdict = signIn(application).authenticate()
      #expect(application.prompts.count == 1)
      guard isAccepted else {
        #expect(verdict == .tooManyAttempts)
        continue
      }
      #expect(verdict == .allow)
      #expect(application.told == ["Recovery code accepted. 8 left."])
    }
  }

  struct RecoveryRow: Sendable {
    let number: Int
    let answer: String
    let codes: UInt8
    let imported: UInt8
    let sent: String?
  }

  @Test(
    "a recovery code is accepted, and distinguished from a factor's code",
    arguments: [
      RecoveryRow(
        number: 1, answer: "gayt-emzu-gu3d-oobz", codes: 10, imported: 0,
        sent: "gayt-emzu-gu3d-oobz"),
      RecoveryRow(number: 2, answer: "12345678", codes: 5, imported: 5, sent: "12345678"),
      RecoveryRow(number: 3, answer: "12345678", codes: 5, imported: 0, sent: nil),
      RecoveryRow(number: 4, answer: "gayt-emzu-gu3d-oob", codes: 10, imported: 5, sent: nil),
    ])
  func recoveryCode(row: RecoveryRow) throws {
    let judge = try Self.judge([Self.used(.recoveryCode(left: row.codes &- 1))])
    host.helpers = [
      try Self.look(
        [try Self.factor(7, "Phone")], Self.status(codes: row.codes, imported: row.imported)),
      judge,
    ]
    let application = ScriptedApplication([.text(row.answer)])
    let verdict = signIn(application).authenticate()
    guard let sent = row.sent else {
      #expect(verdict == .deny, "row \(row.number)")
      #expect(application.logged.first?.contains("answer=something-else") == true)
      #expect(judge.requests.isEmpty, "row \(row.number)")
      return
    }
    #expect(verdict == .allow, "row \(row.number)")
    #expect(judge.requests == ["hello", "signIn - \(sent)"], "row \(row.number)")
    #expect(application.told.first?.hasPrefix("Recovery code accepted. ") == true)
    #expect(application.logged.first?.hasPrefix("result=recovery-code ") == true)
    #expect(application.logged.first?.hasSuffix(" recovery-codes-left=\(row.codes - 1)") == true)
    #expect(application.revealed.isEmpty)
  }

  @Test("a bypass code is accepted, logged as one, and the user is told the uses that are left")
  func bypass() throws {
    let judge = try Self.judge([Self.used(.bypassCode(usesLeft: 2))])
    host.helpers = [try Self.look([try Self.factor(7, "Phone")]), judge]
    let application = ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])
    #expect(signIn(application).authenticate() == .allow)
    #expect(judge.requests == ["hello", "signIn - gayt-emzu-gu3d-oobz"])
    #expect(
      application.logged == [
        "result=bypass-code user=alice service=swaylock rhost=- tty=- uses-left=2"
      ])
    #expect(application.told.count == 1)
    #expect(application.told.first?.contains("2") == true)
  }

  @Test("the factor that the helper names is logged, if several factors could have the code")
  func namedFactor() throws {
    let tablet = try Self.factor(8, "Tablet")
    host.helpers = [
      try Self.look([try Self.factor(7, "Phone"), tablet]),
      try Self.judge([Self.used(.factor(tablet.id))]),
    ]
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application).authenticate() == .allow)
    #expect(application.logged.first?.contains(" factor=0808") == true)
  }

  @Test("with the factor list, the helper verifies only the selected factor")
  func hints() throws {
    host.configuration = "[project]\nprompt_hints = on\n"
    let judge = try Self.judge([Self.tested])
    host.helpers = [
      try Self.look([try Self.factor(7, "Phone"), try Self.factor(8, "Tablet")]), judge,
    ]
    let application = ScriptedApplication([.text("2"), .text("123456")])
    #expect(signIn(application).authenticate() == .allow)
    #expect(
      application.prompts == [
        "Your devices:\n 1: Phone\n 2: Tablet\nOne-time code, or the number of a device: ",
        "One-time code from 'Tablet': ",
      ])
    #expect(judge.requests[1] == "signIn 8 123456")
    #expect(application.logged.first?.contains("factor=0808") == true)
  }

  // MARK: Password and code in one answer

  @Test("with forward_pass, the code is taken from the end and the rest is forwarded")
  func forwardPass() throws {
    let judge = try Self.judge([Self.tested])
    host.helpers = [try Self.look([try Self.factor(7, "Phone")]), judge]
    let application = ScriptedApplication([.text("pass 123word123456")])
    #expect(signIn(application, ["forward_pass"]).authenticate() == .allow)
    #expect(judge.requests[1] == "signIn - 123456")
    #expect(application.forwarded == ["pass 123word"])
  }

  @Test(
    "with codes of several lengths, each possible code at the end is tried",
    arguments: [
      (1, 0, ["signIn - 12345678"], "pass"),
      (2, 1, ["signIn - 12345678", "signIn - 345678"], "pass12"),
    ] as [(Int, Int, [String], String)])
  func severalLengths(row: Int, wrong: Int, sent: [String], forwarded: String) throws {
    let judge = try Self.judge(
      Array(repeating: .failure(.invalidVerificationCode), count: wrong)
        + [Self.tested])
    host.helpers = [
      try Self.look([try Self.factor(7, "Phone"), try Self.factor(8, "Card", .eight)]), judge,
    ]
    let application = ScriptedApplication([.text("pass12345678")])
    #expect(signIn(application, ["forward_pass"]).authenticate() == .allow, "row \(row)")
    #expect(judge.requests.filter { $0.hasPrefix("signIn") } == sent, "row \(row)")
    #expect(application.forwarded == [forwarded], "row \(row)")
  }

  @Test("once the user is throttled, no further code is tried")
  func severalLengthsThrottled() throws {
    let judge = try Self.judge([.failure(.tooManyAttempts(seconds: 30)), Self.tested])
    host.helpers = [
      try Self.look([try Self.factor(7, "Phone"), try Self.factor(8, "Card", .eight)]), judge,
    ]
    let application = ScriptedApplication([.text("pass12345678")])
    #expect(signIn(application, ["forward_pass"]).authenticate() == .tooManyAttempts)
    #expect(judge.requests == ["hello", "signIn - 12345678"])
    #expect(application.forwarded == ["pass12"])
  }

  // MARK: Only the caller's account

  @Test("a different user's account is refused without starting the helper")
  func accountMismatch() throws {
    host.identity = ProcessIdentity(user: 1001, actsAsRoot: false, isConfined: false)
    host.helpers = [try Self.look([])]
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application).authenticate() == .deny)
    #expect(signIn(application).checkAccount() == .deny)
    #expect(application.prompts.isEmpty)
    #expect(host.helpers.count == 1)
    let line =
      "result=error user=alice service=swaylock rhost=- tty=- part=helper reason=anothers-account"
    #expect(application.logged == [line, line])
  }

  @Test("if several accounts have the same uid, only the one that the helper names is served")
  func sharedIdentity() throws {
    host.helpers = [ScriptedHelper([try Self.welcome("alias")])]
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application).authenticate() == .deny)
    #expect(application.logged.first?.hasSuffix("reason=anothers-account") == true)
  }

  @Test("for root, and for other store failures, the helper is not used")
  func helperIsNotUsedForRoot() throws {
    let rows: [(Int, Bool, FactorStoreError)] = [
      (1, true, Self.forbidden),
      (2, false, .system(.directory, SystemError(.open, number: 2))),
      (3, false, .system(.record, SystemError(.open, number: 13))),
      (4, false, .untrusted(.directory, .wrongOwner)),
    ]
    for (number, actsAsRoot, failure) in rows {
      host.identity = ProcessIdentity(user: 1000, actsAsRoot: actsAsRoot, isConfined: false)
      host.storeFailure = failure
      host.helpers = [try Self.look([try Self.factor(7, "Phone")]), try Self.judge([Self.tested])]
      let application = ScriptedApplication([.text("123456")])
      #expect(signIn(application).authenticate() == .deny, "row \(number)")
      #expect(host.helpers.count == 2, "row \(number)")
      #expect(application.logged.first?.contains("part=helper") == false, "row \(number)")
    }
  }

  // MARK: Users without a factor

  @Test(
    "a user without a factor passes or is denied according to the policy",
    arguments: [
      (1, "self-service", Verdict.pass, "not-enrolled"),
      (2, "required", .deny, "enrollment-required"),
      (3, "offered\noffer_until = 2030-01-01", .pass, "not-enrolled"),
      (4, "offered\noffer_until = 2020-01-01", .deny, "enrollment-required"),
      // The helper does not count sign-ins.
      (5, "offered\noffer_sign_ins = 1", .pass, "not-enrolled"),
      (6, "offered\noffer_sign_ins = 5\noffer_until = 2020-01-01", .deny, "enrollment-required"),
    ])
  func notEnrolled(row: Int, enrollment: String, verdict: Verdict, result: String) throws {
    host.configuration = "[project]\nenrollment = \(enrollment)\n"
    host.helpers = [try Self.look([]), try Self.look([])]
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application).authenticate() == verdict, "row \(row)")
    #expect(application.isUsedUp == (verdict == .deny), "row \(row)")
    #expect(application.logged.first?.hasPrefix("result=\(result) ") == true, "row \(row)")
    #expect(signIn(application).checkAccount() == verdict, "row \(row)")
    #expect(application.logged.last?.hasPrefix("result=\(result) ") == true, "row \(row)")
  }

  @Test("the account line allows an enrolled user")
  func account() throws {
    host.helpers = [try Self.look([try Self.factor(7, "Phone")])]
    #expect(signIn(ScriptedApplication()).checkAccount() == .allow)
  }

  @Test("with forward_pass, a user without a factor types only the password")
  func notEnrolledForwardPass() throws {
    host.helpers = [try Self.look([])]
    let application = ScriptedApplication([.text("password")])
    #expect(signIn(application, ["forward_pass"]).authenticate() == .pass)
    #expect(application.forwarded == ["password"])
  }

  // MARK: Failures

  @Test("every failure denies and is logged")
  func everythingFailsClosed() throws {
    let factors = [try Self.factor(7, "Phone")]
    let list = ScriptedHelper.Answer.response { .factors(factors) }
    let welcome = try Self.welcome()
    let troubles: [(Int, [[ScriptedHelper.Answer]], String)] = [
      (1, [[.trouble(.ended)]], "ended"), (2, [[.trouble(.silent)]], "silent"),
      (3, [[.trouble(.malformed)]], "malformed"),
      (4, [[.trouble(.system(SystemError(.process, number: 2)))]], "system errno=ENOENT"),
      (5, [[.failure(.notPermitted)]], "not-permitted"),
      (6, [[.failure(.configurationInvalid)]], "configuration-invalid"),
      (7, [[list]], "malformed"), (8, [[welcome]], "ended"),
      (9, [[welcome, Self.tested]], "malformed"),
      (10, [[welcome, .failure(.storeUnavailable)]], "store-unavailable"),
      (11, [[welcome, list, .failure(.internalError)]], "refused"),
      (12, [[welcome, list, Self.tested]], "malformed"),
      (13, [[welcome, list, Self.status()]], "ended"),
      (14, [[welcome, list, Self.status()], [.failure(.notPermitted)]], "not-permitted"),
      (15, [[welcome, list, Self.status()], [welcome]], "ended"),
      (16, [[welcome, list, Self.status()], [welcome, Self.status()]], "malformed"),
      (17, [[welcome, list, Self.status()], [welcome, .trouble(.silent)]], "silent"),
      (18, [[welcome, list, Self.status()], [welcome, .failure(.protocolError)]], "refused"),
    ]
    for (number, conversations, reason) in troubles {
      host.helpers = conversations.map { ScriptedHelper($0) }
      let application = ScriptedApplication([.text("123456")])
      #expect(signIn(application).authenticate() == .deny, "row \(number)")
      #expect(application.logged.count == 1, "row \(number)")
      #expect(application.logged[0].hasPrefix("result=error "), "row \(number)")
      #expect(
        application.logged[0].hasSuffix(" part=helper reason=\(reason)"),
        "row \(number): \(application.logged)")
      #expect(application.essentials.count == 1, "row \(number)")
    }
    host.helperFailure = .system(SystemError(.process, number: 11))
    #expect(signIn(ScriptedApplication()).authenticate() == .deny)
    host.helperFailure = nil
    host.identity = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: true)
    let confined = ScriptedApplication()
    #expect(signIn(confined).authenticate() == .deny)
    #expect(confined.logged.first?.hasSuffix("part=helper reason=no-new-privileges") == true)
  }

  @Test("an answer that cannot be a code is not sent to the helper")
  func notACode() throws {
    for answer in ["", "password", "12345", "12345678"] {
      let judge = try Self.judge([Self.tested])
      host.helpers = [try Self.look([try Self.factor(7, "Phone")]), judge]
      let application = ScriptedApplication([.text(answer)])
      #expect(signIn(application).authenticate() == .deny)
      #expect(judge.requests.isEmpty)
    }
  }

  @Test("in the observe state, every sign-in passes")
  func observing() throws {
    host.configuration = "[project]\nstate = observe\n"
    host.helpers = [ScriptedHelper([.trouble(.ended)])]
    #expect(signIn(ScriptedApplication()).authenticate() == .pass)
  }
}
