import MFABase

/// A message from the helper to the service, in a conversation about a user's factors. SERVICE.md defines
/// the encoding.
///
/// MUST 1: an encoded message parses to an equal value, and no other bytes parse.
/// (`ModuleMessageTests`)
package enum ModuleMessage: ~Copyable {
  /// Begins a conversation with the caller of the helper, at this terminal.
  case manage(terminal: [UInt8]?)
  /// The frame that the helper's client sent.
  case clientRequest(SecretBytes)
  /// Why there is no frame.
  case noRequest(ClientEnd)
  /// How the proof of the account ended.
  case proven(UInt8)

  /// Why the helper's client sent no request.
  package enum ClientEnd: UInt8, Sendable {
    /// The client has ended, or was silent for too long.
    case ended = 0
    case malformed = 1
  }

  /// The only version of the protocol.
  package static let version: UInt8 = 1

  private enum Kind {
    static let manage: UInt8 = 0x11
    static let clientRequest: UInt8 = 0x12
    static let noRequest: UInt8 = 0x13
    static let proven: UInt8 = 0x14
  }

  /// Returns the message of a packet, or nil if it is malformed.
  package static func first(_ packet: Span<UInt8>) -> ModuleMessage? {
    do throws(PacketError) { return try read(packet) } catch { return nil }
  }

  /// Returns whether a packet begins a conversation of the helper.
  package static func begins(_ packet: Span<UInt8>) -> Bool {
    packet.count > 0 && packet[0] == Kind.manage
  }

  // MARK: Writing

  /// Returns a packet with this message alone, or nil if it is too long to be sent.
  package consuming func packet() -> SecretBytes? {
    var writer = PacketWriter()
    switch consume self {
    case .manage(let terminal):
      writer.begin(Kind.manage)
      writer.field(Self.version)
      writer.field(terminal)
    case .clientRequest(let body):
      writer.begin(Kind.clientRequest)
      writer.field(body.span)
    case .noRequest(let reason):
      writer.begin(Kind.noRequest)
      writer.field(reason.rawValue)
    case .proven(let result):
      writer.begin(Kind.proven)
      writer.field(result)
    }
    writer.end()
    return writer.finish()
  }

  // MARK: Reading

  /// Reads a packet that contains one message.
  package static func read(_ packet: Span<UInt8>) throws(PacketError) -> ModuleMessage {
    var reader = PacketReader(packet)
    let message = try message(&reader)
    guard try reader.next() == nil else { throw .malformed }
    return message
  }

  @_lifetime(reader: copy reader)
  private static func message(_ reader: inout PacketReader) throws(PacketError) -> ModuleMessage {
    guard let kind = try reader.next() else { throw .malformed }
    switch kind {
    case Kind.manage:
      guard try reader.number(UInt8.self) == version else { throw .malformed }
      return .manage(terminal: try reader.optionalBytes(longest: SignInRequest.longestItem))
    case Kind.clientRequest: return .clientRequest(try reader.secret())
    case Kind.noRequest:
      guard let reason = ClientEnd(rawValue: try reader.number(UInt8.self)) else {
        throw .malformed
      }
      return .noRequest(reason)
    case Kind.proven: return .proven(try reader.number(UInt8.self))
    case let kind: throw .unknownKind(kind)
    }
  }

  /// Waits for a message. Returns nil if none arrives, or if it is malformed.
  package static func receive(from connection: PacketConnection, seconds: Int64) -> ModuleMessage? {
    do throws(SystemError) {
      guard case .packet(let packet) = try connection.receive(seconds: seconds) else { return nil }
      do throws(PacketError) { return try ModuleMessage.read(packet.span) } catch { return nil }
    } catch {
      return nil
    }
  }
}
