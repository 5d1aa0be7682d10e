import Factors
import Helper
import HelperProtocol
import OneTimePassword
import Secrets
import SignIn
import SignInTestSupport
import System
import Testing

/// A proof that is always there.
private struct GivenProof: AccountProof {
  func prove<Asker: Person>(_ account: Account, by person: Asker) -> Bool { true }
  func retire() -> Bool { true }
}

@Suite("The helper, for who has lost an authenticator")
struct RecoveryTests {
  typealias Line = (ScriptedClient) throws -> HelperRequestBox?

  let host = ScriptedHost()
  let trail = AuditTrail()

  private func run(_ script: [Line]) throws -> ScriptedClient {
    let client = ScriptedClient([{ _ in try HelperRequestBox(.hello) }] + script)
    var conversation = Conversation(
      caller: try #require(host.account), servesEverybody: false, terminal: nil, host: host,
      proof: GivenProof(), client: client, sinceBoot: { 100 }, log: { _, _ in },
      audit: { [trail] in trail.write($0, $1, $2) }, mail: { _, _ in .sent })
    conversation.run()
    #expect(client.script.isEmpty, "not every line of the script was used")
    return client
  }

  private func answers(_ client: ScriptedClient) -> [ScriptedClient.Heard] {
    client.heard.dropFirst().filter {
      if case .prompt = $0 { false } else { true }
    }
  }

  private func answer(_ text: String) -> Line {
    { _ in try HelperRequestBox(.answer(SecretBytes(copying: Array(text.utf8).span))) }
  }

  private var session: Line { { _ in try HelperRequestBox(.session) } }
  private var status: Line { { _ in try HelperRequestBox(.status) } }
  private var makeCodes: Line { { _ in try HelperRequestBox(.generateRecoveryCodes) } }

  private func enrollKnown(_ name: String = "Old") throws -> Factor {
    try host.memory.enroll(
      name, secret: KnownFactor.secret, for: try #require(host.account))
  }

  private func knownCode(_ steps: Int64 = 0) throws -> String {
    try KnownFactor.code(at: host.time, steps: steps)
  }

  private func signIn(_ code: String) -> Verdict {
    let request = SignInRequest(user: Array("alice".utf8), service: Array("sshd".utf8))
    let application = ScriptedApplication([.text(code)])
    return SignIn(request, host: host, application: application).authenticate()
  }

  // MARK: Codes that are remembered

  private func remember() {
    host.memory.attempts = host.memory.attempts.remembering(
      PlaceDigest(.address, 7), at: host.time)
  }

  @Test("codes are forgotten without a session, and nothing else is")
  func forgetting() throws {
    let forget: Line = { _ in try HelperRequestBox(.forget) }
    #expect(answers(try run([forget])) == [.forgotten(0)], "nobody is enrolled")
    _ = try enrollKnown()
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

  @Test("unenrolling a factor has codes forgotten, another one does not")
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

  @Test("ten recovery codes are made, counted, and replaced by the next set")
  func recoveryCodes() throws {
    _ = try enrollKnown()
    let client = try run([session, answer(try knownCode()), makeCodes, status])
    #expect(
      answers(client) == [
        .sessionStarted(600), .recoveryCodes(10),
        .status(
          AccountStatus(
            enrollment: .selfService, state: .enabled, recoveryCodesLeft: 10,
            importedRecoveryCodesLeft: 0, standing: .open)),
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

  @Test("without a factor or a session there are no recovery codes")
  func noRecoveryCodes() throws {
    #expect(answers(try run([session, makeCodes])).last == .failed(.factorNotFound))
    _ = try enrollKnown()
    #expect(answers(try run([makeCodes])) == [.failed(.requiresRecentLogin)])
  }

  // MARK: Resynchronising

  private func resync(_ factor: Factor, _ first: String, _ second: String) -> Line {
    { _ in
      try HelperRequestBox(
        .resync(
          ResyncRequest(
            factor: factor.id, first: SecretBytes(copying: Array(first.utf8).span),
            second: SecretBytes(copying: Array(second.utf8).span))))
    }
  }

  @Test("who can show no code can resynchronise a factor, and do nothing else")
  func withoutAFactor() throws {
    let factor = try enrollKnown()
    let client = try run([
      session, answer(""), makeCodes, { _ in try HelperRequestBox(.generateSecret(.standard)) },
      { _ in try HelperRequestBox(.unenroll(factor: factor.id)) },
      { _ in try HelperRequestBox(.rename(factor: factor.id, displayName: factor.displayName)) },
      resync(factor, try knownCode(40), try knownCode(41)),
    ])
    #expect(
      answers(client) == [
        .sessionStarted(600), .failed(.secondFactorRequired), .failed(.secondFactorRequired),
        .failed(.secondFactorRequired), .failed(.secondFactorRequired), .done,
      ])
    #expect(host.memory.record?.factors.first?.timeOffset == 41)
    #expect(trail.records == ["management mfa:resynchronized true"])
    #expect(signIn(try knownCode(41)) == .deny)
    #expect(signIn(try knownCode(42)) == .allow)
  }

  @Test("a session that showed no code can show one later")
  func factorShownLater() throws {
    _ = try enrollKnown()
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
    "two codes that are not in a row, or were used, count as a wrong attempt",
    arguments: [(1, 40, 42), (2, 41, 40), (3, 40, 40)] as [(Int, Int64, Int64)])
  func notConsecutive(row: Int, first: Int64, second: Int64) throws {
    let factor = try enrollKnown()
    let client = try run([
      session, answer(""), resync(factor, try knownCode(first), try knownCode(second)),
    ])
    #expect(answers(client).last == .failed(.codesNotConsecutive), "row \(row)")
    #expect(host.memory.attempts.failures == 1, "row \(row)")
    #expect(host.memory.record?.factors.first?.timeOffset == 0, "row \(row)")
    #expect(
      trail.records == ["authentication mfa:resynchronization-failed false"], "row \(row)")
  }

  @Test("five pairs that are wrong make the person wait")
  func throttled() throws {
    let factor = try enrollKnown()
    let wrong = resync(factor, try knownCode(40), try knownCode(42))
    let client = try run([session, answer("")] + [Line](repeating: wrong, count: 6))
    #expect(
      answers(client).suffix(2) == [
        .failed(.tooManyAttempts(seconds: 30)), .failed(.tooManyAttempts(seconds: 30)),
      ])
  }

  @Test("a resynchronisation that cannot be written changes nothing")
  func unwritable() throws {
    let factor = try enrollKnown()
    host.memory.failure = (.replace, .busy)
    let client = try run([
      session, answer(""), resync(factor, try knownCode(40), try knownCode(41)),
    ])
    #expect(answers(client).last == .failed(.storeUnavailable))
    #expect(host.memory.record?.factors.first?.timeOffset == 0)
  }

  // MARK: One factor's codes

  @Test("where a factor is named its codes alone are right")
  func namedFactor() throws {
    let factor = try enrollKnown()
    let other = try host.memory.enroll(
      "Other", secret: Array("another secret.....".utf8), for: try #require(host.account))
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
      answers(client) == [.failed(.invalidVerificationCode), .tested, .failed(.codeAlreadyUsed)])
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
            displayName: try DisplayName(Array(name.utf8)), parameters: .standard,
            key: SecretBytes(copying: secret.span), timeOffset: offset, watermark: watermark,
            recoveryCodes: SecretBytes(copying: Array(codes.utf8).span))))
    }
  }

  @Test("an imported factor accepts what was not used before, and its codes recover once")
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
    // The used one has a generated one in its place.
    #expect(host.memory.record?.recoveryCodes.map(\.kind) == [.imported, .generated])
  }

  @Test("where nothing is known of its use, every code up to now counts as used")
  func importedWithoutWatermark() throws {
    _ = try run([session, importing(offset: 3)])
    #expect(host.memory.record?.factors.first?.timeOffset == 3)
    #expect(signIn(try knownCode(3)) == .deny)
    #expect(signIn(try knownCode(4)) == .allow)
  }

  @Test("one secret is imported once, and not without a session")
  func importedTwice() throws {
    #expect(answers(try run([importing()])) == [.failed(.requiresRecentLogin)])
    let client = try run([session, importing(), importing("Again")])
    #expect(answers(client).suffix(2) == [.enrolled, .failed(.alreadyImported)])
    #expect(host.memory.record?.factors.count == 1)
  }

  // MARK: Policy

  @Test("where a factor is required the last one stays")
  func lastFactor() throws {
    let first = try enrollKnown()
    let second = try host.memory.enroll(
      "Other", secret: Array("another secret.....".utf8), for: try #require(host.account))
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
            importedRecoveryCodesLeft: 0, standing: .open)),
      ])
    #expect(host.memory.record?.factors.map(\.id) == [first.id])
  }
}
