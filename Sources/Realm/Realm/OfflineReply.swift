import MFAWire

/// The answer to an `OfflineRequest`. PROTOCOL.md defines the encoding.
///
/// MUST 1: an encoded reply parses to an equal value, and no other bytes parse. (`OfflineRequestTests`)
package enum OfflineReply: Equatable, Sendable {
  /// Permits, in the order of what was asked for. An empty one is withdrawn. If they do not fit, those at the end
  /// are missing.
  case permits([[UInt8]])
  /// The realm has the records up to this number, with this chain value.
  case position(number: UInt64, chain: [UInt8])
  /// No record was entered. The host keeps its queue and reports again after this many seconds.
  case later(seconds: UInt32)

  /// The length of a chain value in bytes.
  package static let chainLength = 32

  private enum Kind {
    static let permits: UInt8 = 0xA1
    static let position: UInt8 = 0xA2
    static let later: UInt8 = 0xA3
  }

  /// Appends the reply, except its end.
  func write(to writer: inout PacketWriter) {
    switch self {
    case .permits(let permits):
      writer.begin(Kind.permits)
      writer.field(UInt8(clamping: permits.count))
      for permit in permits { writer.field(permit) }
    case .position(let number, let chain):
      writer.begin(Kind.position)
      writer.field(number)
      writer.field(chain)
    case .later(let seconds):
      writer.begin(Kind.later)
      writer.field(seconds)
    }
  }

  /// Reads a reply. Returns nil if the kind is another one.
  @_lifetime(reader: copy reader)
  init?(_ kind: UInt8, _ reader: inout PacketReader) throws(PacketError) {
    switch kind {
    case Kind.permits:
      let count = try reader.number(UInt8.self)
      guard Int(count) <= OfflineRequest.mostTokens else { throw .malformed }
      var permits: [[UInt8]] = []
      for _ in 0..<count { permits.append(try reader.bytes()) }
      self = .permits(permits)
    case Kind.position:
      let number = try reader.number(UInt64.self)
      let chain = try reader.bytes(longest: Self.chainLength)
      guard chain.count == Self.chainLength else { throw .malformed }
      self = .position(number: number, chain: chain)
    case Kind.later: self = .later(seconds: try reader.number(UInt32.self))
    case _: return nil
    }
  }
}
