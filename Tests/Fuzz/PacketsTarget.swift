import MFABase
import MFAResidentTestSupport
import MFAWire

/// Reads packets of the protocol of a host: requests and replies of a sign-in, and those of the helper.
///
/// A packet that is read is encoded to the same bytes, and its fields are bounded.
enum PacketsTarget {
  static func check(_ input: [UInt8]) throws {
    if let packet = try packet(ofCall: input) {
      try require(packet == input, "a request is encoded differently")
    }
    if let packet = try packet(ofReply: input) {
      try require(packet == input, "a reply is encoded differently")
    }
    if let packet = try packet(ofManagementCall: input) {
      try require(packet == input, "a request of the helper is encoded differently")
    }
    if let packet = try packet(ofManagementReply: input) {
      try require(packet == input, "a reply to the helper is encoded differently")
    }
  }

  /// Returns a packet of each kind.
  static func samples() -> [[UInt8]] {
    var packets: [[UInt8]] = []
    for sample in MessageSamples.calls {
      var call = sample()
      packets.append(bytes(of: call.packet()) ?? [])
    }
    for reply in MessageSamples.replies { packets.append(bytes(of: reply.packet()) ?? []) }
    for sample in MessageSamples.managementCalls {
      var call = sample()
      packets.append(bytes(of: call.packet()) ?? [])
    }
    for sample in MessageSamples.managementReplies {
      var reply = sample()
      packets.append(bytes(of: reply.packet()) ?? [])
    }
    return packets
  }

  private static func bytes(of packet: consuming SecretBytes?) -> [UInt8]? {
    guard let packet else { return nil }
    return packet.span.copied()
  }

  // MARK: Sign-ins

  /// Returns the encoded packet of a request, or nil if the packet is none.
  private static func packet(ofCall input: [UInt8]) throws -> [UInt8]? {
    var call: SignInCall
    do throws(PacketError) {
      call = try SignInCall(packet: SecretBytes(copying: input.span))
    } catch {
      return nil
    }
    let request = call.request
    let items =
      [request.user, request.service, request.remoteHost ?? [], request.terminal ?? []]
      + request.arguments
    try require(
      items.allSatisfy { $0.count <= SignInRequest.longestItem }, "an item is too long")
    try require(request.arguments.count <= 64, "there are too many arguments")
    try require(call.note?.count ?? 0 <= SignInRequest.longestItem + 1, "a note is too long")
    try require(
      call.earlierMethods?.count ?? 0 <= SignInCall.longestMethods, "a report is too long")
    try require(
      call.continuation.count <= SignInCall.longestContinuation, "a continuation is too long")
    try require(call.facts?.peer?.count ?? 0 <= 16, "an address is too long")
    try require(call.facts?.enclosingSessions.count ?? 0 <= 64, "there are too many sessions")
    try require(isBounded(call.earlierAnswer) && isBounded(call.answer), "an answer is too long")
    return bytes(of: call.packet())
  }

  private static func isBounded(_ reply: borrowing Reply) -> Bool {
    switch reply {
    case .absent: true
    case .tooLong: true
    case .text(let answer): answer.count <= Reply.longest
    }
  }

  /// Returns the encoded packet of a reply, or nil if the packet is none.
  private static func packet(ofReply input: [UInt8]) throws -> [UInt8]? {
    var reply: SignInReply
    do throws(PacketError) {
      reply = try SignInReply(packet: SecretBytes(copying: input.span))
    } catch {
      return nil
    }
    try require(reply.effects.count <= Int(SignInReply.mostEffects), "there are too many effects")
    for effect in reply.effects {
      try require(
        effect.continuation.count <= SignInCall.longestContinuation, "a continuation is too long")
      guard effect.kind == .audit, let record = effect.auditRecord else { continue }
      let again = bytes(of: SignInEffect.audit(record).text.copy())
      try require(again == bytes(of: effect.text.copy()), "a record is encoded differently")
    }
    if case .question(_, _, let continuation) = reply.end {
      try require(
        continuation.count <= SignInCall.longestContinuation, "a continuation is too long")
    }
    return bytes(of: reply.packet())
  }

  // MARK: Requests of the helper

  /// Returns the encoded packet of a request of the helper, or nil if the packet is none.
  private static func packet(ofManagementCall input: [UInt8]) throws -> [UInt8]? {
    var call: ManagementCall
    do throws(PacketError) {
      call = try ManagementCall(packet: SecretBytes(copying: input.span))
    } catch {
      return nil
    }
    try require(call.terminal?.count ?? 0 <= 255, "a terminal is too long")
    try require(call.body.count <= Frame.longestBody, "a body is too long")
    try require(
      call.continuation.count <= SignInCall.longestContinuation, "a continuation is too long")
    return bytes(of: call.packet())
  }

  /// Returns the encoded packet of a reply to the helper, or nil if the packet is none.
  private static func packet(ofManagementReply input: [UInt8]) throws -> [UInt8]? {
    var reply: ManagementReply
    do throws(PacketError) {
      reply = try ManagementReply(packet: SecretBytes(copying: input.span))
    } catch {
      return nil
    }
    try require(
      reply.continuation.count <= SignInCall.longestContinuation, "a continuation is too long")
    return bytes(of: reply.packet())
  }
}
