import MFABase
import MFAModel
import MFAResidentTestSupport
import MFASignIn
import MFASignInTestSupport
import MFAWire
import Testing

@testable import MFADecider

/// The function from a packet of the module to its reply. (MUST 1 of Decider.swift)
@Suite("The decider of a host")
struct DeciderTests {
  private let host = ScriptedHost()
  private let account = Account(name: Array("alice".utf8), uid: 1000)

  private static func packet(_ call: consuming SignInCall) throws -> SecretBytes {
    var call = call
    guard let packet = call.packet() else { throw SystemError(.write, number: 90) }
    return packet
  }

  /// Returns the reply to a request from a user's process.
  private func reply(
    from peer: UInt32, _ change: (inout SignInCall) -> Void = { _ in }
  ) throws -> SignInReply {
    let request = SignInRequest(user: account.name, service: Array("swaylock".utf8))
    let packet = try Self.packet(MessageSamples.call(request, change))
    let reply = Decider.reply(to: packet, from: peer, host: host)
    return try #require(reply)
  }

  private func enroll() throws {
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
  }

  /// Signs in from a user's process with a correct code, and returns the last reply.
  private func signIn(from peer: UInt32, caller: UInt32 = 0) throws -> SignInReply {
    guard
      case .question(_, _, let continuation) = try reply(from: peer, { $0.caller = caller }).end
    else { return SignInReply() }
    let code = try KnownFactor.code(at: host.time)
    return try reply(from: peer) { call in
      call.caller = caller
      call.continuation = continuation
      call.answer = .text(MessageSamples.secret(code))
    }
  }

  private static func isAllowed(_ reply: SignInReply) -> Bool {
    guard case .verdict(1) = reply.end else { return false }
    return true
  }

  @Test("a malformed packet has no reply")
  func malformed() throws {
    let secret = try Self.packet(MessageSamples.call())
    let packet = secret.span.copied()
    let others: [[UInt8]] = [
      [], [0x41], packet.dropLast(), packet + [0], [0x42] + packet.dropFirst(),
    ]
    for other in others {
      let reply = Decider.reply(to: SecretBytes(copying: other.span), from: 0, host: host)
      #expect(reply == nil)
    }
  }

  @Test("a user's process is served with the user's own sign-in alone, whatever it states")
  func ownSignIn() throws {
    try enroll()
    for caller in [0, 1000, 1001] as [UInt32] {
      #expect(!Self.isAllowed(try signIn(from: 1001, caller: caller)))
    }
    #expect(host.memory.attempts.failures == 0)
    #expect(Self.isAllowed(try signIn(from: 1000, caller: 0)))
    host.time += 30
    #expect(Self.isAllowed(try signIn(from: 0, caller: 1001)))
  }

  @Test("the failures of a user's process count for the user's own processes")
  func ownFailures() throws {
    try enroll()
    guard case .question(_, _, let continuation) = try reply(from: 1000).end else {
      Issue.record("the user is not asked")
      return
    }
    let wrong = try KnownFactor.wrongCode(at: host.time)
    _ = try reply(from: 1000) { call in
      call.continuation = continuation
      call.answer = .text(MessageSamples.secret(wrong))
    }
    #expect(host.memory.attempts.failures == 0)
    #expect(host.memory.attempts.ownProcessFailures.failures == 1)
  }

  @Test("a reply to a user's process has no audit record, and keeps every other effect in order")
  func auditRecords() throws {
    try enroll()
    #expect(try signIn(from: 0).effects.contains { $0.kind == .audit })
    host.time += 30
    let own = try signIn(from: 1000)
    #expect(Self.isAllowed(own))
    #expect(!own.effects.contains { $0.kind == .audit })
    let reply = SignInReply(MessageSamples.effects, .verdict(2))
    for actsAsRoot in [true, false] {
      let carried = Decider.carryOutOwn(
        reply, ProcessIdentity(user: 1000, actsAsRoot: actsAsRoot, isConfined: false))
      let expected = MessageSamples.effects.filter { actsAsRoot || $0.kind != .audit }
      #expect(
        MessageSamples.text(carried)
          == MessageSamples.text(SignInReply(expected, .verdict(2))))
    }
  }
}
