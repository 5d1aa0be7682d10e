/// Builds a binary record: big-endian numbers, byte strings with their length before them.
public struct ByteWriter: Sendable {
  /// What has been written.
  public private(set) var bytes: [UInt8] = []

  /// Starts empty.
  public init() { bytes.reserveCapacity(512) }

  /// Appends a number, most significant byte first.
  public mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    var shift = Number.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(truncatingIfNeeded: shift)))
    }
  }

  /// Appends zeros until there are `count` bytes.
  public mutating func pad(to count: Int) {
    while bytes.count < count { bytes.append(0) }
  }

  /// Appends bytes as they are.
  public mutating func write(_ raw: [UInt8]) { bytes += raw }

  /// Appends a byte string of at most 255 bytes, its length first. What is longer is cut; callers
  /// hold only values that are not.
  public mutating func writeShort(_ string: [UInt8]) {
    let string = string.prefix(255)
    bytes.append(UInt8(truncatingIfNeeded: string.count))
    bytes += string
  }
}
