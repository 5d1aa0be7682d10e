import MFAWire
import MFAModel
import MFABase
import MFASignIn
import MFADecider
import MFASignInTestSupport
import Testing

/// Authentication that always succeeds.
private struct GivenProof: AccountProof {
  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult { .proven }
}

@Suite("Recovery through the helper")
struct RecoveryTests: ScriptedConversations {
  let host = ScriptedHost()
  let trail = AuditTrail()

  private func run(_ script: [Line]) throws -> ScriptedClient {
    try run(script) { client in
      try host.converse(
        with: client, proof: GivenProof(), audit: { [trail] in trail.write($0, $1, $2) })
    }
  }

  private func answers(_ client: ScriptedClient) -> [ScriptedClient.Heard] {
    client.heard.dropFirst().filter {
      if case .prompt = $0 { false } else { true }
    }
  }

  private func knownCode(_ steps: Int64 = 0) throws -> String {
    try host.code(steps)
  }

  private func signIn(_ code: String) -> Verdict {
    let request = SignInRequest()
    let application = ScriptedApplication([.text(code)])
    return SignInRun(request, host: host, application: application).authenticate()
  }

  // MARK: Remembered codes

  private func remember() {
    host.memory.attempts = host.memory.attempts.remembering(
      SignInOriginDigest(.address, 7), at: host.time)
  }

  @Test("clearing remembered codes needs no session and changes nothing else")
  func forgetting() throws {
    let forget: Line = { _ in try HelperRequestBox(.forget) }
    #expect(answers(try run([forget])) == [.forgotten(0)], "no factor is enrolled")
    try enrollKnown()
    #expect(answers(try run([forget])) == [.forgotten(0)])
    #expect(!host.memory.steps.contains(.sync), "there was nothing to write")
    remember()
    let before = host.memory.attempts
    #expect(answers(try run([forget])) == [.forgotten(1)])
    #expect(trail.records == ["management mfa:forgotten true"])
    #expect(host.memory.attempts == before.forgetting().countingOwnChange(at: host.time))
    #expect(host.memory.steps.contains(.sync))
    remember()
    host.memory.failure = (.sync, .system(.attempts, SystemError(.sync, number: 5)))
    #expect(answers(try run([forget])) == [.failed(.storeUnavailable)])
  }

  @Test("removing a factor clears remembered codes, but other changes do not")
  func unenrollingForgets() throws {
    let old = try enrollKnown()
    let unenroll: Line = { _ in try HelperRequestBox(.unenroll(factor: old.id)) }
    remember()
    _ = try run([session, answer(try knownCode()), makeCodes])
    #expect(host.memory.attempts.remembered.entries.count == 1)
    _ = try run([session, answer(try knownCode(1)), unenroll])
    #expect(host.memory.attempts.remembered.entries.isEmpty)
  }

  // MARK: Recovery codes

  @Test(
    "the status tells whether a recovery code unlocks locked factors", arguments: [false, true])
  func unlocks(isAllowed: Bool) throws {
    if isAllowed { host.configuration = "[project]\nrecovery_unlocks = on\n" }
    try enrollKnown()
    func unlocks() throws -> Bool {
      guard case .status(let status) = answers(try run([status])).last else { return false }
      return status.recoveryCodeUnlocks
    }
    // Without a recovery code, nothing unlocks.
    #expect(try !unlocks())
    _ = try run([session, answer(try knownCode()), makeCodes])
    #expect(try unlocks() == isAllowed)
  }

  @Test(
    "the status and the notices include what is pending for a user who has removed every factor")
  func noticesWithoutFactor() throws {
    let first = try enrollKnown()
    let second = try enrollKnown("New")
    host.memory.record?.note(
      .unenrolled, Array("New".utf8), about: .factor(second.id), from: .unknown, at: host.time)
    for factor in [first, second] { _ = try host.memory.record?.remove(factor.id) }
    let client = try run([{ _ in try HelperRequestBox(.readNotices) }, status])
    guard case .status(let status) = answers(client).last else {
      Issue.record("no status")
      return
    }
    #expect(status.activity.pendingNotices == 1)
    let notices = client.heard.compactMap { if case .notice(let text) = $0 { text } else { nil } }
    #expect(notices.count == 2 && notices.first?.hasPrefix("Device 'New' was removed") == true)
    #expect(notices.last == "These notices are shown until you answer yes at a sign-in.")
    #expect(host.memory.attempts.unreported.lastShownNotice == 0)
  }

  @Test("the status counts failed attempts, remembered sign-ins and pending notices")
  func activity() throws {
    try enrollKnown()
    remember()
    for _ in 0..<5 { _ = signIn(try host.wrongCode()) }
    let wrong: Line = { _ in
      try HelperRequestBox(.test(SecretBytes(copying: Array("000000".utf8).span)))
    }
    let before = host.memory.attempts
    let answers = answers(try run([wrong, status]))
    #expect(
      answers.last
        == .status(
          AccountStatus(
            enrollment: .selfService, state: .enabled, recoveryCodesLeft: 0,
            importedRecoveryCodesLeft: 0, standing: .open,
            activity: AccountStatus.Activity(
              standing: .throttled(seconds: 30), failedAttempts: 6, rememberedSignIns: 1,
              pendingNotices: 1))))
    #expect(host.memory.attempts.failures == before.failures)
  }

  // MARK: A bypass code that opened the session

  private static let bypassCode = Array("0123456789".utf8)
  private static let writtenBypassCode = "gayt-emzu-gu3d-oobz"

  private func useBypassCode(uses: UInt8 = 1) throws {
    _ = try host.memory.grant(
      .bypass, Self.bypassCode, to: try #require(host.account), madeAt: host.time, uses: uses)
    #expect(signIn(Self.writtenBypassCode) == .allow)
  }

  @Test(
    "the code of a bypass code that was used up enrols one device in 15 minutes, and its recovery codes"
  )
  func bypassEnrolls() throws {
    let lost = try enrollKnown()
    try useBypassCode()
    let client = try run([
      session, answer(Self.writtenBypassCode), generate, enroll("New"), makeCodes, generate,
      { _ in try HelperRequestBox(.unenroll(factor: lost.id)) },
    ])
    #expect(
      client.heard.contains(
        .prompt("Code from a device you have already enrolled or your bypass code: ", echo: true)))
    #expect(
      answers(client) == [
        .sessionStarted(600), .secret, .enrolled, .recoveryCodes(10), .failed(.ticketInvalid),
        .failed(.requiresRecentLogin),
      ])
    #expect(host.memory.record?.factors.count == 2 && host.memory.record?.grants == [])
    #expect(host.memory.record?.notices.map(\.kind).contains(.enrolled) == true)
    let again = try run([session, answer(Self.writtenBypassCode), generate])
    #expect(answers(again).last == .failed(.secondFactorRequired))
    #expect(signIn(Self.writtenBypassCode) == .deny)
  }

  @Test(
    "the code enrols nothing too late, before its last use, or if another code is typed",
    arguments: [(1, 899, true), (2, 900, false), (3, -1, false)] as [(Int, Int64, Bool)])
  func bypassInTime(row: Int, seconds: Int64, isAccepted: Bool) throws {
    _ = try enrollKnown()
    try useBypassCode()
    host.time += seconds
    let client = try run([session, answer(Self.writtenBypassCode), generate])
    #expect((answers(client).last == .secret) == isAccepted, "row \(row)")
    let wrong = try run([session, answer("aaaa-aaaa-aaaa-aaaa"), generate])
    #expect(answers(wrong).last == .failed(.secondFactorRequired), "row \(row)")
  }

  @Test("the question names recovery codes to a user who has some")
  func recoveryCodeInQuestion() throws {
    _ = try enrollKnown()
    _ = try run([session, answer(try knownCode()), makeCodes])
    host.time += 30
    let client = try run([session, answer("")])
    #expect(
      client.heard.contains(
        .prompt("Code from a device you have already enrolled or a recovery code: ", echo: true)))
  }

  @Test("ten recovery codes are created, counted, and replaced by the next set")
  func recoveryCodes() throws {
    try enrollKnown()
    let client = try run([session, answer(try knownCode()), makeCodes, status])
    #expect(
      answers(client) == [
        .sessionStarted(600), .recoveryCodes(10),
        .status(
          AccountStatus(
            enrollment: .selfService, state: .enabled, recoveryCodesLeft: 10,
            importedRecoveryCodesLeft: 0, standing: .open,
            activity: AccountStatus.Activity(pendingNotices: 1))),
      ])
    let first = try #require(host.memory.record?.recoveryCodes)
    #expect(first.count == 10)
    let second = try run([session, answer(try knownCode(1)), makeCodes])
    #expect(answers(second).last == .recoveryCodes(10))
    let others = try #require(host.memory.record?.recoveryCodes)
    #expect(others.count == 10)
    #expect(others.allSatisfy { !first.contains($0) })
    let made = "management mfa:recovery-codes-made true"
    #expect(trail.records.filter { $0 != "authentication mfa:code true" } == [made, made])
  }

  @Test("a test recognises a recovery code, and does not use it")
  func testedRecoveryCode() throws {
    try enrollKnown()
    let code = "gayt-emzu-gu3d-oobz"
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    func test(_ text: String) -> Line {
      { _ in try HelperRequestBox(.test(SecretBytes(copying: Array(text.utf8).span))) }
    }
    let wrong = test("aaaa-bbbb-cccc-dddd")
    #expect(
      answers(try run([wrong, test(code), test(code)])) == [
        .failed(.invalidVerificationCode), .recognized(.recoveryCode), .recognized(.recoveryCode),
      ])
    // The test of a valid code neither adds failures nor clears them.
    #expect(host.memory.attempts.ownProcessFailures.failures == 1)
    #expect(host.memory.record?.recoveryCodes.count == 1)
    #expect(host.memory.record?.notices.isEmpty == true)
    #expect(trail.records.suffix(2).allSatisfy { $0 == "authentication mfa:code-tested true" })
    #expect(signIn(code) == .allow)
    #expect(answers(try run([test(code)])) == [.failed(.notACode)])
  }

  @Test("each change is mailed right after it, while the client is still connected")
  func mailedAtOnce() throws {
    let old = try enrollKnown()
    var seen: [Int] = []
    let look: Line = { [host] _ in
      seen.append(host.delivered.count)
      return try HelperRequestBox(.status)
    }
    let lines: [Line] = [
      session, answer(try knownCode()), look, makeCodes, look,
      importing(secret: Array("another secret.....".utf8)), look,
      { _ in try HelperRequestBox(.unenroll(factor: old.id)) }, look,
    ]
    _ = try run(lines)
    #expect(seen == [0, 1, 2, 3])
    #expect(host.delivered.count == 3, "no further mail is sent at the end")
    let added = try #require(host.memory.record?.factors.last)
    let subjects = try #require(host.memory.record?.notices.map(\.subject))
    #expect(subjects == [.recoveryCodes, .factor(added.id), .factor(old.id)])
  }

  @Test("recovery codes require a factor and a session")
  func noRecoveryCodes() throws {
    #expect(answers(try run([session, makeCodes])).last == .failed(.factorNotFound))
    try enrollKnown()
    #expect(answers(try run([makeCodes])) == [.failed(.requiresRecentLogin)])
  }

  // MARK: Resynchronising

  private func begin(_ factor: Factor, _ code: String) -> Line {
    { _ in
      try HelperRequestBox(
        .resync(
          ResyncRequest(factor: factor.id, code: SecretBytes(copying: Array(code.utf8).span))))
    }
  }

  private func complete(_ code: String, after seconds: Int64 = 30) -> Line {
    { [host] _ in
      host.time += seconds
      return try HelperRequestBox(.completeResync(SecretBytes(copying: Array(code.utf8).span)))
    }
  }

  private func resync(_ factor: Factor, _ first: String, _ second: String) -> [Line] {
    [begin(factor, first), complete(second)]
  }

  @Test("a user without a valid code can only resynchronise a factor")
  func withoutAFactor() throws {
    let factor = try enrollKnown()
    let client = try run(
      [
        session, answer(""), makeCodes, generate,
        { _ in try HelperRequestBox(.unenroll(factor: factor.id)) },
        { _ in try HelperRequestBox(.rename(factor: factor.id, displayName: factor.displayName)) },
      ] + resync(factor, try knownCode(8), try knownCode(9)))
    #expect(
      answers(client) == [
        .sessionStarted(600), .failed(.secondFactorRequired), .failed(.secondFactorRequired),
        .failed(.secondFactorRequired), .failed(.secondFactorRequired), .done, .done,
      ])
    #expect(host.memory.record?.factors.first?.timeOffset == 8)
    #expect(host.memory.attempts.failures == 0 && host.memory.attempts.unreported.failures == 0)
    #expect(host.memory.record?.notices.map(\.kind) == [.resynchronized])
    #expect(host.delivered == ["alice"])
    #expect(trail.records == ["management mfa:resynchronized true"])
    #expect(signIn(try knownCode(8)) == .deny)
    #expect(signIn(try knownCode(9)) == .allow)
  }

  @Test("a code can be provided later in the session")
  func factorShownLater() throws {
    try enrollKnown()
    let client = try run([
      session, answer(""), makeCodes, session, answer(try knownCode()), makeCodes,
    ])
    #expect(
      answers(client) == [
        .sessionStarted(600), .failed(.secondFactorRequired), .sessionStarted(600),
        .recoveryCodes(10),
      ])
  }

  @Test(
    "two codes that are used or not consecutive count as a failed attempt",
    arguments: [(1, 5, 7), (2, 6, 5), (3, 5, 5), (4, 20, 21), (5, -20, -19)]
      as [(Int, Int64, Int64)])
  func notConsecutive(row: Int, first: Int64, second: Int64) throws {
    let factor = try enrollKnown()
    let client = try run(
      [
        session, answer(""),
      ] + resync(factor, try knownCode(first), try knownCode(second)))
    #expect(answers(client).last == .failed(.codesNotConsecutive), "row \(row)")
    #expect(host.memory.attempts.failures == 1, "row \(row)")
    #expect(host.memory.record?.factors.first?.timeOffset == 0, "row \(row)")
    #expect(trail.records == ["authentication mfa:resynchronization-failed false"], "row \(row)")
  }

  @Test("after five wrong pairs of codes the user is throttled")
  func throttled() throws {
    let factor = try enrollKnown()
    let wrong = [
      begin(factor, try knownCode(5)), complete(try knownCode(7), after: 0),
    ]
    let client = try run(
      [session, answer("")] + (1...5).flatMap { _ in wrong } + [begin(factor, try knownCode(5))])
    #expect(
      answers(client).suffix(3) == [
        .done, .failed(.tooManyAttempts(seconds: 30)), .failed(.tooManyAttempts(seconds: 30)),
      ])
  }

  @Test(
    "the second code must come within two minutes and about one period after the first",
    arguments: [
      (1, 0, true), (2, 30, true), (3, 90, true), (4, 91, false), (5, 121, false),
    ] as [(Int, Int64, Bool)])
  func pause(row: Int, seconds: Int64, isDone: Bool) throws {
    let factor = try enrollKnown()
    let client = try run([
      session, answer(""), begin(factor, try knownCode(5)),
      complete(try knownCode(6), after: seconds),
    ])
    #expect(
      answers(client).suffix(2) == [.done, isDone ? .done : .failed(.codesNotConsecutive)],
      "row \(row)")
    let offset = isDone ? 6 - seconds / 30 : 0
    #expect(host.memory.record?.factors.first?.timeOffset == Int32(offset), "row \(row)")
    #expect(host.memory.attempts.failures == (isDone ? 0 : 1), "row \(row)")
  }

  @Test("if the clock is set back between the codes, nothing is changed")
  func clockSetBack() throws {
    let factor = try enrollKnown()
    let codes = try (5...6).map { try KnownFactor.code(at: host.time + 60, steps: $0) }
    let client = try run([
      session, answer(""),
      { [host] _ in
        host.time += 60
        return try HelperRequestBox(.status)
      },
      begin(factor, codes[0]), complete(codes[1], after: -1),
    ])
    #expect(answers(client).last == .failed(.codesNotConsecutive))
    #expect(host.memory.record?.factors.first?.timeOffset == 0)
  }

  @Test("the first code is counted at once, without a result")
  func firstCodeIsCounted() throws {
    let factor = try enrollKnown()
    for (number, code) in [try knownCode(5), "000000"].enumerated() {
      let client = try run([session, answer(""), begin(factor, code)])
      #expect(answers(client).last == .done)
      #expect(host.memory.attempts.failures == UInt32(number + 1))
      #expect(!host.memory.steps.contains(.secret), "nothing is compared")
    }
  }

  @Test("a second code is verified once for a first code, in the same session")
  func secondCodeNeedsAFirst() throws {
    let factor = try enrollKnown()
    let alone = try run([session, answer(""), complete(try knownCode(6))])
    #expect(answers(alone).last == .failed(.codesNotConsecutive))
    #expect(host.memory.attempts.failures == 0)
    let twice = try run([
      session, answer(""), begin(factor, try knownCode(5)), complete(try knownCode(7)),
      complete(try knownCode(6)),
    ])
    #expect(
      answers(twice).suffix(2) == [.failed(.codesNotConsecutive), .failed(.codesNotConsecutive)])
    #expect(host.memory.attempts.failures == 1)
    _ = try run([session, answer(""), begin(factor, try knownCode(5))])
    let other = try run([session, answer(""), complete(try knownCode(6))])
    #expect(answers(other).last == .failed(.codesNotConsecutive))
    #expect(
      answers(try run([begin(factor, try knownCode(5)), complete(try knownCode(6))]))
        == [.failed(.requiresRecentLogin), .failed(.requiresRecentLogin)])
    #expect(host.memory.record?.factors.first?.timeOffset == 0)
  }

  @Test("failures between the two codes stay pending")
  func failuresBetween() throws {
    let factor = try enrollKnown()
    let wrong = try host.wrongCode()
    _ = try run([
      session, answer(""), begin(factor, try knownCode(5)),
      { _ in
        #expect(signIn(wrong) == .deny)
        return try HelperRequestBox(.status)
      },
      complete(try knownCode(6)),
    ])
    #expect(host.memory.record?.factors.first?.timeOffset == 5)
    #expect(host.memory.attempts.failures == 0)
    #expect(host.memory.attempts.unreported.failures == 1)
  }

  @Test("a resynchronisation that cannot be written changes nothing")
  func unwritable() throws {
    let factor = try enrollKnown()
    host.memory.failure = (.replace, .busy)
    let client = try run(
      [
        session, answer(""),
      ] + resync(factor, try knownCode(5), try knownCode(6)))
    #expect(answers(client).last == .failed(.storeUnavailable))
    #expect(host.memory.record?.factors.first?.timeOffset == 0)
  }

  // MARK: Codes of one factor

  @Test("if a factor is named, only its codes are accepted")
  func namedFactor() throws {
    let factor = try enrollKnown()
    let other = try host.enroll("Other", secret: Array("another secret.....".utf8))
    let code = try knownCode()
    func show(_ factor: FactorID?) -> Line {
      { _ in
        try HelperRequestBox(
          .signIn(
            CodeRequest(factor: factor, code: SecretBytes(copying: Array(code.utf8).span))))
      }
    }
    let client = try run([show(other.id), show(factor.id), show(factor.id)])
    #expect(
      answers(client) == [
        .failed(.invalidVerificationCode), .signedIn(.factor(factor.id)), .failed(.codeAlreadyUsed),
      ])
  }

  // MARK: Importing

  private func importing(
    _ name: String = "Imported", secret: [UInt8] = KnownFactor.secret, watermark: Int64 = .min,
    offset: Int32 = 0, codes: String = ""
  ) -> Line {
    { _ in
      try HelperRequestBox(
        .importFactor(
          ImportRequest(
            displayName: try #require(DisplayName(Array(name.utf8))), parameters: .standard,
            key: SecretBytes(copying: secret.span), timeOffset: offset, watermark: watermark,
            recoveryCodes: SecretBytes(copying: Array(codes.utf8).span))))
    }
  }

  @Test("an imported factor accepts unused codes, and each of its recovery codes once")
  func imported() throws {
    let present = host.time / 30
    let client = try run([session, importing(watermark: present, codes: "1234567887654321")])
    #expect(answers(client) == [.sessionStarted(600), .enrolled])
    #expect(trail.records == ["management mfa:imported true"])
    let factor = try #require(host.memory.record?.factors.first)
    #expect(factor.origin == .imported)
    #expect(signIn(try knownCode()) == .deny)
    #expect(signIn(try knownCode(1)) == .allow)
    #expect(signIn("8765 4321") == .allow)
    #expect(signIn("87654321") == .deny)
    // The used code is not replaced, and the other one still counts as imported.
    #expect(host.memory.record?.recoveryCodes.map(\.kind) == [.imported])
  }

  @Test("if the last use is unknown, every code up to now counts as used")
  func importedWithoutWatermark() throws {
    _ = try run([session, importing(offset: 3)])
    #expect(host.memory.record?.factors.first?.timeOffset == 3)
    #expect(signIn(try knownCode(3)) == .deny)
    #expect(signIn(try knownCode(4)) == .allow)
  }

  @Test("a secret is imported once, and only in a session")
  func importedTwice() throws {
    #expect(answers(try run([importing()])) == [.failed(.requiresRecentLogin)])
    let client = try run([session, importing(), importing("Again")])
    #expect(answers(client).suffix(2) == [.enrolled, .failed(.alreadyImported)])
    #expect(host.memory.record?.factors.count == 1)
  }

  // MARK: Policy

  @Test("if enrolment is required, the last factor cannot be removed")
  func lastFactor() throws {
    let first = try enrollKnown()
    let second = try host.enroll("Other", secret: Array("another secret.....".utf8))
    host.configuration =
      "[project]\nend_sessions_on_unenroll = on\n"
      + "[tenant staff]\ngroups = staff\nenrollment = required\n"
    host.groups = ["staff"]
    let client = try run([
      session, answer(try knownCode()),
      { _ in try HelperRequestBox(.unenroll(factor: second.id)) },
      { _ in try HelperRequestBox(.unenroll(factor: first.id)) }, status,
    ])
    #expect(
      answers(client) == [
        .sessionStarted(600), .unenrolled(signedOut: true), .failed(.lastFactorRequired),
        .status(
          AccountStatus(
            enrollment: .required, state: .enabled, recoveryCodesLeft: 0,
            importedRecoveryCodesLeft: 0, standing: .open,
            activity: AccountStatus.Activity(pendingNotices: 1), endsSessions: true)),
      ])
    #expect(host.memory.record?.factors.map(\.id) == [first.id])
  }
}
