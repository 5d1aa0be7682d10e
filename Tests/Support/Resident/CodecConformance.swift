import MFABase
import MFAWire
import Testing

/// The rules for the packets of one kind: what is read, is encoded to the same bytes.
package struct CodecConformance<Content: WireMessage & ~Copyable>: Sendable {
  /// The name of the message, for failures.
  private let name: String
  /// Messages with every field and every case.
  private let samples: [@Sendable () -> Content]
  /// Returns a text with every field.
  private let text: @Sendable (borrowing Content) -> String

  /// Creates the rules.
  package init(
    name: String, samples: [@Sendable () -> Content],
    text: @escaping @Sendable (borrowing Content) -> String
  ) {
    self.name = name
    self.samples = samples
    self.text = text
  }

  /// Checks everything, and that of the packets with another byte as many were read and refused.
  package func holds(read: Int, refused: Int) throws {
    try readsBack()
    try refusesOtherLengths()
    let changed = try readsChangedBytesExactly()
    #expect(changed.read > read && changed.refused > refused, "\(name): \(changed)")
  }

  /// Returns the packet of a message, or nil if it would be too long.
  package func packetIfWritten(_ message: consuming Content) -> [UInt8]? {
    guard let packet = message.packet() else { return nil }
    return packet.span.copied()
  }

  /// Returns the packet of a message.
  package func packet(_ message: consuming Content) throws -> [UInt8] {
    let packet = packetIfWritten(message)
    return try #require(packet)
  }

  /// Reads a packet and returns the packet of the message in it, or nil if the packet is refused.
  package func reread(_ packet: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      return packetIfWritten(try Content(packet: SecretBytes(copying: packet.span)))
    } catch {
      return nil
    }
  }

  /// Checks that every sample is read back equal.
  package func readsBack() throws {
    for (number, sample) in samples.enumerated() {
      let packet = try packet(sample())
      #expect(reread(packet) == packet, "\(name) \(number)")
      let read = try Content(packet: SecretBytes(copying: packet.span))
      let (found, expected) = (text(read), text(sample()))
      #expect(found == expected, "\(name) \(number)")
    }
  }

  /// Checks that no part of a packet is a packet, and that nothing may follow one.
  package func refusesOtherLengths() throws {
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
  package func readsChangedBytesExactly() throws -> (read: Int, refused: Int) {
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

  /// Checks that a field of `longest` bytes is read, and that a longer one is neither written nor read. `message`
  /// returns a message with these bytes.
  package func limits(_ field: String, to longest: Int, _ message: ([UInt8]) -> Content) throws {
    let bytes = [UInt8](repeating: 0x61, count: longest)
    let packet = try packet(message(bytes))
    #expect(reread(packet) == packet, "\(field)")
    let isWritten = packetIfWritten(message(bytes + [0x61])) != nil
    #expect(!isWritten, "\(field)")
    let start = try #require(
      packet.indices.first { packet[$0...].starts(with: bytes) }, "\(field)")
    var longer = packet
    longer.insert(0x61, at: start)
    longer[start - 2] = UInt8(truncatingIfNeeded: (longest + 1) >> 8)
    longer[start - 1] = UInt8(truncatingIfNeeded: longest + 1)
    #expect(reread(longer) == nil, "\(field)")
  }

  private static func otherBytes(than byte: UInt8, all: Bool) -> Set<UInt8> {
    let others =
      all
      ? Set(UInt8.min...UInt8.max)
      : Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 0x7F, 0x80, 0xFF, byte &+ 1, byte &- 1, byte ^ 0x80])
    return others.subtracting([byte])
  }
}

extension CodecConformance where Content: Sendable {
  /// Creates the rules for messages that can be copied.
  package init(name: String, _ samples: [Content]) {
    self.init(name: name, samples: samples.map { sample in { sample } }, text: { "\($0)" })
  }
}
