import Foundation
import Glibc
import MFABase
import MFAMessages
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
    let request = SignInRequest(service: "swaylock")
    let packet = try Self.packet(MessageSamples.call(request, change))
    let reply = Decider.reply(to: packet, from: peer, host: host)
    return try #require(reply)
  }

  /// Signs in from a user's process with a correct code, and returns the last reply.
  private func signIn(from peer: UInt32, caller: UInt32 = 0) throws -> SignInReply {
    guard
      case .question(_, _, let continuation) = try reply(from: peer, { $0.caller = caller }).end
    else { return SignInReply() }
    let code = try host.code()
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
    try host.enroll()
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
    try host.enroll()
    guard case .question(_, _, let continuation) = try reply(from: 1000).end else {
      Issue.record("the user is not asked")
      return
    }
    let wrong = try host.wrongCode()
    _ = try reply(from: 1000) { call in
      call.continuation = continuation
      call.answer = .text(MessageSamples.secret(wrong))
    }
    #expect(host.memory.attempts.failures == 0)
    #expect(host.memory.attempts.ownProcessFailures.failures == 1)
  }

  @Test("a reply to a user's process has no audit record, and keeps every other effect in order")
  func auditRecords() throws {
    try host.enroll()
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

/// The MUSTs of HelperDecider.swift, with a service that follows a script.
@Suite("How the helper has its requests decided")
struct HelperDeciderTests {
  /// Returns a text with what a service did with a request.
  private func answer(_ service: ScriptedService, owner: UInt32 = geteuid()) throws -> String {
    let decider = HelperDecider(
      PrivilegedProcess.Identities(caller: 1000, own: geteuid()),
      Account(name: Array("alice".utf8), uid: 1000), at: service.path, owner: owner)
    var call = MessageSamples.management()
    guard let packet = call.packet() else { throw PacketError.malformed }
    switch decider.ask(packet) {
    case .reply(let reply): return MessageSamples.text(reply)
    case .nothing: return "nothing"
    case .unread: return "unread"
    }
  }

  @Test("a listener of another user is not trusted, and no listener is no service")
  func owner() throws {
    let service = try ScriptedService([{ try $0.receive() }])
    #expect(try answer(service, owner: geteuid() + 1) == "unread")
    #expect(service.isUsedUp())
    #expect(service.heard == ["ended"])
    let decider = HelperDecider(
      PrivilegedProcess.Identities(caller: 1000, own: geteuid()),
      Account(name: Array("alice".utf8), uid: 1000), at: Array("/tmp/mfa-no-service".utf8))
    guard case .unread = decider.ask(SecretBytes(count: 1)) else {
      Issue.record("a service that does not exist has read the request")
      return
    }
  }

  @Test("the reply of the service is read")
  func reply() throws {
    for sample in MessageSamples.managementReplies {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try served.reply(sample())
        }
      ])
      #expect(try answer(service) == MessageSamples.text(sample()))
      #expect(service.isUsedUp())
      #expect(service.heard == [MessageSamples.text(MessageSamples.management())])
    }
  }

  @Test("a request that may have been read is not decided again")
  func unanswered() throws {
    let parts: [ScriptedService.Part] = [
      { _ in }, { try $0.send(bytes: [0xFF, 0, 0]) }, { try $0.send(bytes: [0x82]) },
      { try $0.reply(SignInReply([], .busy)) },
    ]
    for part in parts {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try part(served)
        }
      ])
      #expect(try answer(service) == "nothing")
      #expect(service.isUsedUp())
    }
  }

  @Test("a request that the service has not read is decided by the helper")
  func unread() throws {
    let service = try ScriptedService([{ _ in }])
    #expect(try answer(service) == "unread")
    #expect(service.isUsedUp())
  }
}

@Suite struct EncodedHeaderTests {
  @Test("a header in ASCII is written as it is")
  func plain() {
    #expect(EncodedHeader.text(Array("alice on web1".utf8)) == Array("alice on web1".utf8))
    #expect(EncodedHeader.text([]).isEmpty)
  }

  /// RFC 2047, sections 2 and 5: words of at most 75 characters, which begin and end with whole
  /// characters.
  @Test("another header is divided into encoded words", arguments: Language.allCases)
  func encoded(language: Language) throws {
    let subject = MailMessage.subject(
      .unenrolled(name: Array("Телефон".utf8)), hasMore: true, user: Array("алиса".utf8),
      host: Array("server-01.example.com".utf8)
    ).text(in: language)
    let lines = String(decoding: EncodedHeader.text(subject.utf8), as: UTF8.self)
      .components(separatedBy: "\n ")
    var decoded = ""
    for line in lines {
      #expect(line.utf8.count <= 75 && line.hasPrefix("=?UTF-8?Q?") && line.hasSuffix("?="))
      let bytes = line.dropFirst(10).dropLast(2).split(separator: "=").map { UInt8($0, radix: 16) }
      let text = try #require(String(bytes: bytes.compactMap(\.self), encoding: .utf8))
      decoded += text
    }
    #expect(decoded == subject.string && lines.count > 1)
  }
}

@Suite struct SchedulingTests {
  @Test("a process takes locks only if it gets its share of the processors")
  func rows() {
    let reset: Int32 = 0x4000_0000
    let rows: [(policy: Int32, niceness: Int32, isSound: Bool)] = [
      (0, 0, true), (0, -5, true), (reset, 0, true),
      // SCHED_IDLE and SCHED_BATCH, with which the caller can starve the process, and an error.
      (5, 0, false), (5 | reset, 0, false), (3, 0, false), (-1, 0, false), (0, 1, false),
      (0, 19, false),
    ]
    for row in rows {
      #expect(
        Scheduling.isSound(policy: row.policy, niceness: row.niceness) == row.isSound, "\(row)")
    }
  }
}
