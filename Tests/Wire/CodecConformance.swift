import MFABase
import Testing

@testable import MFAWire

/// The rules for the packets of one kind: what is read, is encoded to the same bytes.
struct CodecConformance<Content: WireMessage & ~Copyable>: Sendable {
  /// The name of the message, for failures.
  let name: String
  /// Messages with every field and every case.
  let samples: [@Sendable () -> Content]
  /// Returns a text with every field.
  let text: @Sendable (borrowing Content) -> String

  /// Returns the packet of a message, or nil if it would be too long.
  func packetIfWritten(_ message: consuming Content) -> [UInt8]? {
    guard let packet = message.packet() else { return nil }
    return packet.span.copied()
  }

  /// Returns the packet of a message.
  func packet(_ message: consuming Content) throws -> [UInt8] {
    let packet = packetIfWritten(message)
    return try #require(packet)
  }

  /// Reads a packet and returns the packet of the message in it, or nil if the packet is refused.
  func reread(_ packet: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      return packetIfWritten(try Content(packet: SecretBytes(copying: packet.span)))
    } catch {
      return nil
    }
  }

  /// Checks that every sample is read back equal.
  func readsBack() throws {
    for (number, sample) in samples.enumerated() {
      let packet = try packet(sample())
      #expect(reread(packet) == packet, "\(name) \(number)")
      let read = try Content(packet: SecretBytes(copying: packet.span))
      let (found, expected) = (text(read), text(sample()))
      #expect(found == expected, "\(name) \(number)")
    }
  }

  /// Checks that no part of a packet is a packet, and that nothing may follow one.
  func refusesOtherLengths() throws {
    for (number, sample) in samples.enumerated() {
      let packet = try packet(sample())
      for count in packet.indices {
        #expect(reread(Array(packet[..<count])) == nil, "\(name) \(number): \(count) bytes")
      }
      for byte in UInt8.min...UInt8.max {
        #expect(reread(packet + [byte]) == nil, "\(name) \(number): followed by \(byte)")
      }
      #expect(reread(packet + packet) == nil, "\(name) \(number)")
    }
  }

  /// Checks that a packet with another byte is read exactly, or not at all. Returns how many were read and
  /// how many were not.
  func readsChangedBytesExactly() throws -> (read: Int, refused: Int) {
    var (read, refused) = (0, 0)
    for (number, sample) in samples.enumerated() {
      let packet = try packet(sample())
      for index in packet.indices {
        for byte in Self.otherBytes(than: packet[index], all: index < 4) {
          var changed = packet
          changed[index] = byte
          guard let again = reread(changed) else {
            refused += 1
            continue
          }
          read += 1
          #expect(again == changed, "\(name) \(number): byte \(index) is \(byte)")
        }
      }
    }
    return (read, refused)
  }

  private static func otherBytes(than byte: UInt8, all: Bool) -> Set<UInt8> {
    let others =
      all
      ? Set(UInt8.min...UInt8.max)
      : Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 0x7F, 0x80, 0xFF, byte &+ 1, byte &- 1, byte ^ 0x80])
    return others.subtracting([byte])
  }
}
