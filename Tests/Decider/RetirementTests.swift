import MFABase
import MFAStore
import MFAModel
import MFASignIn
import MFADecider
import MFAWire
import MFASignInTestSupport
import Testing

/// Authentication that records the store's operations before it was retired.
private final class RetiringProof: AccountProof, @unchecked Sendable {
  private(set) var hasDroppedCallerIdentity = false
  private(set) var proofs: [Bool] = []
  private(set) var stepsBefore: [MemoryStore.Step] = []
  private let store: MemoryStore

  init(_ store: MemoryStore) { self.store = store }

  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult {
    proofs.append(hasDroppedCallerIdentity)
    let prompt = DisplayText(cleaning: Array("Password: ".utf8))
    guard let answer = prompter.ask(prompt, echo: false) else { return .noAnswer }
    return constantTimeEquals(answer.span, Array("right".utf8).span) ? .proven : .wrong
  }

  /// Runs `body` as a copy of the process would: its steps are not those of this process.
  func apart(_ body: () -> UInt32) -> UInt32? {
    let before = store.steps
    defer { if !hasDroppedCallerIdentity { store.steps = before } }
    return body()
  }

  func retire() -> Bool {
    if !hasDroppedCallerIdentity { stepsBefore = store.steps }
    hasDroppedCallerIdentity = true
    return true
  }
}

@Suite("The helper gives up its caller's identity before it takes a lock")
struct RetirementTests {
  typealias Line = (ScriptedClient) throws -> HelperRequestBox?

  let host = ScriptedHost()

  init() throws {
    host.memory.followsConfigurations = true
    let account = try #require(host.account)
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
  }

  private func run(_ script: [Line]) throws -> (client: ScriptedClient, proof: RetiringProof) {
    let client = ScriptedClient([{ _ in try HelperRequestBox(.hello(.english)) }] + script)
    let proof = RetiringProof(host.memory)
    var conversation = Conversation(
      caller: try #require(host.account), servesAllUsers: false, terminal: nil, host: host,
      proof: proof, client: client, sinceBoot: { 100 }, log: { _, _ in },
      audit: { _, _, _ in }, mail: { _, _ in .sent })
    conversation.run()
    #expect(client.script.isEmpty, "not every line of the script was used")
    return (client, proof)
  }

  private static func bytes(_ text: String) -> SecretBytes {
    SecretBytes(copying: Array(text.utf8).span)
  }

  private func answer(_ text: String) -> Line {
    { _ in try HelperRequestBox(.answer(Self.bytes(text))) }
  }

  private var session: Line { { _ in try HelperRequestBox(.session) } }
  private var test: Line { { _ in try HelperRequestBox(.test(Self.bytes("000000"))) } }

  @Test("every request that takes a lock first gives up the caller's identity", arguments: 1...5)
  func leavesCallerFirst(row: Int) throws {
    let code = try KnownFactor.code(at: host.time)
    let scripts: [Int: [Line]] = [
      1: [test],
      2: [{ _ in try HelperRequestBox(.signIn(CodeRequest(factor: nil, code: Self.bytes("1")))) }],
      3: [{ _ in try HelperRequestBox(.forget) }],
      4: [{ _ in try HelperRequestBox(.ticketSession) }, answer("aaaa-aaaa-aaaa-aaaa")],
      5: [session, answer("right"), answer(code)],
    ]
    let (_, proof) = try run(try #require(scripts[row]))
    #expect(proof.hasDroppedCallerIdentity, "row \(row)")
    let early = proof.stepsBefore.filter { $0 == .lock || $0 == .enterConfiguration }
    #expect(early.isEmpty, "row \(row): \(proof.stepsBefore)")
    #expect(host.memory.steps.contains(.enterConfiguration), "row \(row)")
  }

  @Test("requests without a lock keep the identity, which authentication may need")
  func stays() throws {
    let (client, proof) = try run([
      { _ in try HelperRequestBox(.list) }, { _ in try HelperRequestBox(.status) }, session,
      answer("wrong"),
    ])
    #expect(proof.proofs == [false])
    #expect(client.heard.last == .failed(.reauthenticationFailed))
    #expect(!host.memory.steps.contains(.lock))
    // At the end of the conversation.
    #expect(proof.hasDroppedCallerIdentity && !proof.stepsBefore.contains(.enterConfiguration))
    #expect(host.memory.steps.last == .enterConfiguration)
  }

  @Test("once authentication is impossible, no password is asked for")
  func proofAfterwards() throws {
    let (client, proof) = try run([test, session, session])
    #expect(
      client.heard.dropFirst() == [
        .failed(.invalidVerificationCode), .failed(.requiresRecentLogin),
        .failed(.requiresRecentLogin),
      ])
    #expect(proof.proofs.isEmpty)
  }

  @Test("a client has one minute for a request, ten for an answer, and a session until its end")
  func timeLimitsAreApplied() throws {
    let code = try KnownFactor.code(at: host.time)
    let (client, _) = try run([
      session, answer("right"), answer(code), { _ in try HelperRequestBox(.list) },
    ])
    #expect(client.waits == [60, 60, 600, 600, 600, 600])
  }
}
