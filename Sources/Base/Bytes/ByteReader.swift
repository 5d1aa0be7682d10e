/// A decoder for binary records that never reads past their end.
public struct ByteReader: ~Escapable {
  private let bytes: Span<UInt8>

  /// The number of bytes read so far.
  public private(set) var position = 0

  /// Creates a reader at the beginning of `bytes`.
  @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Whether all bytes have been read.
  public var isAtEnd: Bool { position == bytes.count }

  /// Whether the remaining bytes are all zeros.
  public var isRestZero: Bool {
    for index in position..<bytes.count where bytes[index] != 0 { return false }
    return true
  }

  /// Reads `count` bytes. Returns nil if fewer are left.
  @_lifetime(self: copy self)
  public mutating func read(count: Int) -> [UInt8]? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    let result = bytes.extracting(position..<position + count).copied()
    position += count
    return result
  }

  /// Reads a number, most significant byte first. Returns nil if too few bytes are left.
  @_lifetime(self: copy self)
  public mutating func read<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    readNumber(ofLength: Number.bitWidth / 8).map { Number(truncatingIfNeeded: $0) }
  }

  /// Reads a number of up to eight bytes. One function for every width, to keep the module small.
  @inline(never)
  @_lifetime(self: copy self)
  private mutating func readNumber(ofLength count: Int) -> UInt64? {
    guard count <= bytes.count - position else { return nil }
    var number: UInt64 = 0
    for index in position..<position + count { number = number << 8 | UInt64(bytes[index]) }
    position += count
    return number
  }

  /// Reads a byte string preceded by one byte of length. Returns nil if too few bytes are left.
  @_lifetime(self: copy self)
  public mutating func readShort() -> [UInt8]? {
    let start = position
    guard let count = read(UInt8.self), let string = read(count: Int(count)) else {
      position = start
      return nil
    }
    return string
  }
}
