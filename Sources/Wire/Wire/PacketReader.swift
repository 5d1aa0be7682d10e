import MFABase

/// Why a packet cannot be understood.
package enum PacketError: Error, Equatable, Sendable {
  /// A message or a field is cut off, too long or out of range, or something follows the last field.
  case malformed
  /// No message of this direction has this kind.
  case unknownKind(UInt8)
  /// `DisplayName` refuses the factor's name; the message is otherwise well formed. The helper can
  /// answer the message and continue.
  case unsupportedDisplayName
}

/// The limits of packets.
package enum Packet {
  /// The longest packet in bytes.
  package static let longest = 65_536
  /// The longest body of a message in bytes.
  package static let longestBody = 65_000
}

/// A parser for one packet that never reads past its end.
package struct PacketReader: ~Escapable {
  private let packet: Span<UInt8>
  private var position = 0
  /// The end of the message that is being read.
  private var end = 0

  /// Creates a reader at the beginning of a packet.
  @_lifetime(copy packet)
  package init(_ packet: Span<UInt8>) { self.packet = packet }

  /// Returns the kind of the next message, or nil at the end of the packet. The message before it
  /// must have been read completely.
  @_lifetime(self: copy self)
  package mutating func next() throws(PacketError) -> UInt8? {
    guard position == end else { throw .malformed }
    guard position < packet.count else { return nil }
    guard packet.count &- position >= 3 else { throw .malformed }
    let kind = packet[position]
    let length = Int(packet[position &+ 1]) << 8 | Int(packet[position &+ 2])
    position &+= 3
    guard length <= packet.count &- position else { throw .malformed }
    end = position &+ length
    return kind
  }

  /// Reads a number, most significant byte first.
  @_lifetime(self: copy self)
  package mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type
  ) throws(PacketError) -> Number {
    let range = try range(Number.bitWidth / 8)
    var number: Number = 0
    for index in range { number = number << 8 | Number(truncatingIfNeeded: packet[index]) }
    return number
  }

  /// Reads 0 or 1.
  @_lifetime(self: copy self)
  package mutating func flag() throws(PacketError) -> Bool {
    switch try number(UInt8.self) {
    case 0: false
    case 1: true
    case _: throw .malformed
    }
  }

  /// Reads a byte string of at most `longest` bytes.
  @_lifetime(self: copy self)
  package mutating func bytes(longest: Int = Packet.longestBody) throws(PacketError) -> [UInt8] {
    let range = try string(longest)
    return packet.part(from: range.lowerBound, count: range.count).copied()
  }

  /// Reads a byte string that contains a secret or user input.
  @_lifetime(self: copy self)
  package mutating func secret(longest: Int = Packet.longestBody) throws(PacketError) -> SecretBytes
  {
    SecretBytes(copying: packet, in: try string(longest))
  }

  /// Reads a flag, and a byte string if the flag is 1.
  @_lifetime(self: copy self)
  package mutating func optionalBytes(
    longest: Int = Packet.longestBody
  ) throws(PacketError) -> [UInt8]? {
    try flag() ? try bytes(longest: longest) : nil
  }

  @_lifetime(self: copy self)
  private mutating func string(_ longest: Int) throws(PacketError) -> Range<Int> {
    let count = Int(try number(UInt16.self))
    guard count <= longest else { throw .malformed }
    return try range(count)
  }

  @_lifetime(self: copy self)
  private mutating func range(_ count: Int) throws(PacketError) -> Range<Int> {
    guard count <= end &- position else { throw .malformed }
    let start = position
    position &+= count
    return start..<position
  }
}
