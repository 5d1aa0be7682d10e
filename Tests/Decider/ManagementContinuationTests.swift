import MFABase
import MFACrypto
import MFADecider
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAWire
import Testing

/// An attacker who owns the client of a user's session: sends continuations again, keeps, changes and swaps them.
/// Nothing is changed that the session would not have allowed.
@Suite("Continuations of a session in the hands of an attacker")
struct ManagementContinuationTests {
  let host = ScriptedHost()
  let alice = Account(name: Array("alice".utf8), uid: 1000)

  /// Sends a request, and returns the failure, or nil, and the continuation.
  @discardableResult
  private func send(
    _ request: HelperRequestBox, _ continuation: [UInt8], as caller: Account? = nil
  ) throws -> (failure: HelperFailure?, continuation: [UInt8]) {
    var call = ManagementCall()
    call.continuation = continuation
    call.body = SecretBytes(copying: request.body.span)
    return try send(call, as: caller)
  }

  private func send(
    _ call: consuming ManagementCall, as caller: Account? = nil
  ) throws -> (failure: HelperFailure?, continuation: [UInt8]) {
    var management = Management(
      caller: caller ?? alice, terminal: nil, host: host, log: { _, _ in },
      audit: { _, _, _ in }, mail: { _, _ in .sent })
    let reply = management.reply(to: call)
    let client = ScriptedClient([])
    let isRead = client.send(reply.frames.span)
    #expect(isRead)
    secrets += client.secret.isEmpty ? [] : [client.secret]
    guard case .failed(let failure) = client.heard.last else { return (nil, reply.continuation) }
    return (failure, reply.continuation)
  }

  private final class Secrets { var all: [[UInt8]] = [] }
  private let shown = Secrets()
  private var secrets: [[UInt8]] {
    get { shown.all }
    nonmutating set { shown.all = newValue }
  }

  /// Begins a session, and returns its continuation.
  private func begin() throws -> [UInt8] {
    var proven = ManagementCall()
    proven.continuation = try send(session, []).continuation
    proven.proof = .proven
    return try send(proven).continuation
  }

  private let session: HelperRequestBox
  private let generate: HelperRequestBox

  init() throws {
    session = try HelperRequestBox(.session)
    generate = try HelperRequestBox(.generateSecret(.standard))
  }

  private func enrollment(_ name: String) throws -> HelperRequestBox {
    let code = try KnownFactor.code(at: host.time, secret: try #require(secrets.last))
    let displayName = try #require(DisplayName(Array(name.utf8)))
    return try HelperRequestBox(
      .enroll(
        EnrollmentRequest(
          code: SecretBytes(copying: Array(code.utf8).span), displayName: displayName)))
  }

  private func answered(_ text: String) throws -> HelperRequestBox {
    try HelperRequestBox(.answer(SecretBytes(copying: Array(text.utf8).span)))
  }

  private var names: [String] {
    host.memory.record?.factors.map { String(decoding: $0.displayName.utf8, as: UTF8.self) } ?? []
  }

  @Test("a secret is enrolled once, however often its continuation is sent")
  func replayed() throws {
    let begun = try begin()
    let generated = try send(generate, begun)
    #expect(generated.failure == nil)
    #expect(try send(try enrollment("One"), generated.continuation).failure == nil)
    for name in ["One", "Two"] {
      let again = try send(try enrollment(name), generated.continuation)
      #expect(again.failure == .requiresRecentLogin)
    }
    // The session before the secret is over as well.
    #expect(
      try send(try HelperRequestBox(.generateRecoveryCodes), begun).failure == .requiresRecentLogin)
    #expect(names == ["One"])
  }

  @Test("the proof of an account is not in the continuation that asks for it")
  func withoutProof() throws {
    let asked = try send(session, []).continuation
    for request in [generate, session] {
      #expect(try send(request, asked).failure == .protocolError)
    }
    var unasked = ManagementCall()
    unasked.proof = .proven
    #expect(try send(unasked).failure == .protocolError)
    for result in [.wrong, .noAnswer, .refused(.locked)] as [ProofResult] {
      var call = ManagementCall()
      call.continuation = try send(session, []).continuation
      call.proof = result
      let failed = try send(call)
      #expect(failed.failure != nil)
      #expect(try send(generate, failed.continuation).failure == .requiresRecentLogin)
    }
  }

  @Test("a session belongs to its user and its host, and any changed byte ends it")
  func swapped() throws {
    let begun = try begin()
    for other in [
      Account(name: Array("bob".utf8), uid: 1000), Account(name: Array("alice".utf8), uid: 1001),
    ] {
      #expect(try send(generate, begun, as: other).failure == .requiresRecentLogin)
    }
    host.realmHost = Array("web1".utf8)
    #expect(try send(generate, begun).failure == .requiresRecentLogin)
    host.realmHost = []
    for index in begun.indices {
      var changed = begun
      changed[index] ^= 1
      #expect(try send(generate, changed).failure == .requiresRecentLogin, "byte \(index)")
    }
    #expect(try send(generate, begun).failure == nil)
  }

  @Test("a session ends with a new key, a change by somebody else, and its time")
  func kept() throws {
    let begun = try begin()
    let key = host.memory.continuationKey
    host.memory.continuationKey = [UInt8](repeating: 10, count: AES256GCM.keyLength)
    #expect(try send(generate, begun).failure == .requiresRecentLogin)
    host.memory.continuationKey = key
    for (seconds, isOpen) in [(0, true), (599, true), (600, false), (-1, false)] as [(Int64, Bool)]
    {
      host.time += seconds
      let sent = try send(generate, begun)
      #expect(sent.failure == (isOpen ? nil : .sessionExpired), "\(seconds)")
      host.time -= seconds
    }
    let generated = try send(generate, begun).continuation
    _ = try host.memory.enroll("Other", secret: KnownFactor.secret, for: alice)
    #expect(try send(try enrollment("Mine"), generated).failure == .requiresRecentLogin)
    #expect(names == ["Other"])
  }

  @Test("a code of a factor opens one session, however often its continuation is sent")
  func replayedCode() throws {
    _ = try host.memory.enroll("Old", secret: KnownFactor.secret, for: alice)
    let asked = try begin()
    func answer(_ steps: Int64) throws -> HelperFailure? {
      let code = try host.code(steps)
      return try send(answered(code), asked).failure
    }
    #expect(try answer(0) == nil)
    #expect(try answer(0) == .codeAlreadyUsed)
    for number in 1...5 {
      let wrong = try host.wrongCode()
      _ = try send(answered(wrong), asked)
      #expect(host.memory.attempts.failures >= 1, "\(number)")
    }
  }
}
