import MFAWire
import MFABase

/// The answer of the decision service to a request other than `decide`. PROTOCOL.md defines
/// the encoding.
///
/// MUST 1: an encoded reply parses to an equal value, and no other bytes parse.
/// (`VerifierReplyTests`)
package enum VerifierReply: Equatable, Sendable {
  /// The host is admitted under this name. Its certificate is valid for this many days.
  case joined(host: [UInt8], days: UInt16)
  /// The certificate of the host is replaced by one that is valid for this many days.
  case renewed(days: UInt16)
  /// The host is not admitted. The reason is in the log of the decision service.
  case refused
  /// The service works.
  case alive
  /// The counts of the service since it was started.
  case numbers(DecisionNumbers)
  /// Answers an `OfflineRequest`.
  case offline(OfflineReply)

  private enum Kind {
    static let joined: UInt8 = 0x81
    static let renewed: UInt8 = 0x82
    static let refused: UInt8 = 0x83
    static let alive: UInt8 = 0x84
    static let numbers: UInt8 = 0x88
  }

  /// Returns a packet with the reply, or nil if a field is too long.
  package func packet() -> SecretBytes? {
    var writer = PacketWriter()
    switch self {
    case .joined(let host, let days):
      writer.begin(Kind.joined)
      writer.field(host)
      writer.field(days)
    case .renewed(let days):
      writer.begin(Kind.renewed)
      writer.field(days)
    case .refused: writer.begin(Kind.refused)
    case .alive: writer.begin(Kind.alive)
    case .numbers(let numbers):
      writer.begin(Kind.numbers)
      for list in [numbers.counters, numbers.timings] {
        guard list.count <= DecisionNumbers.longest else { return nil }
        writer.field(UInt16(truncatingIfNeeded: list.count))
        for number in list { writer.field(number) }
      }
    case .offline(let reply): reply.write(to: &writer)
    }
    writer.end()
    return writer.finish()
  }

  @_lifetime(reader: copy reader)
  private static func list(_ reader: inout PacketReader) throws(PacketError) -> [UInt64] {
    let count = try reader.number(UInt16.self)
    guard count <= DecisionNumbers.longest else { throw .malformed }
    var list: [UInt64] = []
    for _ in 0..<count { list.append(try reader.number(UInt64.self)) }
    return list
  }

  /// Reads a packet that contains one reply.
  package init(_ packet: Span<UInt8>) throws(PacketError) {
    var reader = PacketReader(packet)
    guard let kind = try reader.next() else { throw .malformed }
    switch kind {
    case Kind.joined:
      let host = try reader.bytes(longest: VerifierRequest.longestHost)
      guard !host.isEmpty else { throw .malformed }
      self = .joined(host: host, days: try reader.number(UInt16.self))
    case Kind.renewed: self = .renewed(days: try reader.number(UInt16.self))
    case Kind.refused: self = .refused
    case Kind.alive: self = .alive
    case Kind.numbers:
      let counters = try Self.list(&reader)
      self = .numbers(DecisionNumbers(counters: counters, timings: try Self.list(&reader)))
    case let kind:
      guard let reply = try OfflineReply(kind, &reader) else { throw .unknownKind(kind) }
      self = .offline(reply)
    }
    guard try reader.next() == nil else { throw .malformed }
  }
}
