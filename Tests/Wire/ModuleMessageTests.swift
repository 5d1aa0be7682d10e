@testable import MFAWire
import MFABase
import MFAResidentTestSupport
import Testing

/// MUST 1 of ModuleMessage.swift: an encoded message parses to an equal value, and no other bytes
/// parse.
@Suite("Messages of the helper to the service")
struct ModuleMessageTests {
  /// Returns the packet of a message, or nil if it is too long.
  private static func packet(_ message: consuming ModuleMessage) -> [UInt8]? {
    guard let packet = message.packet() else { return nil }
    return packet.span.copied()
  }

  /// Returns the packet of a message that is not too long. The macros of the tests can only pass a
  /// closure, because a message cannot be copied.
  private static func packet(_ message: () -> ModuleMessage) throws -> [UInt8] {
    let packet: [UInt8]? = packet(message())
    return try #require(packet)
  }

  /// Returns whether a message is too long to be sent.
  private static func isTooLong(_ message: () -> ModuleMessage) -> Bool {
    packet(message()) == nil
  }

  /// Returns the text of the message in a packet, or the error.
  private static func read(_ packet: [UInt8]) -> Result<String, PacketError> {
    do throws(PacketError) {
      return .success(MessageSamples.text(try ModuleMessage.read(packet.span)))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the packet of the message in a packet, or nil if the packet does not parse.
  private static func packetRead(from packet: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      return Self.packet(try ModuleMessage.read(packet.span))
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
    for message in MessageSamples.moduleMessages {
      let packet = try Self.packet(message)
      #expect(Self.read(packet) == .success(MessageSamples.text(message())))
    }
  }

  @Test("a packet that is cut off anywhere is malformed")
  func everyTruncationIsMalformed() throws {
    for message in MessageSamples.moduleMessages {
      let packet = try Self.packet(message)
      for count in packet.indices {
        #expect(Self.read(Array(packet[..<count])) == .failure(.malformed))
        guard count >= 3 else { continue }
        // The fields are cut off, and the length of the message is that of the rest.
        let shorter = Self.message(packet[0], Array(packet[3..<count]))
        #expect(
          Self.read(shorter) == .failure(.malformed), "\(MessageSamples.text(message())) \(count)")
      }
    }
  }

  @Test("nothing may follow the last field, or the message")
  func trailingBytesAreMalformed() throws {
    for message in MessageSamples.moduleMessages {
      let packet = try Self.packet(message)
      #expect(Self.read(packet + [0]) == .failure(.malformed))
      #expect(Self.read(packet + packet) == .failure(.malformed))
      let longer = Self.message(packet[0], Array(packet[3...]) + [0])
      #expect(Self.read(longer) == .failure(.malformed), "\(MessageSamples.text(message()))")
    }
  }

  @Test("a packet with any other byte parses to what encodes to the same bytes, or not at all")
  func encodingIsCanonical() throws {
    for message in MessageSamples.moduleMessages {
      let packet = try Self.packet(message)
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

  @Test("a message of an unknown kind, or of the service, is refused")
  func unknownKindsAreRefused() {
    let kinds: Set<UInt8> = [0x11, 0x12, 0x13, 0x14]
    for kind in UInt8.min...UInt8.max where !kinds.contains(kind) {
      #expect(Self.read(Self.message(kind, [])) == .failure(.unknownKind(kind)))
    }
  }

  @Test("a conversation of another version is refused")
  func otherVersionIsRefused() throws {
    for message in MessageSamples.moduleMessages.prefix(2) {
      var packet = try Self.packet(message)
      for version in UInt8.min...UInt8.max {
        packet[3] = version
        #expect((Self.packetRead(from: packet) != nil) == (version == 1), "\(version)")
      }
    }
  }

  @Test("a message of at most 65,000 bytes is sent, and a longer one is not")
  func longMessagesAreNotSent() throws {
    let longest = 65_000 - 2
    let packet = try Self.packet { .clientRequest(SecretBytes(count: longest)) }
    #expect(packet.count == 65_003)
    #expect(Self.packetRead(from: packet) == packet)
    for count in [65_000 - 1, 65_000, 65_001, 65_536, 100_000] {
      #expect(Self.isTooLong { .clientRequest(SecretBytes(count: count)) }, "\(count)")
    }
  }

  @Test("a terminal of the longest length is read, and a longer one is malformed")
  func longTerminalIsMalformed() throws {
    for extra in 0...1 {
      let item = [UInt8](repeating: 0x61, count: SignInRequest.longestItem + extra)
      let packet = try Self.packet { .manage(terminal: item) }
      #expect((Self.packetRead(from: packet) == packet) == (extra == 0))
    }
  }
}
