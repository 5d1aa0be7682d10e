import MFAWire
import MFAModel
import MFABase
import MFASignIn
import MFADecider
import MFASignInTestSupport
import Testing

@Suite("A user's requests about the own factors")
struct ManagementTests: ScriptedConversations {
  let host = ScriptedHost()
  let trail = AuditTrail()

  private func run(_ script: [Line], terminal: [UInt8]? = nil) throws -> ScriptedClient {
    try run(script) { client in
      try host.converse(
        with: client, terminal: terminal, audit: { [trail] in trail.write($0, $1, $2) })
    }
  }

  @Test("a missing store is reported only when it is needed")
  func noStore() throws {
    host.storeFailure = .damaged(.directory)
    let client = try run([list])
    #expect(client.heard.count == 2 && client.heard.last == .failed(.storeUnavailable))
    guard case .welcome = client.heard.first else {
      Issue.record("\(client.heard)")
      return
    }
  }

  private func knownCode(_ steps: Int64 = 0) throws -> Line {
    answer(try host.code(steps))
  }

  @Test("a first enrolment, from the password to the list")
  func firstEnrolment() throws {
    let client = try run([session, answer("right"), generate, enroll(), list])
    #expect(
      client.heard.dropFirst() == [
        .notice("hello"), .prompt("Password: ", echo: false), .sessionStarted(600), .secret,
        .enrolled, .factors(["Phone"]),
      ])
    #expect(
      client.heard.first.map { if case .welcome("alice", _) = $0 { true } else { false } } == true)
    // The code that confirmed the enrolment is used.
    let code = try KnownFactor.code(at: host.time, secret: client.secret)
    let application = ScriptedApplication([.text(code)])
    let request = SignInRequest()
    #expect(SignInRun(request, host: host, application: application).authenticate() == .deny)
    #expect(application.logged.first?.hasPrefix("result=replayed") == true)
  }

  @Test("nothing is enrolled, renamed or removed without a session")
  func needsASession() throws {
    try enrollKnown()
    let factor = try #require(host.memory.record?.factors.first)
    let name = factor.displayName
    let client = try run([
      generate, enroll(wrong: true),
      { _ in try HelperRequestBox(.rename(factor: factor.id, displayName: name)) },
      { _ in try HelperRequestBox(.unenroll(factor: factor.id)) },
    ])
    #expect(
      client.heard.dropFirst() == [
        .failed(.requiresRecentLogin), .failed(.requiresRecentLogin),
        .failed(.requiresRecentLogin), .failed(.requiresRecentLogin),
      ])
    #expect(!host.memory.steps.contains(.replace))
  }

  @Test("a wrong password starts no session, and the third one ends the helper")
  func wrongPassword() throws {
    let client = try run([
      session, answer("wrong"), session, { _ in try HelperRequestBox(.cancel) }, session,
      answer("wrong"),
    ])
    #expect(client.heard.filter { $0 == .failed(.reauthenticationFailed) }.count == 3)
  }

  @Test("if the user has a factor, its code is also required, and used")
  func presentFactorIsAskedFor() throws {
    try enrollKnown()
    let client = try run([session, answer("right"), try knownCode(), generate])
    #expect(
      client.heard.contains(.prompt("Code from a device you have already enrolled: ", echo: true)))
    #expect(client.heard.suffix(2) == [.sessionStarted(600), .secret])
    let again = try run([session, answer("right"), try knownCode(), generate])
    #expect(again.heard.suffix(2) == [.failed(.codeAlreadyUsed), .failed(.secondFactorRequired)])
  }

  @Test("after a wrong code of the present factor, only the code is asked for again")
  func presentFactorAgain() throws {
    try enrollKnown()
    let code: HeardPrompt = .prompt("Code from a device you have already enrolled: ", echo: true)
    let wrong = answer(try host.wrongCode())
    let client = try run([
      session, answer("right"), wrong, generate, session, answer("no code"), session,
      try knownCode(), generate,
    ])
    #expect(
      client.heard.dropFirst() == [
        .notice("hello"), .prompt("Password: ", echo: false), code,
        .failed(.invalidVerificationCode), .failed(.secondFactorRequired), code, .failed(.notACode),
        code, .sessionStarted(600), .secret,
      ])
    // Three failed proofs end the helper.
    let ended = try run([session, answer("right"), wrong, session, wrong, session, wrong])
    #expect(ended.heard.filter { $0 == .failed(.invalidVerificationCode) }.count == 3)
    #expect(ended.heard.last == .failed(.invalidVerificationCode))
  }

  @Test("a password is not a proof for longer than the session")
  func presentFactorTooLate() throws {
    try enrollKnown()
    let wrong = answer(try host.wrongCode())
    let client = try run([
      session, answer("right"), wrong,
      { _ in
        host.time += 600
        return try HelperRequestBox(.session)
      },
    ])
    #expect(client.heard.last == .failed(.sessionExpired))
  }

  typealias HeardPrompt = ScriptedClient.Heard

  @Test("what prevents an enrolment is reported before any question")
  func checkedEnrollment() throws {
    func check(_ name: String, isPhone: Bool = false) -> Line {
      { _ in
        try HelperRequestBox(
          .checkEnrollment(try #require(DisplayName(Array(name.utf8))), isPhone: isPhone))
      }
    }
    #expect(try run([check("Old")]).heard.last == .done)
    try enrollKnown()
    let client = try run([check("Old"), check("New")])
    #expect(client.heard.dropFirst() == [.failed(.secondFactorAlreadyEnrolled), .done])
    for number in 1..<8 {
      try host.enroll("Phone \(number)", secret: [UInt8](repeating: UInt8(number), count: 20))
    }
    #expect(try run([check("New")]).heard.last == .failed(.maximumSecondFactorCountExceeded))
    host.configuration = "[project]\nstate = disabled\n"
    #expect(try run([check("New")]).heard.last == .failed(.multiFactorDisabled))
    host.configuration = "[project]\nfactors = totp, phone\n"
    #expect(try run([check("New", isPhone: true)]).heard.last == .failed(.phonesNotSupported))
    host.configuration = "[project]\nfactors = phone\nphone_test_numbers = +15105550000=123456\n"
    #expect(try run([check("New")]).heard.last == .failed(.totpNotSupported))
    #expect(!host.memory.steps.contains(.replace))
  }

  @Test("a wrong code of the present factor counts as a failed attempt")
  func presentFactorCounts() throws {
    try enrollKnown()
    func wrong() throws -> Line { answer(try host.wrongCode()) }
    let first = try run([session, answer("right"), try wrong()])
    #expect(first.heard.last == .failed(.invalidVerificationCode))
    #expect(host.memory.attempts.failures == 1)
    for _ in 0..<4 { _ = try run([session, answer("right"), try wrong()]) }
    let last = try run([session])
    #expect(last.heard.last == .failed(.tooManyAttempts(seconds: 30)))
  }

  @Test("a secret is shown once, and generating again replaces it")
  func secretIsNotShownAgain() throws {
    let client = ScriptedClient([])
    var first: [UInt8] = []
    client.script = [
      { _ in try HelperRequestBox(.hello(.english)) }, session, answer("right"), generate,
      { client in
        first = client.secret
        return try HelperRequestBox(.generateSecret(.standard))
      },
      { [host] client in
        let code = try KnownFactor.code(at: host.time, secret: first)
        return try HelperRequestBox(
          .enroll(
            EnrollmentRequest(
              code: SecretBytes(copying: Array(code.utf8).span),
              displayName: try #require(DisplayName(Array("Phone".utf8))))))
      }, enroll(), generate, enroll("Second", steps: 1),
    ]
    try host.converse(with: client)
    #expect(
      client.heard.suffix(5) == [
        .secret, .failed(.invalidVerificationCode), .enrolled, .secret, .enrolled,
      ])
  }

  @Test(
    "a code of a wrong clock says how wrong the clock is",
    arguments: [(-8, -240), (120, 3600)] as [(Int64, Int32)])
  func wrongClock(steps: Int64, secondsAhead: Int32) throws {
    let client = try run([session, answer("right"), generate, enroll(steps: steps), enroll()])
    #expect(
      client.heard.suffix(2) == [
        .failed(.codeOfAnotherTime(secondsAhead: secondsAhead)), .enrolled,
      ])
  }

  @Test("after ten wrong codes the secret cannot be enrolled")
  func exhausted() throws {
    let wrong: Line = { [host] client in
      let right = Set(
        try (-5...5).map { try KnownFactor.code(at: host.time, steps: $0, secret: client.secret) })
      let code = (0...11).map { "00000\($0)".suffix(6) }.map(String.init).first {
        !right.contains($0)
      }
      return try HelperRequestBox(
        .enroll(
          EnrollmentRequest(
            code: SecretBytes(copying: Array((code ?? "").utf8).span),
            displayName: try #require(DisplayName(Array("Phone".utf8))))))
    }
    let script = [session, answer("right"), generate] + [Line](repeating: wrong, count: 10)
    let client = try run(script + [enroll()])
    #expect(client.heard.filter { $0 == .failed(.invalidVerificationCode) }.count == 10)
    #expect(client.heard.last == .failed(.sessionExpired))
    #expect(host.memory.record == nil)
  }

  @Test("after the deadline there is no session and no secret")
  func deadline() throws {
    let client = try run([
      session, answer("right"), generate,
      { _ in
        host.time += 600
        return try HelperRequestBox(.generateSecret(.standard))
      }, enroll(), session,
    ])
    #expect(
      client.heard.suffix(3) == [
        .failed(.sessionExpired), .failed(.sessionExpired), .failed(.sessionExpired),
      ])
    #expect(host.memory.record == nil)
  }

  @Test("a client that disconnects at any point leaves nothing behind")
  func interrupted() throws {
    let whole = [session, answer("right"), generate]
    for length in 0...whole.count {
      _ = try run(Array(whole.prefix(length)))
      #expect(host.memory.record == nil, "after \(length)")
      #expect(!host.memory.steps.contains(.replace), "after \(length)")
    }
  }

  @Test("a factor enrolled after the authentication ends the session")
  func factorAppeared() throws {
    let client = try run([
      session, answer("right"), generate,
      { client in
        _ = try host.memory.enroll(
          "Other", secret: KnownFactor.secret, for: Account(name: Array("alice".utf8), uid: 1000))
        return try enroll()(client)
      },
    ])
    #expect(client.heard.last == .failed(.requiresRecentLogin))
    #expect(host.memory.record?.factors.count == 1)
  }

  @Test("display names are unique per user, and a user has at most eight factors")
  func limits() throws {
    var script = [session, answer("right")]
    for number in 0..<8 { script += [generate, enroll("Phone \(number)")] }
    script += [generate]
    let client = try run(script)
    #expect(client.heard.last == .failed(.maximumSecondFactorCountExceeded))
    #expect(host.memory.record?.factors.count == 8)
    host.memory.record = nil
    let twice = try run([session, answer("right"), generate, enroll(), generate, enroll()])
    #expect(twice.heard.last == .failed(.secondFactorAlreadyEnrolled))
  }

  @Test("factors can be renamed and removed, and removing the newest one is reported")
  func changes() throws {
    try enrollKnown()
    let old = try #require(host.memory.record?.factors.first)
    let client = try run([
      session, answer("right"), try knownCode(), generate, enroll("New"),
      { _ in
        try HelperRequestBox(
          .rename(factor: old.id, displayName: try #require(DisplayName(Array("Older".utf8)))))
      }, list,
      { _ in try HelperRequestBox(.unenroll(factor: old.id)) },
      { client in try HelperRequestBox(.unenroll(factor: try #require(client.summaries.last).id)) },
      list,
    ])
    #expect(
      client.heard.suffix(5) == [
        .done, .factors(["Older", "New"]), .unenrolled(signedOut: false),
        .unenrolled(signedOut: true), .factors([]),
      ])
  }

  @Test("changes and verified codes are in the audit log; an answer that is not a code is not")
  func auditTrail() throws {
    try enrollKnown()
    let old = try #require(host.memory.record?.factors.first)
    let forget: Line = { _ in try HelperRequestBox(.forget) }
    let cases: [(number: Int, script: [Line], records: [String])] = [
      (1, [session, answer("wrong")], ["authentication mfa:reauthentication-failed false"]),
      (2, [session, answer("right"), answer("no code")], []),
      (
        3, [session, answer("right"), answer(try host.wrongCode())],
        ["authentication mfa:code false"]
      ),
      (
        4,
        [
          session, answer("right"), try knownCode(), generate, enroll("New"),
          { _ in
            try HelperRequestBox(
              .rename(factor: old.id, displayName: try #require(DisplayName(Array("Older".utf8)))))
          },
        ],
        [
          "authentication mfa:code true", "management mfa:enrolled true",
          "management mfa:renamed true",
        ]
      ),
      (5, [list, forget], []),
      (
        6,
        [
          session, answer("right"), try knownCode(1),
          { _ in try HelperRequestBox(.unenroll(factor: old.id)) },
        ], ["authentication mfa:code true", "management mfa:unenrolled true"]
      ),
    ]
    for (number, script, records) in cases {
      let before = trail.records.count
      _ = try run(script)
      #expect(Array(trail.records.dropFirst(before)) == records, "\(number)")
    }
  }

  @Test(
    "the source of a change is the caller's terminal, or mfa-enroll without one",
    arguments: [(1, "pts/3", "pts/3"), (2, nil, "mfa-enroll")] as [(Int, String?, String)])
  func source(number: Int, terminal: String?, source: String) throws {
    _ = try run(
      [session, answer("right"), generate, enroll()], terminal: terminal.map { Array($0.utf8) })
    let notice = try #require(host.memory.record?.notices.first)
    #expect(notice.source == Source(Array(source.utf8)))
    let events = host.memory.events
    #expect(events.map(\.actor.source) == [Source(Array(source.utf8))])
  }

  @Test("without a factor, renaming and removing fail")
  func nothingThere() throws {
    let name = try #require(DisplayName(Array("Phone".utf8)))
    let client = try run([
      session, answer("right"),
      { _ in try HelperRequestBox(.rename(factor: .zero, displayName: name)) },
      { _ in try HelperRequestBox(.unenroll(factor: .zero)) },
    ])
    #expect(client.heard.suffix(2) == [.failed(.factorNotFound), .failed(.factorNotFound)])
  }

  @Test("testing a code counts as an attempt and uses the code")
  func test() throws {
    try enrollKnown()
    let code = try host.code()
    let request: Line = { _ in
      try HelperRequestBox(.test(SecretBytes(copying: Array(code.utf8).span)))
    }
    let factor = try #require(host.memory.record?.factors.first)
    let client = try run([request, request, { _ in try HelperRequestBox(.list) }])
    #expect(
      client.heard.suffix(3).dropLast() == [
        .signedIn(.factor(factor.id)), .failed(.codeAlreadyUsed),
      ])
    #expect(client.summaries.map(\.lastUse) == [host.time / 30 * 30])
    #expect(
      host.memory.attempts.ownProcessFailures.failures == 0 && host.memory.attempts.failures == 0)
  }

  @Test("wrong codes from the user's own processes without a password throttle no sign-in")
  func ownProcessFailures() throws {
    try enrollKnown()
    let wrong: Line = { [host] _ in
      let code = try host.wrongCode()
      return try HelperRequestBox(
        .signIn(CodeRequest(factor: nil, code: SecretBytes(copying: Array(code.utf8).span))))
    }
    for _ in 1...100 { _ = try run([wrong, wrong]) }
    #expect(host.memory.attempts.ownProcessFailures.failures == 5)
    #expect(host.memory.attempts.failures == 0)
    let started = try run([session, answer("right"), answer(try host.code())])
    #expect(started.heard.last == .sessionStarted(600))
  }

  @Test("nothing is enrolled if the state is disabled or the configuration is invalid")
  func configuration() throws {
    host.configuration = "[project]\nstate = disabled\n"
    let client = try run([session, answer("right"), generate])
    #expect(client.heard.last == .failed(.multiFactorDisabled))
    host.configuration = "nonsense"
    let broken = ScriptedClient([{ _ in try HelperRequestBox(.hello(.english)) }])
    try host.converse(with: broken)
    #expect(broken.heard == [.failed(.configurationInvalid)])
  }

  @Test("messages out of turn end the conversation")
  func outOfTurn() throws {
    for line in [answer("right"), { _ in try HelperRequestBox(.hello(.english)) }] as [Line] {
      let client = try run([line])
      #expect(client.heard.last == .failed(.protocolError))
    }
    let client = try run([{ _ in throw PacketError.malformed }])
    #expect(client.heard.last == .failed(.protocolError))
  }
}
