import MFABase
import MFAResidentTestSupport
import Testing

@testable import MFAWire

/// MUST 1 of ServiceMessage.swift: an encoded message parses to an equal value, and no other bytes
/// parse.
@Suite("Messages of the service to the helper")
struct ServiceMessageTests {
  /// Returns a packet with these messages, or nil if it is too long.
  private static func packet(_ messages: [@Sendable () -> ServiceMessage]) -> [UInt8]? {
    var writer = PacketWriter()
    for message in messages { message().write(to: &writer) }
    guard let packet = writer.finish() else { return nil }
    return packet.span.copied()
  }

  private static func packet(_ message: @escaping @Sendable () -> ServiceMessage) -> [UInt8]? {
    packet([message])
  }

  /// Returns the texts of the messages in a packet, or the error.
  private static func read(_ packet: [UInt8]) -> Result<[String], PacketError> {
    do throws(PacketError) {
      var texts: [String] = []
      var reader = PacketReader(packet.span)
      while let message = try ServiceMessage.next(&reader) {
        texts.append(MessageSamples.text(message))
      }
      return .success(texts)
    } catch {
      return .failure(error)
    }
  }

  /// Returns a packet with the messages of a packet, or nil if the packet does not parse.
  private static func packetRead(from packet: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      var writer = PacketWriter()
      var reader = PacketReader(packet.span)
      while let message = try ServiceMessage.next(&reader) { message.write(to: &writer) }
      guard let packet = writer.finish() else { return nil }
      return packet.span.copied()
    } catch {
      return nil
    }
  }

  /// The bytes of a message of this kind.
  private static func message(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
    [kind, UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
  }

  @Test("every message parses to an equal value")
  func everyMessageParses() throws {
    for message in MessageSamples.serviceMessages {
      let packet = try #require(Self.packet(message))
      #expect(Self.read(packet) == .success([MessageSamples.text(message())]))
    }
  }

  @Test("a packet contains several messages in order, or none")
  func packetsContainSeveralMessages() throws {
    let packet = try #require(Self.packet(MessageSamples.serviceMessages))
    #expect(
      Self.read(packet)
        == .success(MessageSamples.serviceMessages.map { MessageSamples.text($0()) }))
    #expect(Self.read([]) == .success([]))
  }

  @Test("a message that is cut off anywhere is malformed")
  func everyTruncationIsMalformed() throws {
    for message in MessageSamples.serviceMessages {
      let packet = try #require(Self.packet(message))
      for count in packet.indices.dropFirst() {
        #expect(Self.read(Array(packet[..<count])) == .failure(.malformed))
        #expect(Self.read(packet + packet[..<count]) == .failure(.malformed))
        guard count >= 3 else { continue }
        // The fields are cut off, and the length of the message is that of the rest.
        let shorter = Self.message(packet[0], Array(packet[3..<count]))
        #expect(
          Self.read(shorter) == .failure(.malformed), "\(MessageSamples.text(message())) \(count)")
      }
    }
  }

  @Test("nothing may follow the last field of a message")
  func trailingBytesAreMalformed() throws {
    for message in MessageSamples.serviceMessages {
      let packet = try #require(Self.packet(message))
      #expect(Self.read(packet + [0]) == .failure(.malformed))
      let longer = Self.message(packet[0], Array(packet[3...]) + [0])
      #expect(Self.read(longer) == .failure(.malformed), "\(MessageSamples.text(message()))")
      #expect(
        Self.read(longer + packet) == .failure(.malformed), "\(MessageSamples.text(message()))")
    }
  }

  @Test("a packet with any other byte parses to what encodes to the same bytes, or not at all")
  func encodingIsCanonical() throws {
    for message in MessageSamples.serviceMessages {
      let packet = try #require(Self.packet(message))
      for index in packet.indices {
        for byte in UInt8.min...UInt8.max {
          var changed = packet
          changed[index] = byte
          guard let read = Self.packetRead(from: changed) else { continue }
          #expect(read == changed)
        }
      }
    }
  }

  @Test("a message of an unknown kind, or of the helper, is refused")
  func unknownKindsAreRefused() {
    let kinds = Set<UInt8>(0x90...0x93)
    for kind in UInt8.min...UInt8.max where !kinds.contains(kind) {
      #expect(Self.read(Self.message(kind, [])) == .failure(.unknownKind(kind)))
    }
  }

  @Test("a message of at most 65,000 bytes is sent, and a longer one is not")
  func longMessagesAreNotSent() throws {
    let packet = try #require(Self.packet { .writeClient(SecretBytes(count: 65_000 - 2)) })
    #expect(packet.count == 65_003)
    #expect(Self.packetRead(from: packet) == packet)
    for count in [65_000 - 1, 65_000, 65_001, 65_536, 100_000] {
      #expect(Self.packet { .writeClient(SecretBytes(count: count)) } == nil, "\(count)")
    }
  }

  @Test("a packet of more than 65,536 bytes is not sent")
  func longPacketsAreNotSent() throws {
    let half = 65_536 / 2 - 3 - 2
    let packet = try #require(
      Self.packet([
        { .writeClient(SecretBytes(count: half)) }, { .writeClient(SecretBytes(count: half)) },
      ]))
    #expect(packet.count == Packet.longest)
    #expect(Self.packetRead(from: packet) == packet)
    let longer = Self.packet([
      { .writeClient(SecretBytes(count: half)) }, { .writeClient(SecretBytes(count: half + 1)) },
      { .busy },
    ])
    #expect(longer == nil)
  }

  @Test("the name of an account of more than 255 bytes is malformed")
  func longAccountsAreMalformed() throws {
    for count in 255...256 {
      let packet = try #require(
        Self.packet { .prove(account: [UInt8](repeating: 0x61, count: count)) })
      #expect((Self.packetRead(from: packet) == packet) == (count == 255))
    }
  }
}
