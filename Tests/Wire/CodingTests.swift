import MFABase
import MFAResidentTestSupport
import Testing

@testable import MFAWire

/// The MUSTs of Coder.swift, for every packet that the coder describes.
@Suite("Packets described by the coder")
struct CodingTests {
  private static let calls = CodecConformance(
    name: "call", samples: MessageSamples.calls, text: { MessageSamples.text($0) })
  private static let replies = CodecConformance(
    name: "reply", samples: MessageSamples.replies.map { reply in { reply } },
    text: { MessageSamples.text($0) })
  private static let managementCalls = CodecConformance(
    name: "management call", samples: MessageSamples.managementCalls,
    text: { MessageSamples.text($0) })
  private static let managementReplies = CodecConformance(
    name: "management reply", samples: MessageSamples.managementReplies,
    text: { MessageSamples.text($0) })

  @Test("a packet is read as an equal message, and encodes to the same bytes")
  func everyMessageIsReadBack() throws {
    try Self.calls.readsBack()
    try Self.replies.readsBack()
    try Self.managementCalls.readsBack()
    try Self.managementReplies.readsBack()
  }

  @Test("a packet that is cut off or followed by anything is malformed")
  func everyOtherLengthIsMalformed() throws {
    try Self.calls.refusesOtherLengths()
    try Self.replies.refusesOtherLengths()
    try Self.managementCalls.refusesOtherLengths()
    try Self.managementReplies.refusesOtherLengths()
  }

  @Test("a packet with another byte encodes to the same bytes, or is malformed")
  func everyChangedByteIsReadExactly() throws {
    let calls = try Self.calls.readsChangedBytesExactly()
    #expect(calls.read > 1000 && calls.refused > 1000, "\(calls)")
    let replies = try Self.replies.readsChangedBytesExactly()
    #expect(replies.read > 1000 && replies.refused > 1000, "\(replies)")
    let managementCalls = try Self.managementCalls.readsChangedBytesExactly()
    #expect(managementCalls.read > 100 && managementCalls.refused > 1000, "\(managementCalls)")
    let managementReplies = try Self.managementReplies.readsChangedBytesExactly()
    #expect(
      managementReplies.read > 100 && managementReplies.refused > 1000, "\(managementReplies)")
  }

  @Test("a packet of another kind or version is malformed")
  func otherKindsAreMalformed() throws {
    for (call, reply) in zip(MessageSamples.calls, MessageSamples.replies) {
      #expect(Self.replies.reread(try Self.calls.packet(call())) == nil)
      #expect(Self.calls.reread(try Self.replies.packet(reply)) == nil)
    }
    #expect(Self.calls.reread([]) == nil && Self.replies.reread([]) == nil)
  }

  // MARK: Limits

  /// A field of a message, with its longest length in bytes.
  private struct Field<Content: WireMessage & ~Copyable>: Sendable {
    let name: String
    let longest: Int
    /// Returns a message whose other strings are empty.
    let message: @Sendable ([UInt8]) -> Content
  }

  private static func field(
    _ name: String, _ longest: Int, _ set: @escaping @Sendable (inout SignInCall, [UInt8]) -> Void
  ) -> Field<SignInCall> {
    Field(name: name, longest: longest) { bytes in
      var call = SignInCall()
      set(&call, bytes)
      return call
    }
  }

  private static func fact(
    _ name: String, _ longest: Int,
    _ set: @escaping @Sendable (inout ApplicationFacts, [UInt8]) -> Void
  ) -> Field<SignInCall> {
    field(name, longest) { call, bytes in
      var facts = ApplicationFacts()
      set(&facts, bytes)
      call.facts = facts
    }
  }

  private static let callFields = [
    field("user", 1024) { $0.request.user = $1 },
    field("service", 1024) { $0.request.service = $1 },
    field("remote host", 1024) { $0.request.remoteHost = $1 },
    field("terminal", 1024) { $0.request.terminal = $1 },
    field("argument", 1024) { $0.request.arguments = [$1] },
    field("note", 1025) { $0.note = $1 },
    field("earlier methods", 32_768) { $0.earlierMethods = $1 },
    field("earlier answer", 512) { $0.earlierAnswer = .text(SecretBytes(copying: $1.span)) },
    field("continuation", 4096) { $0.continuation = $1 },
    field("answer", 512) { $0.answer = .text(SecretBytes(copying: $1.span)) },
    fact("peer", 16) { $0.peer = $1 },
    fact("session", 255) { $0.session = $1 },
    fact("enclosing session", 255) { $0.enclosingSessions = [$1] },
    fact("controlling terminal", 255) { $0.terminal = $1 },
  ]

  private static let replyFields = [
    Field<SignInReply>(name: "continuation of a question", longest: 4096) { bytes in
      SignInReply(
        [], .question(PrivateText(SecretBytes(count: 0)), echo: true, continuation: bytes))
    },
    Field<SignInReply>(name: "continuation of a confirmation", longest: 4096) { bytes in
      SignInReply([.confirm(SecretBytes(count: 0), continuation: bytes)], .verdict(1))
    },
  ]

  @Test("a field of the longest length is read, and a longer one is neither written nor read")
  func longFields() throws {
    for field in Self.callFields {
      try Self.calls.limits(field.name, to: field.longest, field.message)
    }
    for field in Self.replyFields {
      try Self.replies.limits(field.name, to: field.longest, field.message)
    }
  }

  /// Checks that a list of the largest number of elements is read, and that a longer one is neither written
  /// nor read. `position` is where the number of elements is, and an element is encoded as `element`.
  private static func check<Content: WireMessage & ~Copyable>(
    list message: (Int) -> Content, most: Int, at position: Int, element: [UInt8],
    _ conformance: CodecConformance<Content>
  ) throws {
    let packet = try conformance.packet(message(most))
    #expect(packet[position] == UInt8(most))
    #expect(conformance.reread(packet) == packet)
    let isWritten = conformance.packetIfWritten(message(most + 1)) != nil
    #expect(!isWritten)
    var longer = packet
    longer[position] = UInt8(most + 1)
    longer.insert(contentsOf: element, at: position + 1)
    #expect(conformance.reread(longer) == nil)
    // With fewer elements, the same change is read.
    var fewer = try conformance.packet(message(most - 1))
    fewer[position] = UInt8(most)
    fewer.insert(contentsOf: element, at: position + 1)
    #expect(conformance.reread(fewer) == packet)
  }

  @Test("a list has a largest number of elements")
  func longLists() throws {
    try Self.check(
      list: { count in
        var call = SignInCall()
        call.request.arguments = [[UInt8]](repeating: [], count: count)
        return call
      }, most: 64, at: 3 + 2 + 2 + 1 + 1, element: [0, 0], Self.calls)
    try Self.check(
      list: { count in
        var call = SignInCall()
        var facts = ApplicationFacts()
        facts.enclosingSessions = [[UInt8]](repeating: [], count: count)
        call.facts = facts
        return call
      }, most: 64, at: 10 + 1 + 1 + 4 + 1 + 3 + 1 + 1 + 1 + 1, element: [0, 0], Self.calls)
    try Self.check(
      list: { count in
        SignInReply(
          [SignInEffect](repeating: MessageSamples.tell(""), count: count), .verdict(1))
      }, most: 64, at: 2, element: [1, 0, 0, 0, 0, 0, 0], Self.replies)
  }

  @Test("a packet of more than 65,536 bytes is not written")
  func longPackets() throws {
    let empty = try Self.replies.packet(SignInReply([.forward(SecretBytes(count: 0))], .facts))
    let most = 65_536 - empty.count
    let packet = try Self.replies.packet(SignInReply([.forward(SecretBytes(count: most))], .facts))
    #expect(packet.count == Coder.longest)
    #expect(Self.replies.reread(packet) == packet)
    for count in [most + 1, 65_535, 65_536, 100_000] {
      let reply = SignInReply([.forward(SecretBytes(count: count))], .facts)
      #expect(Self.replies.packetIfWritten(reply) == nil, "\(count)")
    }
    let argument = [UInt8](repeating: 0x61, count: SignInRequest.longestItem)
    let arguments = [[UInt8]](repeating: argument, count: 64)
    let request = SignInRequest(user: [], service: [], arguments: arguments)
    #expect(Self.calls.packetIfWritten(MessageSamples.call(request)) == nil)
  }

  @Test("an audit record in a reply is read as it was written, and other bytes are no record")
  func auditRecords() throws {
    for effect in MessageSamples.effects where effect.kind == .audit {
      let record = try #require(effect.auditRecord)
      let again = SignInEffect.audit(record)
      let found = again.text.copy()
      let expected = effect.text.copy()
      let isEqual = found.span.copied() == expected.span.copied()
      #expect(isEqual)
    }
    for effect in MessageSamples.effects where effect.kind != .audit {
      #expect(effect.auditRecord == nil)
    }
  }

  @Test(
    "only the reply `busy` without effects counts as one that was sent before the request was read")
  func busyAlone() throws {
    for reply in MessageSamples.replies {
      let packet = try Self.replies.packet(reply)
      let isBusy = SignInReply.isBusy(packet.span)
      guard case .busy = reply.end else {
        #expect(!isBusy)
        continue
      }
      #expect(isBusy == reply.effects.isEmpty)
    }
    for packet in [[0x81, 1, 1, 4], [0x81, 2, 0, 4], [0x41, 1, 0, 4], []] as [[UInt8]] {
      let isBusy = SignInReply.isBusy(packet.span)
      #expect(!isBusy, "\(packet)")
    }
  }
}
