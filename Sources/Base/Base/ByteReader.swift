/// A decoder for binary records that never reads past their end.
package struct ByteReader: ~Escapable {
  /// The bytes that have not been read.
  private var rest: Span<UInt8>

  /// The number of all bytes.
  private let count: Int

  /// Creates a reader at the beginning of `bytes`.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) {
    rest = bytes
    count = bytes.count
  }

  /// The number of bytes read so far.
  package var position: Int { count &- rest.count }

  /// Whether all bytes have been read.
  package var isAtEnd: Bool { rest.isEmpty }

  /// Whether the remaining bytes are all zeros.
  package var isRestZero: Bool {
    for index in rest.indices where rest[index] != 0 { return false }
    return true
  }

  /// Takes the next `count` bytes. Returns nil if fewer are left.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  private mutating func take(_ count: Int) -> Span<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    let taken = rest.extracting(first: count)
    rest = rest.extracting(droppingFirst: count)
    return taken
  }

  /// Reads `count` bytes. Returns nil if fewer are left.
  @_lifetime(self: copy self)
  package mutating func read(count: Int) -> [UInt8]? { take(count)?.copied() }

  /// Reads a number, most significant byte first. Returns nil if too few bytes are left.
  @_lifetime(self: copy self)
  package mutating func read<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    readNumber(ofLength: Number.bitWidth / 8).map { Number(truncatingIfNeeded: $0) }
  }

  /// Reads a number of up to eight bytes. All widths share it, to keep the module small.
  @inline(never)
  @_lifetime(self: copy self)
  private mutating func readNumber(ofLength count: Int) -> UInt64? {
    guard let field = take(count) else { return nil }
    var number: UInt64 = 0
    for index in field.indices { number = number << 8 | UInt64(field[index]) }
    return number
  }

  /// Reads a byte string preceded by one byte of length. Returns nil if too few bytes are left.
  @_lifetime(self: copy self)
  package mutating func readShort() -> [UInt8]? {
    let start = rest
    guard let count = read(UInt8.self), let string = read(count: Int(count)) else {
      rest = start
      return nil
    }
    return string
  }
}
