import MFABase

/// A message from the service to the helper, in a conversation about a user's factors. SERVICE.md defines
/// the encoding.
///
/// MUST 1: an encoded message parses to an equal value, and no other bytes parse.
/// (`ServiceMessageTests`)
package enum ServiceMessage: ~Copyable {
  /// The service has too many conversations. Sent in place of any other message.
  case busy
  /// Has the helper wait for a request of its client, at most this many seconds.
  case readClient(seconds: UInt32)
  /// Has the helper send a frame to its client.
  case writeClient(SecretBytes)
  /// Has the helper ask PAM whether the user owns the account.
  case prove(account: [UInt8])

  private enum Kind {
    static let busy: UInt8 = 0x90
    static let readClient: UInt8 = 0x91
    static let writeClient: UInt8 = 0x92
    static let prove: UInt8 = 0x93
  }

  /// Appends the message to a packet.
  package consuming func write(to writer: inout PacketWriter) {
    switch consume self {
    case .busy: writer.begin(Kind.busy)
    case .readClient(let seconds):
      writer.begin(Kind.readClient)
      writer.field(seconds)
    case .writeClient(let frame):
      writer.begin(Kind.writeClient)
      writer.field(frame.span)
    case .prove(let account):
      writer.begin(Kind.prove)
      writer.field(account)
    }
    writer.end()
  }

  /// Reads the next message of a packet. Returns nil at the end of the packet.
  @_lifetime(reader: copy reader)
  package static func next(_ reader: inout PacketReader) throws(PacketError) -> ServiceMessage? {
    guard let kind = try reader.next() else { return nil }
    switch kind {
    case Kind.busy: return .busy
    case Kind.readClient: return .readClient(seconds: try reader.number(UInt32.self))
    case Kind.writeClient: return .writeClient(try reader.secret())
    case Kind.prove: return .prove(account: try reader.bytes(longest: 255))
    case let kind: throw .unknownKind(kind)
    }
  }
}
