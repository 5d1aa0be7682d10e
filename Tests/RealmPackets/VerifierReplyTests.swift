import MFARealm
import MFAWire
import Testing

/// MUST 1 of VerifierReply.
@Suite("Replies of the decision service")
struct VerifierReplyTests {
  private static let replies: [VerifierReply] = [
    .joined(host: FactSamples.bytes("web1"), days: 30), .renewed(days: 400), .refused, .alive,
    .numbers(DecisionNumbers(counters: [], timings: [])),
    .numbers(DecisionNumbers(counters: [0, .max], timings: [7])),
  ]

  private static func packet(_ reply: VerifierReply) -> [UInt8]? {
    guard let packet = reply.packet() else { return nil }
    return packet.span.copied()
  }

  private static func read(_ packet: [UInt8]) -> VerifierReply? {
    do throws(PacketError) { return try VerifierReply(packet.span) } catch { return nil }
  }

  @Test("every reply parses to an equal reply", arguments: replies)
  func everyReplyParses(reply: VerifierReply) throws {
    let packet = try #require(Self.packet(reply))
    #expect(Self.read(packet) == reply)
    for damaged in Damage.all(of: packet) {
      guard let read = Self.read(damaged) else { continue }
      #expect(Self.packet(read) == damaged)
    }
  }

  @Test("lists have at most 1,024 numbers", arguments: [(1024, true), (1025, false)])
  func longestLists(count: Int, isWritten: Bool) {
    let reply = VerifierReply.numbers(
      DecisionNumbers(counters: [UInt64](repeating: 1, count: count), timings: []))
    #expect((Self.packet(reply) != nil) == isWritten)
  }

  @Test("a host has a name", arguments: [(0, false), (1, true), (255, true), (256, false)])
  func name(length: Int, isRead: Bool) throws {
    let reply = VerifierReply.joined(host: [UInt8](repeating: 0x61, count: length), days: 1)
    let packet = try #require(Self.packet(reply))
    #expect((Self.read(packet) != nil) == isRead)
  }
}
