import MFABase

/// A builder for a packet, in memory that is wiped. A packet is a sequence of messages.
package struct PacketWriter: ~Copyable {
  private var buffer: SecretBytes
  private var count = 0
  /// The position of the length of the message that is being written.
  private var beginning = 0
  /// Whether the packet exceeded its longest length. It then cannot be sent.
  private var isFull = false

  /// Creates an empty packet.
  package init() { buffer = SecretBytes(count: 512) }

  /// Returns the packet, or nil if it is too long.
  package consuming func finish() -> SecretBytes? {
    guard !isFull else { return nil }
    return buffer.prefix(count)
  }

  /// Begins a message. Its fields follow, and then `end`.
  package mutating func begin(_ kind: UInt8) {
    put(kind)
    beginning = count
    put(0)
    put(0)
  }

  /// Ends a message: writes its length.
  package mutating func end() {
    let length = count &- beginning &- 2
    guard length <= Packet.longestBody, !isFull else {
      isFull = true
      return
    }
    let start = beginning
    buffer.withMutableSpan { buffer in
      buffer[start] = UInt8(truncatingIfNeeded: length >> 8)
      buffer[start &+ 1] = UInt8(truncatingIfNeeded: length)
    }
  }

  /// Appends a number, most significant byte first.
  package mutating func field<Number: FixedWidthInteger>(_ number: Number) {
    var shift = Number.bitWidth
    while shift > 0 {
      shift -= 8
      put(UInt8(truncatingIfNeeded: number >> Number(truncatingIfNeeded: shift)))
    }
  }

  /// Appends 0 or 1.
  package mutating func field(_ flag: Bool) { put(flag ? 1 : 0) }

  /// Appends a length of two bytes, and the bytes.
  package mutating func field(_ bytes: Span<UInt8>) {
    guard bytes.count <= Packet.longestBody else {
      isFull = true
      return
    }
    put(UInt8(truncatingIfNeeded: bytes.count >> 8))
    put(UInt8(truncatingIfNeeded: bytes.count))
    guard makeRoom(bytes.count) else { return }
    let start = count
    buffer.withMutableSpan { buffer in
      for index in bytes.indices { buffer[start &+ index] = bytes[index] }
    }
    count &+= bytes.count
  }

  /// Appends a byte string, as above.
  package mutating func field(_ bytes: [UInt8]) { field(bytes.span) }

  /// Appends a flag, and the bytes if there are any.
  package mutating func field(_ bytes: [UInt8]?) {
    field(bytes != nil)
    if let bytes { field(bytes) }
  }

  private mutating func put(_ byte: UInt8) {
    guard makeRoom(1) else { return }
    let position = count
    buffer.withMutableSpan { $0[position] = byte }
    count &+= 1
  }

  /// Enlarges the buffer if it cannot hold `more` bytes. Returns false if the packet would become
  /// too long.
  private mutating func makeRoom(_ more: Int) -> Bool {
    let needed = count &+ more
    guard needed <= Packet.longest, !isFull else {
      isFull = true
      return false
    }
    guard needed > buffer.count else { return true }
    var larger = SecretBytes(count: min(max(2 &* buffer.count, needed), Packet.longest))
    let used = count
    larger.withMutableSpan { larger in
      for index in 0..<used { larger[index] = buffer.span[index] }
    }
    buffer = larger
    return true
  }
}
