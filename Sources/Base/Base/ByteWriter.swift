/// An encoder for binary records: big-endian numbers, and byte strings preceded by their length.
package struct ByteWriter: Sendable {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  package init() { bytes.reserveCapacity(512) }

  /// Appends a number, most significant byte first.
  package mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    var shift = Number.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(truncatingIfNeeded: shift)))
    }
  }

  /// Appends zeros until the length is `count` bytes.
  package mutating func pad(to count: Int) {
    guard count > bytes.count else { return }
    bytes += [UInt8](repeating: 0, count: count &- bytes.count)
  }

  /// Appends bytes unchanged.
  package mutating func write(_ raw: [UInt8]) { bytes += raw }

  /// Appends the length of a byte string and at most 255 bytes of it. Callers only pass strings
  /// that fit.
  package mutating func writeShort(_ string: [UInt8]) {
    let string = string.span.part(from: 0, count: 255).copied()
    bytes.append(UInt8(truncatingIfNeeded: string.count))
    bytes += string
  }
}
