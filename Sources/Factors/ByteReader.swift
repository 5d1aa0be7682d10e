import Secrets

/// Takes a binary record apart, never past its end.
public struct ByteReader: ~Escapable {
  private let bytes: Span<UInt8>

  /// How many bytes have been taken.
  public private(set) var position = 0

  /// Starts at the first of `bytes`.
  @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Whether everything has been taken.
  public var isAtEnd: Bool { position == bytes.count }

  /// Whether nothing is left but zeros.
  public var isRestZero: Bool {
    for index in position..<bytes.count where bytes[index] != 0 { return false }
    return true
  }

  /// Takes `count` bytes, or nil when fewer are left.
  @_lifetime(self: copy self)
  public mutating func read(count: Int) -> [UInt8]? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    let result = bytes.extracting(position..<position + count).copied()
    position += count
    return result
  }

  /// Takes a number, most significant byte first.
  @_lifetime(self: copy self)
  public mutating func read<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    let count = Number.bitWidth / 8
    guard count <= bytes.count - position else { return nil }
    var number: Number = 0
    for index in position..<position + count {
      number = number << 8 | Number(truncatingIfNeeded: bytes[index])
    }
    position += count
    return number
  }

  /// Takes a byte string with one byte of length before it.
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
