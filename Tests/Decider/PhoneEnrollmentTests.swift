import MFAWire
import MFAModel
import MFAAttempt
import MFADecider
import MFABase
import MFASignIn
import MFASignInTestSupport
import Testing

@Suite("Phones through the helper")
struct PhoneEnrollmentTests: ScriptedConversations {
  typealias Heard = ScriptedClient.Heard

  static let number = "+15105551234"
  static let masked = "+1 *** *** **34"
  static let prompt =
    "Code from a device you have already enrolled (s: send one to 'Old', +1 *** *** **34): "
  static let restricted: Heard = .notice(
    "Codes by text message are less safe than codes from an authenticator app: another person may "
      + "take over your phone number or read your messages. If you can, use an authenticator app.")
  static let later: Heard = .notice(
    "To protect your account, codes are sent to this new number only in 24 hours. Until then, use "
      + "another device or a recovery code.")
  static let settings =
    "[project]\nstate = enabled\ngateway = /usr/lib/mfa/gateways/test\nregions = +1, +33\n"

  let host = ScriptedHost()
  let trail = AuditTrail()

  init() { host.configuration = Self.settings }

  private func run(_ script: [Line]) throws -> ScriptedClient {
    try run(script) { client in
      try host.converse(with: client, audit: { [trail] in trail.write($0, $1, $2) })
    }
  }

  private var sentCodeAsAnswer: Line {
    { [host, secret] _ in try HelperRequestBox(.answer(secret(host.codeSender.lastCode))) }
  }

  private func begin(_ number: String = PhoneEnrollmentTests.number) -> Line {
    { [secret] _ in try HelperRequestBox(.beginPhone(secret(number))) }
  }

  private func confirm(_ code: String? = nil, _ name: String = "Phone") -> Line {
    { [host, secret] _ in
      try HelperRequestBox(
        .confirmPhone(
          EnrollmentRequest(
            code: secret(code ?? host.codeSender.lastCode),
            displayName: try #require(DisplayName(Array(name.utf8))))))
    }
  }

  private var wrong: Line {
    { [host, secret] _ in
      let code = host.codeSender.lastCode == "000000" ? "000001" : "000000"
      return try HelperRequestBox(
        .confirmPhone(
          EnrollmentRequest(
            code: secret(code), displayName: try #require(DisplayName(Array("Phone".utf8))))))
    }
  }

  private func enrollPhone(_ number: String = PhoneEnrollmentTests.number) throws -> Factor {
    try host.memory.enrollPhone("Old", number: number, for: try #require(host.account))
  }

  private func usableFrom(_ name: String) throws -> Int64 {
    let factors = try #require(host.memory.record?.factors)
    let factor = try #require(factors.first { $0.displayName.utf8 == Array(name.utf8) })
    guard case .phone(_, let time, _) = factor.kind else { return -1 }
    return time
  }

  private func messages(containing text: String) -> [String] {
    host.codeSender.messages.filter { $0.contains(text) }
  }

  @Test("a first phone, from the password to a sign-in")
  func firstPhone() throws {
    let client = try run([
      session, answer("right"), begin("+1 510-555-1234"), confirm(),
      list,
    ])
    #expect(
      client.heard.suffix(4) == [
        Self.restricted, .codeSent(Self.masked, 600), .enrolled, .factors(["Phone"]),
      ])
    #expect(host.codeSender.messages.count == 1)
    #expect(
      host.codeSender.messages[0].hasSuffix(
        " is the code that adds this phone to your account at \(Self.hostName). If you did not ask "
          + "for it, ignore this message.\n"))
    #expect(host.codeSender.messages[0].hasPrefix("To: \(Self.number)\n"))
    #expect(host.codeSender.returned == [SendID(number: 1)])
    #expect(try usableFrom("Phone") == host.time)
    #expect(trail.records == ["management mfa:enrolled true"])
    // The code that confirmed the number is no code for a sign-in; one that is sent there is.
    host.enclosingSessions = [SignInOrigin(.session, [1])]
    #expect(signIn([.text(host.codeSender.lastCode)]) == .deny)
    host.time += 30
    #expect(signIn([.text("s"), lastCode]) == .allow)
  }

  private static var hostName: String {
    do { return String(decoding: try HostName.current(), as: UTF8.self) } catch { return "" }
  }

  private var lastCode: ScriptedApplication.Answer {
    .seeing { [host] _ in host.codeSender.lastCode }
  }

  private func signIn(_ script: [ScriptedApplication.Answer]) -> Verdict {
    let request = SignInRequest(arguments: ["after_password"])
    return SignInRun(request, host: host, application: ScriptedApplication(script)).authenticate()
  }

  @Test("a message is counted on the disk before it is sent, and no lock is held meanwhile")
  func countedFirst() throws {
    host.codeSender.atWork = { [host] in
      #expect(!host.memory.isLocked && host.memory.attempts.sentCodes.times.count == 1)
      #expect(host.memory.steps.suffix(3) == [.write(failures: 0), .sync, .unlock])
    }
    #expect(try run([session, answer("right"), begin()]).heard.last == .codeSent(Self.masked, 600))
    #expect(host.codeSender.messages.count == 1 && host.memory.record == nil)
  }

  @Test("each reason why a number cannot be enrolled has its own failure")
  func refused() throws {
    let rows: [(number: Int, settings: String, typed: String, failure: HelperFailure)] = [
      (1, "[project]\n", Self.number, .phonesNotSupported),
      (2, Self.settings + "factors = totp\n", Self.number, .phonesNotSupported),
      (3, Self.settings, "5105551234", .invalidPhoneNumber(.noPlus)),
      (4, Self.settings, "+1510555x234", .invalidPhoneNumber(.notDigits)),
      (5, Self.settings, "+2100000000", .invalidPhoneNumber(.noSuchCallingCode)),
      (6, Self.settings, "+1510", .invalidPhoneNumber(.tooShort)),
      (7, Self.settings, "+1510555123456789", .invalidPhoneNumber(.tooLong)),
      (8, Self.settings, "+81312345678", .phoneRegionNotAllowed),
      (9, "[project]\nstate = disabled\n", Self.number, .multiFactorDisabled),
    ]
    for row in rows {
      host.configuration = row.settings
      let client = try run([session, answer("right"), begin(row.typed), confirm("123456")])
      let failures = client.heard.filter { if case .failed = $0 { true } else { false } }
      #expect(failures.first == .failed(row.failure), "\(row.number)")
      #expect(!client.heard.contains(.enrolled), "\(row.number)")
    }
    #expect(try run([begin()]).heard.last == .failed(.requiresRecentLogin))
    #expect(host.codeSender.messages.isEmpty && host.codeSender.requested.isEmpty)
    host.configuration = Self.settings
    _ = try enrollPhone()
    let again = try run([session, answer("right"), answer("s"), sentCodeAsAnswer, begin()])
    #expect(again.heard.last == .failed(.phoneAlreadyEnrolled))
  }

  @Test("limits are explained, and the code before stays valid")
  func limits() throws {
    let client = try run([session, answer("right"), begin(), begin(), confirm()])
    #expect(client.heard.suffix(2) == [.failed(.tooManyMessages(seconds: 30)), .enrolled])
    // The user is told once that the telephone network is less safe.
    #expect(client.heard.count { $0 == Self.restricted } == 1)
    host.memory.record = nil
    for (refusal, failure) in [
      (.numberHourly(seconds: 1800), .tooManyMessages(seconds: 1800)),
      (.hostDaily(seconds: 9), .messageNotSent), (.breaker(seconds: 9), .messageNotSent),
    ] as [(SendLog.Refusal, HelperFailure)] {
      host.time += 86_400
      host.codeSender.refusal = refusal
      #expect(try run([session, answer("right"), begin()]).heard.last == .failed(failure))
    }
    #expect(host.codeSender.messages.count == 1)
  }

  @Test("after three wrong codes, the right one is refused")
  func wrongCodes() throws {
    let client = try run([session, answer("right"), begin(), wrong, wrong, wrong, confirm()])
    #expect(
      client.heard.suffix(4) == [
        .failed(.invalidVerificationCode), .failed(.invalidVerificationCode),
        .failed(.invalidVerificationCode), .failed(.sessionExpired),
      ])
    let good = try run([
      { [host] _ in
        host.time += 30
        return try HelperRequestBox(.session)
      }, answer("right"), begin(), wrong, confirm("12345"), wrong, confirm(),
    ])
    #expect(good.heard.last == .enrolled)
  }

  @Test("a code enrols one phone, and a new code replaces the one before")
  func once() throws {
    let host = host
    var first = ""
    let client = try run([
      session, answer("right"), begin(),
      { [secret] _ in
        first = host.codeSender.lastCode
        host.time += 30
        return try HelperRequestBox(.beginPhone(secret("+33612345678")))
      },
      { [confirm] client in try confirm(first, "Phone")(client) }, confirm(),
      confirm(nil, "Another"),
    ])
    let isSame = first == host.codeSender.lastCode
    #expect(client.heard.contains(.failed(.invalidVerificationCode)) != isSame)
    #expect(client.heard.last == .failed(.sessionExpired))
    #expect(host.memory.record?.factors.count == 1)
  }

  @Test("a code is accepted for 10 minutes")
  func deadline() throws {
    let client = try run([
      session, answer("right"), begin(),
      { [confirm] client in
        host.time += 600
        return try confirm(nil, "Phone")(client)
      },
    ])
    #expect(client.heard.last == .failed(.sessionExpired) && host.memory.record == nil)
  }

  @Test("when the gateway fails, nothing can be confirmed", arguments: [1, 2])
  func gatewayFails(number: Int) throws {
    host.codeSender.reply = number == 1 ? .noService : .tookTooLong
    let client = try run([session, answer("right"), begin(), confirm()])
    #expect(client.heard.suffix(2) == [.failed(.messageNotSent), .failed(.sessionExpired)])
    #expect(host.codeSender.failed == (number == 1 ? [SendID(number: 1)] : []))
  }

  @Test("a test number gets no message, and its code is in the configuration")
  func testNumber() throws {
    host.configuration = "[project]\nphone_test_numbers = \(Self.number)=123456\n"
    let client = try run([session, answer("right"), begin(), confirm("123456")])
    #expect(client.heard.last == .enrolled)
    #expect(host.memory.record?.factors.map(\.origin) == [.testNumber])
    #expect(host.codeSender.messages.isEmpty && host.codeSender.requested.isEmpty)
  }

  @Test("no waiting time applies to a test number, and no number waits because of one")
  func testNumberDoesNotWait() throws {
    host.configuration = Self.settings + "phone_test_numbers = \(Self.number)=123456\n"
    _ = try enrollPhone("+15105550000")
    let test = try run([
      session, answer("right"), answer("s"), sentCodeAsAnswer, begin(),
      confirm("123456", "Test"),
    ])
    #expect(test.heard.last == .enrolled && !test.heard.contains(Self.later))
    #expect(try usableFrom("Test") == host.time)
    host.memory.record = nil
    host.time += 600
    let both = try run([
      session, answer("right"), begin(), confirm("123456", "Test"), begin("+15105550001"),
      confirm(nil, "Real"),
    ])
    #expect(both.heard.last == .enrolled && !both.heard.contains(Self.later))
    #expect(try usableFrom("Real") == host.time)
  }

  @Test(
    "a right code of a type that policy does not allow has a failure of its own, and is not counted"
  )
  func typeNotAllowed() throws {
    let factor = try enrollKnown("App")
    host.configuration = Self.settings + "factors = phone\n"
    let test: Line = { [host, secret] _ in try HelperRequestBox(.test(secret(try host.code()))) }
    #expect(try run([test]).heard.last == .failed(.totpNotSupported))
    let signIn: Line = { [host, secret] _ in
      try HelperRequestBox(.signIn(CodeRequest(factor: factor.id, code: secret(try host.code(1)))))
    }
    #expect(try run([signIn]).heard.last == .failed(.totpNotSupported))
    #expect(host.memory.attempts.failures == 0)
  }

  @Test("re-authentication sends a code to the only factor, a phone, on request")
  func reauthentication() throws {
    _ = try enrollPhone()
    let client = try run([
      session, answer("right"), answer(" S "), sentCodeAsAnswer,
      generate,
    ])
    #expect(
      client.heard.suffix(5) == [
        .prompt(Self.prompt, echo: true),
        .notice("A code was sent to \(Self.masked). It is valid for 10 minutes."),
        .prompt(Self.prompt, echo: true), .sessionStarted(600), .secret,
      ])
    #expect(host.codeSender.returned == [SendID(number: 1)])
    #expect(host.memory.attempts.failures == 0)
  }

  @Test("with several phones, the prompt lists them")
  func severalPhones() throws {
    _ = try enrollPhone()
    try enrollKnown("Tablet")
    _ = try host.memory.enrollPhone("Work", number: "+33612345678", for: try #require(host.account))
    let client = try run([session, answer("right"), answer("s2"), sentCodeAsAnswer])
    #expect(
      client.heard.contains(
        .prompt(
          "Your devices:\ns1: Old, +1 *** *** **34\n    Tablet\ns2: Work, +33 *** *** *78\n"
            + "Code from a device you have already enrolled, or s1, s2 and so on to get one sent: ",
          echo: true)))
    #expect(client.heard.last == .sessionStarted(600))
    #expect(host.codeSender.requested == ["+33612345678"])
  }

  @Test("a code is accepted only in the conversation that requested it")
  func otherConversation() throws {
    let factor = try enrollPhone()
    let send: Line = { _ in try HelperRequestBox(.sendCode(factor: factor.id)) }
    let use: Line = { [host, secret] _ in
      try HelperRequestBox(
        .signIn(CodeRequest(factor: factor.id, code: secret(host.codeSender.lastCode))))
    }
    let first = try run([send])
    #expect(first.heard.last == .codeSent(Self.masked, 600))
    // The client may be silent until the code has arrived.
    #expect(first.waits.last == 600)
    #expect(try run([use]).heard.last == .failed(.invalidVerificationCode))
    host.time += 30
    #expect(try run([send, use]).heard.last == .signedIn(.factor(factor.id)))
    host.time += 600
    let tested = try run([
      send, { [host, secret] _ in try HelperRequestBox(.test(secret(host.codeSender.lastCode))) },
    ])
    #expect(tested.heard.last == .signedIn(.factor(factor.id)))
    #expect(host.codeSender.returned.count == 2)
  }

  @Test("requests without a password leave some codes for sign-ins")
  func ownProcessLimit() throws {
    let factor = try enrollPhone()
    let send: Line = { _ in try HelperRequestBox(.sendCode(factor: factor.id)) }
    var sent = 0
    for _ in 0..<12 {
      host.time += 600
      if try run([send]).heard.last == .codeSent(Self.masked, 600) { sent += 1 }
    }
    #expect(sent == 5)
    host.enclosingSessions = [SignInOrigin(.session, [1])]
    #expect(signIn([.text("s"), lastCode]) == .allow)
  }

  @Test("a factor that is no phone, or that cannot be used yet, gets no code")
  func noCode() throws {
    let account = try #require(host.account)
    let app = try host.memory.enroll("App", secret: KnownFactor.secret, for: account)
    let phone = try host.memory.enrollPhone(
      "Phone", number: Self.number, for: account, usableFrom: host.time + 60)
    for (id, failure) in [
      (app.id, .factorNotFound), (.zero, .factorNotFound),
      (phone.id, .phoneNotUsableYet(seconds: 60)),
    ] as [(FactorID, HelperFailure)] {
      let client = try run([{ _ in try HelperRequestBox(.sendCode(factor: id)) }])
      #expect(client.heard.last == .failed(failure))
    }
    host.configuration = Self.settings + "factors = totp\n"
    let client = try run([{ _ in try HelperRequestBox(.sendCode(factor: phone.id)) }])
    #expect(client.heard.last == .failed(.phonesNotSupported))
    #expect(host.codeSender.messages.isEmpty)
  }

  @Test("a second number has to wait, and the first phone is told")
  func changedNumber() throws {
    _ = try enrollPhone()
    let host = host
    let change: [Line] = [
      {
        [secret] _ in
        host.time += 30
        return try HelperRequestBox(.beginPhone(secret("+33612345678")))
      }, confirm(nil, "New"),
    ]
    let client = try run([session, answer("right"), answer("s"), sentCodeAsAnswer] + change)
    #expect(client.heard.suffix(2) == [Self.later, .enrolled])
    #expect(try usableFrom("New") == host.time + 86_400)
    let notice = try #require(messages(containing: "Another phone was added").first)
    #expect(notice.hasPrefix("To: \(Self.number)\n"))
    #expect(messages(containing: "Another phone was added").count == 1)
    #expect(host.codeSender.notices.count == 1)
    #expect(host.memory.record?.notices.last?.kind == .enrolled)
    #expect(host.delivered == ["alice"])
  }

  @Test("a number that was added after an authenticator app was proven can be used at once")
  func otherFactorProven() throws {
    _ = try enrollPhone()
    try host.enroll("App")
    let client = try run([
      session, answer("right"), answer(try host.code()),
      begin("+33612345678"), confirm(nil, "New"),
    ])
    #expect(client.heard.last == .enrolled && !client.heard.contains(Self.later))
    #expect(try usableFrom("New") == host.time)
  }

  /// Without this rule, an attacker who has the password and the phone could enrol an app or make
  /// recovery codes, prove them in a new session, and move the account to another number at once.
  @Test("a factor that was added a short time ago proves nothing about a changed number")
  func newProof() throws {
    _ = try enrollPhone()
    let codes = try run([
      session, answer("right"), answer("s"), sentCodeAsAnswer,
      makeCodes,
    ])
    let recoveryCode = try #require(codes.recoveryCodes.first)
    #expect(host.memory.record?.recoveryCodesAddedAt == host.time)
    try host.enroll("App", enrolledAt: host.time)
    for (proof, wait) in [
      (try KnownFactor.code(at: host.time + 86_399), 86_399), (recoveryCode, 86_399),
      (try KnownFactor.code(at: host.time + 86_400), 86_400),
    ] as [(String, Int64)] {
      let start = host.time
      let before = (host.memory.record, host.memory.attempts)
      host.time += wait
      let client = try run([
        session, answer("right"), answer(proof), begin("+33612345678"), confirm(nil, "New"),
      ])
      #expect(client.heard.last == .enrolled)
      #expect(client.heard.contains(Self.later) == (wait < 86_400), "\(proof)")
      let usable = try usableFrom("New")
      #expect(usable == (wait < 86_400 ? host.time + 86_400 : host.time))
      (host.memory.record, host.memory.attempts) = before
      host.time = start
    }
    host.time += 86_400
    let used = try run([
      session, answer("right"), answer(recoveryCode), begin("+33612345678"), confirm(nil, "New"),
    ])
    #expect(used.heard.last == .enrolled && !used.heard.contains(Self.later))
  }

  @Test("where policy allows only phones, no authenticator app can be enrolled")
  func onlyPhones() throws {
    host.configuration = Self.settings + "factors = phone\n"
    let client = try run([
      session, answer("right"), generate,
      { [secret] _ in
        try HelperRequestBox(
          .importFactor(
            ImportRequest(
              displayName: try #require(DisplayName(Array("App".utf8))), parameters: .standard,
              key: secret("12345678901234567890"), timeOffset: 0, watermark: .min,
              recoveryCodes: secret(""))))
      },
    ])
    let refused = Heard.failed(.totpNotSupported)
    #expect(client.heard.suffix(2) == [refused, refused])
    // A secret that was shown before the policy changed is not enrolled either.
    host.configuration = Self.settings
    let changed = try run([
      session, answer("right"), generate,
      { [host, secret] _ in
        host.configuration = Self.settings + "factors = phone\n"
        return try HelperRequestBox(
          .enroll(
            EnrollmentRequest(
              code: secret("123456"), displayName: try #require(DisplayName(Array("App".utf8))))))
      },
    ])
    #expect(changed.heard.last == .failed(.totpNotSupported) && host.memory.record == nil)
  }

  @Test("a number that is added soon after another one was removed has to wait")
  func removedBefore() throws {
    let phone = try enrollPhone()
    let client = try run([
      session, answer("right"), answer("s"), sentCodeAsAnswer,
      { _ in try HelperRequestBox(.unenroll(factor: phone.id)) },
    ])
    #expect(client.heard.last == .unenrolled(signedOut: true))
    let notice = try #require(messages(containing: "This phone was removed").first)
    #expect(notice.hasPrefix("To: \(Self.number)\n"))
    host.time += 86_399
    let early = try run([session, answer("right"), begin("+33612345678"), confirm()])
    #expect(early.heard.suffix(2) == [Self.later, .enrolled])
    #expect(try usableFrom("Phone") == host.time + 86_400)
    let added = try #require(host.memory.record?.factors.last)
    _ = try host.memory.record?.remove(added.id)
    host.time += 600
    let late = try run([session, answer("right"), begin("+33612345678"), confirm()])
    #expect(late.heard.last == .enrolled && !late.heard.contains(Self.later))
    // Policy may waive the time.
    host.time += 600
    host.configuration = Self.settings + "phone_waiting_time = off\n"
    let waived = try run([
      session, answer("right"), answer("s"), sentCodeAsAnswer,
      { [host, secret] _ in
        host.time += 30
        return try HelperRequestBox(.beginPhone(secret(Self.number)))
      }, confirm(nil, "New"),
    ])
    #expect(waived.heard.last == .enrolled && !waived.heard.contains(Self.later))
  }

  @Test("a message about a change that cannot be sent does not undo the change")
  func noticeFails() throws {
    let phone = try enrollPhone()
    let host = host
    let client = try run([
      session, answer("right"), answer("s"), sentCodeAsAnswer,
      { _ in
        host.codeSender.reply = .failed(1)
        return try HelperRequestBox(.unenroll(factor: phone.id))
      }, list,
    ])
    #expect(client.heard.suffix(2) == [.unenrolled(signedOut: true), .factors([])])
    #expect(host.codeSender.failed.count == 1)
  }
}
