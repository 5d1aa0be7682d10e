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
