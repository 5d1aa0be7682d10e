import MFAWire
import MFABase
import MFAAttempt
import MFAStore
import MFAModel
import MFASignIn
import MFASignInTestSupport
import Testing

@Suite("Sign-ins")
struct SignInTests {
  let host = ScriptedHost()

  private func signIn(
    _ application: ScriptedApplication, user: String = "alice", _ arguments: [String] = []
  ) -> Verdict {
    let request = SignInRequest(user: user, remoteHost: "203.0.113.9", arguments: arguments)
    return SignInRun(request, host: host, application: application).authenticate()
  }

  private func enroll(_ parameters: TOTPParameters = .standard) throws {
    let account = try #require(host.account)
    _ = try host.memory.enroll(
      "Phone", secret: KnownFactor.secret, for: account, parameters: parameters)
  }

  @Test("a correct code is accepted once")
  func rightCode() throws {
    try enroll()
    let first = ScriptedApplication([.text(try host.code())])
    #expect(signIn(first) == .allow)
    #expect(first.prompts == ["Verification code: "])
    #expect(first.isUsedUp)
    #expect(first.logged.count == 1)
    #expect(first.logged.first?.hasPrefix("result=accepted user=alice service=sshd") == true)
    let second = ScriptedApplication([.text(try host.code())])
    #expect(signIn(second) == .deny)
    #expect(second.told == ["That code has already been used. Use the next one."])
    #expect(second.essentials == second.told)
    #expect(second.logged.first?.hasPrefix("result=replayed user=alice") == true)
    #expect(first.audited == ["mfa:code alice 203.0.113.9 - yes"])
    #expect(second.audited == ["mfa:code alice 203.0.113.9 - no"])
    let empty = ScriptedApplication([.text("")])
    #expect(signIn(empty) == .deny)
    #expect(empty.audited.isEmpty, "no code was verified")
    #expect(host.memory.events.isEmpty, "codes are not recorded in the audit log")
  }

  @Test(
    "the window has the configured width",
    arguments: [
      (1, 5, -5, true), (2, 5, 5, true), (3, 5, -6, false), (4, 5, 6, false), (5, 0, 0, true),
      (6, 0, 1, false), (7, 0, -1, false), (8, 10, 10, true), (9, 10, -10, true),
      (10, 10, 11, false),
    ] as [(Int, Int, Int64, Bool)])
  func window(number: Int, intervals: Int, steps: Int64, accepted: Bool) throws {
    try enroll()
    host.configuration = "[project]\nadjacent_intervals = \(intervals)\n"
    let application = ScriptedApplication([.text(try host.code(steps))])
    #expect(signIn(application) == (accepted ? .allow : .deny), "row \(number)")
  }

  private func keepRecoveryCodes(_ count: UInt8) throws {
    try host.memory.keep(
      recoveryCodes: (0..<count).map { number in
        (Array("012345678".utf8) + [UInt8(ascii: "9") + number], .generated)
      })
  }

  /// The first code of `keepRecoveryCodes`.
  private static let recoveryCode = "gayt-emzu-gu3d-oobz"

  @Test(
    "a recovery code is accepted once, and the number of remaining codes is shown",
    arguments: [
      (1, 10, "Recovery code accepted. 9 left."),
      (
        2, 4,
        "Recovery code accepted. 3 left. Make new ones: mfa-enroll recovery-codes --new"
      ),
      (
        3, 2,
        "Recovery code accepted. 1 left. Make new ones: mfa-enroll recovery-codes --new"
      ),
    ] as [(Int, UInt8, String)])
  func recoveryCode(row: Int, count: UInt8, told: String) throws {
    try enroll()
    try keepRecoveryCodes(count)
    let first = ScriptedApplication([.text(Self.recoveryCode)])
    first.showsMessages = false
    #expect(signIn(first) == .allow, "row \(row)")
    #expect(first.told == [told], "row \(row)")
    #expect(first.essentials == first.told, "row \(row)")
    #expect(first.logged.first?.hasPrefix("result=recovery-code user=alice service=sshd") == true)
    let mark = "checkpoint=1:00c0ffee"
    #expect(
      first.logged.first?.hasSuffix("recovery-codes-left=\(count - 1) \(mark)") == true,
      "row \(row)")
    #expect(first.logged.first?.contains(Self.recoveryCode) == false)
    #expect(signIn(ScriptedApplication([.text(Self.recoveryCode)])) == .deny, "row \(row)")
  }

  @Test("a used recovery code is not replaced, also if the user could be shown a new one")
  func spentRecoveryCode() throws {
    try enroll()
    try keepRecoveryCodes(10)
    let first = ScriptedApplication([.text(Self.recoveryCode)])
    #expect(signIn(first) == .allow)
    #expect(first.told == ["Recovery code accepted. 9 left."])
    #expect(host.memory.record?.recoveryCodes.count == 9)
  }

  @Test("after the last recovery code, no recovery code is accepted")
  func lastRecoveryCode() throws {
    try enroll()
    try keepRecoveryCodes(1)
    let last = ScriptedApplication([.text(Self.recoveryCode)])
    #expect(signIn(last) == .allow)
    #expect(
      last.told == [
        "Recovery code accepted. It was the last one. Make new ones: mfa-enroll recovery-codes --new"
      ])
    #expect(host.memory.record?.recoveryCodes.isEmpty == true)
    let again = ScriptedApplication([.text(Self.recoveryCode)])
    #expect(signIn(again) == .deny)
    #expect(again.logged.first?.hasPrefix("result=not-a-code") == true)
  }

  @Test("a recovery code after a password is removed before the password is forwarded")
  func recoveryCodeAfterPassword() throws {
    try enroll()
    try keepRecoveryCodes(10)
    let application = ScriptedApplication([.text("correct horse" + Self.recoveryCode)])
    #expect(signIn(application, ["forward_pass"]) == .allow)
    #expect(application.forwarded == ["correct horse"])
  }

  @Test("in the observe state, a used recovery code is not replaced")
  func observedRecoveryCode() throws {
    try enroll()
    try keepRecoveryCodes(10)
    host.configuration = "[project]\nstate = observe\n"
    let application = ScriptedApplication([.text(Self.recoveryCode)])
    #expect(signIn(application) == .pass)
    #expect(host.memory.record?.recoveryCodes.count == 9)
  }

  @Test("spaces in a code are ignored")
  func space() throws {
    try enroll()
    let code = try host.code()
    let spaced = " \(code.prefix(3)) \(code.suffix(3)) "
    #expect(signIn(ScriptedApplication([.text(spaced)])) == .allow)
  }

  @Test("the record is stored under the account's own spelling of the name")
  func spelling() throws {
    try enroll()
    #expect(signIn(ScriptedApplication([.text(try host.code())]), user: "ALICE") == .allow)
  }

  @Test(
    "an answer that cannot be a code is neither counted nor logged",
    arguments: [
      (1, .text("")), (2, .none), (3, .tooLong), (4, .text("correct horse 123456")),
      (5, .text("12345")), (6, .text("1234567")), (7, .text("12345678")), (8, .text("123456789")),
      (9, .text("١٢٣٤٥٦")), (10, .text("12345\u{7}")), (11, .text("12-456")), (12, .text("+12345")),
      (13, .bytes([0x31, 0x32, 0x33, 0, 0x34, 0x35, 0x36])),
      (14, .bytes([0xFF, 0xFE, 0x31, 0x32, 0x33, 0x34])),
      (15, .bytes([0x08, 0x0A, 0x0D, 0x7F] + Array("INCORRECT".utf8))),
      (16, .bytes([UInt8](repeating: 0x20, count: 512))),
    ] as [(Int, ScriptedApplication.Answer)])
  func notACode(number: Int, answer: ScriptedApplication.Answer) throws {
    try enroll()
    let before = host.memory.attempts
    let application = ScriptedApplication([answer])
    #expect(signIn(application) == .deny, "row \(number)")
    #expect(application.isUsedUp)
    #expect(host.memory.attempts == before, "row \(number)")
    #expect(!host.memory.steps.contains(.lock), "row \(number)")
    #expect(application.logged.count == 1)
    #expect(application.logged[0].hasPrefix("result=not-a-code user=alice"), "row \(number)")
    if case .text(let text) = answer, !text.isEmpty {
      #expect(!application.logged[0].contains(text), "row \(number)")
    }
  }

  @Test("after five wrong codes nothing is compared until the wait is over")
  func throttle() throws {
    try enroll()
    let over = " This connection accepts no more passwords or codes."
    for attempt in 1...5 {
      let application = ScriptedApplication([.text(try host.wrongCode())])
      #expect(signIn(application) == (attempt == 5 ? .tooManyAttempts : .deny))
      #expect(
        application.told
          == [
            attempt == 5 ? "Too many wrong codes. Try again in 30 seconds." + over : "Wrong code."
          ])
      #expect(application.essentials == application.told)
    }
    host.time += 2
    let right = ScriptedApplication([.text(try host.code())])
    #expect(signIn(right) == .tooManyAttempts)
    #expect(right.prompts.isEmpty)
    #expect(right.told == ["Too many wrong codes. Try again in 28 seconds." + over])
    #expect(right.logged.first?.contains("result=throttled") == true)
    host.time += 28
    #expect(signIn(ScriptedApplication([.text(try host.code())])) == .allow)
    #expect(host.memory.attempts.failures == 0)
  }

  @Test("a wait that begins during the prompt applies")
  func throttledAtThePrompt() throws {
    try enroll()
    let application = ScriptedApplication([.text(try host.code())])
    application.atPrompt = { [host] in
      host.memory.attempts = AttemptState(
        record: host.memory.attempts.record, failures: 5, lastFailure: host.time,
        watermarks: host.memory.attempts.watermarks)
    }
    #expect(signIn(application) == .tooManyAttempts)
    #expect(!host.memory.steps.contains(.secret))
  }

  @Test("a hundred failures lock the factors")
  func disabled() throws {
    try enroll()
    host.memory.attempts = AttemptState(
      record: host.memory.attempts.record, failures: 100, lastFailure: 0,
      watermarks: host.memory.attempts.watermarks)
    let application = ScriptedApplication([.text(try host.code())])
    #expect(signIn(application) == .tooManyAttempts)
    #expect(application.prompts.isEmpty)
    #expect(application.logged.first?.hasPrefix("result=locked") == true)
  }

  @Test("no lock is held during the prompt")
  func noLockAtThePrompt() throws {
    try enroll()
    let application = ScriptedApplication([.text(try host.code())])
    var locked: [Bool] = []
    application.atPrompt = { [host] in locked.append(host.memory.isLocked) }
    #expect(signIn(application) == .allow)
    #expect(locked == [false])
  }

  @Test("a user without a factor is not prompted")
  func notEnrolled() {
    let application = ScriptedApplication()
    #expect(signIn(application) == .pass)
    #expect(application.prompts.isEmpty)
    #expect(application.logged.first?.hasPrefix("result=not-enrolled") == true)
  }

  @Test("an unknown user is prompted as if enrolled")
  func unknownUser() throws {
    try enroll()
    let application = ScriptedApplication([.text(try host.code())])
    #expect(signIn(application, user: "mallory") == .deny)
    #expect(application.prompts == ["Verification code: "])
    #expect(application.told == ["Wrong code."])
  }

  @Test("in the disabled state users are not prompted; in the observe state every sign-in passes")
  func states() throws {
    try enroll()
    host.configuration = "[project]\nstate = disabled\n"
    let off = ScriptedApplication()
    #expect(signIn(off) == .pass)
    #expect(off.prompts.isEmpty)
    #expect(signIn(ScriptedApplication(), user: "nobody") == .pass)
    host.configuration = "[project]\nstate = observe\n"
    let unknown = ScriptedApplication([.text("123456")])
    #expect(signIn(unknown, user: "nobody") == .pass)
    let wrong = ScriptedApplication([.text(try host.wrongCode())])
    #expect(signIn(wrong) == .pass)
    #expect(wrong.isUsedUp)
    #expect(wrong.told.isEmpty)
    #expect(wrong.logged.first?.hasSuffix("state=observe") == true)
  }

  @Test("every failure denies")
  func everythingFailsClosed() throws {
    try enroll()
    let error = SystemError(.read, number: 5)
    let failures: [(Int, (ScriptedHost) -> Void)] = [
      (1, { $0.accountFailure = error }), (2, { $0.storeFailure = .system(.directory, error) }),
      (3, { $0.clockFailure = error }),
      (4, { $0.configurationFailure = ConfigurationError(in: [], .system(error)) }),
      (5, { $0.configuration = "[project]\nstate = on\n" }),
      (6, { $0.memory.failure = (.snapshot, .damaged(.record)) }),
      (7, { $0.memory.failure = (.lock, .busy) }),
      (8, { $0.memory.failure = (.secret, .cryptography) }),
      (9, { $0.memory.failure = (.write(failures: 1), .system(.attempts, error)) }),
      (10, { $0.memory.failure = (.write(failures: 0), .system(.attempts, error)) }),
      (11, { $0.memory.failure = (.sync, .system(.attempts, error)) }),
    ]
    for (number, fail) in failures {
      let host = ScriptedHost()
      host.memory.record = self.host.memory.record
      host.memory.attempts = self.host.memory.attempts
      fail(host)
      let application = ScriptedApplication([.text(try host.code())])
      let request = SignInRequest()
      let verdict = SignInRun(request, host: host, application: application).authenticate()
      #expect(verdict == .deny, "row \(number)")
      #expect(application.logged.first?.hasPrefix("result=error") == true, "row \(number)")
      #expect(application.told.count == 1, "row \(number)")
    }
  }

  @Test("a factor that was removed during the prompt is not accepted")
  func factorGone() throws {
    try enroll()
    let application = ScriptedApplication([.text(try host.code())])
    application.atPrompt = { [host] in host.memory.record = nil }
    #expect(signIn(application) == .deny)
  }

  @Test("an unknown argument denies")
  func unknownArgument() throws {
    try enroll()
    for argument in ["nullok", "echo=1", "prompt", "config", "debug debug"] {
      let application = ScriptedApplication([.text(try host.code())])
      #expect(signIn(application, [argument]) == .deny, "\(argument)")
      #expect(application.logged.first?.contains("part=arguments") == true)
    }
    #expect(signIn(ScriptedApplication(), ["echo", "echo"]) == .deny)
    #expect(signIn(ScriptedApplication(), ["try_first_pass", "use_first_pass"]) == .deny)
  }

  @Test("debug logs the steps, but no answer")
  func debug() throws {
    try enroll()
    let code = try host.code()
    let application = ScriptedApplication([.text(code)])
    #expect(signIn(application, ["debug"]) == .allow)
    #expect(
      application.logged.dropLast() == [
        "step=policy state=enabled adjacent_intervals=5", "step=account user=alice uid=1000",
        "step=record factors=1 wrong-codes=0", "step=question shape=code",
      ])
    #expect(!application.logged.contains { $0.contains(code) })
  }

  @Test("prompt= and echo change the prompt")
  func question() throws {
    try enroll()
    let application = ScriptedApplication([.text(try host.code())])
    #expect(signIn(application, ["prompt=Token, please: ", "echo"]) == .allow)
    #expect(application.prompts == ["Token, please: (echo)"])
  }

  @Test("forward_pass removes the code from the end and forwards the rest")
  func forwardPass() throws {
    try enroll()
    let application = ScriptedApplication([.text("pass 123word" + (try host.code()))])
    #expect(signIn(application, ["forward_pass"]) == .allow)
    #expect(application.prompts == ["Password and verification code: "])
    #expect(application.forwarded == ["pass 123word"])
    let stuck = ScriptedApplication([.text("password" + (try host.code(1)))])
    stuck.forwards = false
    #expect(signIn(stuck, ["forward_pass"]) == .deny)
    let alone = ScriptedApplication([.text(try host.code(2))])
    #expect(signIn(alone, ["forward_pass"]) == .allow)
    #expect(alone.forwarded.isEmpty)
  }

  /// A user who is prompted for password and code together, and the typed answer.
  struct CodeBeforePassword: Sendable {
    var user = "alice"
    var isEnrolled = true
    var failures: UInt32 = 0
    var configuration = "[project]\n"
    let typed: String
    let forwarded: [String]
    let verdict: Verdict

    static let rows = [
      CodeBeforePassword(typed: "password000000", forwarded: ["password"], verdict: .deny),
      CodeBeforePassword(typed: "password", forwarded: ["password"], verdict: .deny),
      CodeBeforePassword(typed: "000000", forwarded: ["000000"], verdict: .deny),
      CodeBeforePassword(typed: "", forwarded: [""], verdict: .deny),
      CodeBeforePassword(
        user: "nobody", typed: "password000000", forwarded: ["password000000"],
        verdict: .deny),
      CodeBeforePassword(user: "nobody", typed: "", forwarded: [""], verdict: .deny),
      CodeBeforePassword(
        failures: 5, typed: "password000000", forwarded: ["password000000"],
        verdict: .deny),
      CodeBeforePassword(failures: 100, typed: "password", forwarded: ["password"], verdict: .deny),
      CodeBeforePassword(
        isEnrolled: false, configuration: "[project]\nenrollment = required\n",
        typed: "password000000", forwarded: ["password000000"], verdict: .pass),
      CodeBeforePassword(
        isEnrolled: false, typed: "password000000", forwarded: ["password000000"],
        verdict: .pass),
      CodeBeforePassword(isEnrolled: false, typed: "", forwarded: [""], verdict: .pass),
    ]
  }

  @Test(
    "with forward_pass every user is prompted, sees no message, and goes on to the password",
    arguments: CodeBeforePassword.rows)
  func codeBeforePassword(row: CodeBeforePassword) throws {
    host.configuration = row.configuration
    if row.isEnrolled {
      try enroll()
      for _ in 0..<row.failures {
        let counted = host.memory.attempts.begin(
          ThrottlePolicy(waitsAfter: 100, firstWait: 30, longestWait: 900, locksAfter: 100),
          now: host.time)
        if case .counted(let state) = counted { host.memory.attempts = state }
      }
    }
    let application = ScriptedApplication([.text(row.typed)])
    #expect(signIn(application, user: row.user, ["forward_pass"]) == row.verdict)
    #expect(application.prompts == ["Password and verification code: "])
    #expect(application.told.isEmpty)
    #expect(application.forwarded == row.forwarded)
    #expect(application.logged.count == 1, "the result is logged")
  }

  @Test(
    "for users without a factor an attempt is made on a decoy if the answer may be a code",
    arguments: [
      (1, "nobody", "forward_pass", "password000000", true),
      (2, "nobody", "forward_pass", "password", false),
      (3, "nobody", "echo", "000 000", true), (4, "nobody", "echo", "password000000", false),
      (5, "alice", "forward_pass", "password000000", true),
      (6, "alice", "forward_pass", "password", false),
    ])
  func onDecoy(row: Int, user: String, option: String, typed: String, isCode: Bool) {
    _ = signIn(ScriptedApplication([.text(typed)]), user: user, [option])
    #expect(host.memory.steps.contains(.snapshot), "row \(row)")
    #expect(host.memory.onDecoys.contains(.sync) == isCode, "row \(row)")
    #expect(host.memory.attempts.failures == 0)
  }

  @Test(
    "an attempt is made on a decoy for a code of six digits if the user's codes are longer",
    arguments: [(1, "000000", true), (2, "00000000", false), (3, "password", false)])
  func onDecoyForLongerCodes(row: Int, typed: String, isOnDecoy: Bool) throws {
    try enroll(try #require(TOTPParameters(algorithm: .sha1, codeLength: .eight, period: 30)))
    _ = signIn(ScriptedApplication([.text(typed)]))
    #expect(host.memory.onDecoys.contains(.sync) == isOnDecoy, "row \(row)")
  }

  @Test(
    "in the observe state, forward_pass forwards the password whatever follows it",
    arguments: [
      (1, "000000", "password"), (2, "", "password"), (3, "12345", "password12345"),
    ])
  func forwardPassObserving(number: Int, typed: String, expected: String) throws {
    try enroll()
    host.configuration = "[project]\nstate = observe\n"
    let application = ScriptedApplication([.text("password" + typed)])
    #expect(signIn(application, ["forward_pass"]) == .pass, "row \(number)")
    #expect(application.forwarded == [expected], "row \(number)")
  }

  @Test("with forward_pass, a user without a factor types only the password")
  func forwardPassNotEnrolled() {
    let application = ScriptedApplication([.text("password")])
    #expect(signIn(application, ["forward_pass"]) == .pass)
    #expect(application.prompts == ["Password and verification code: "])
    #expect(application.forwarded == ["password"])
  }

  @Test("use_first_pass never prompts; try_first_pass prompts if the first answer is not accepted")
  func firstPass() throws {
    try enroll()
    let used = ScriptedApplication()
    used.earlier = .text("password" + (try host.code()))
    #expect(signIn(used, ["use_first_pass"]) == .allow)
    #expect(used.prompts.isEmpty)
    let without = ScriptedApplication()
    without.earlier = .text("password")
    #expect(signIn(without, ["use_first_pass"]) == .deny)
    #expect(without.prompts.isEmpty)
    let tried = ScriptedApplication([.text(try host.code(1))])
    tried.earlier = .text("password")
    #expect(signIn(tried, ["try_first_pass"]) == .allow)
    #expect(tried.isUsedUp)
    let both = ScriptedApplication([.text(try host.code(2))])
    both.earlier = .text("password" + (try host.wrongCode()))
    #expect(signIn(both, ["try_first_pass"]) == .allow)
    #expect(both.logged.map { $0.prefix(12) } == ["result=wrong", "result=accep"])
  }

  @Test("the account line: enrolled, not enrolled, unknown, disabled, invalid configuration")
  func account() throws {
    let request = SignInRequest()
    let quiet = ScriptedApplication()
    let signIn = SignInRun(request, host: host, application: quiet)
    #expect(signIn.checkAccount() == .pass)
    try enroll()
    #expect(signIn.checkAccount() == .allow)
    host.configuration = "[project]\nstate = disabled\n"
    #expect(signIn.checkAccount() == .pass)
    host.configuration = "nonsense"
    #expect(signIn.checkAccount() == .deny)
    host.configuration = "[project]\n"
    host.account = nil
    #expect(signIn.checkAccount() == .deny)
    #expect(quiet.prompts.isEmpty)
  }

  @Test("no user name can forge a log line")
  func forgedLog() {
    host.account = nil
    let application = ScriptedApplication([.text("123456")])
    _ = signIn(application, user: "x\nresult=accepted user=root \u{1B}[2J")
    #expect(application.logged.count == 1)
    #expect(
      application.logged[0].hasPrefix(
        "result=unknown-user user=x\\x0aresult\\x3daccepted\\x20user\\x3droot\\x20\\x1b\\x5b2J "))
  }
}
