import MFABase
import MFAModel

/// The content of a packet. It lists its fields once, and a coder reads or writes them.
package protocol WireMessage: ~Copyable {
  /// The first byte of a packet with this message.
  static var kind: UInt8 { get }

  /// Creates a message whose fields are read next.
  init()

  /// Reads or writes each field, in the order of the packet.
  mutating func fields(_ coder: inout Coder) throws(PacketError)
}

extension WireMessage where Self: ~Copyable {
  /// Reads the packet of a message of this kind.
  package init(packet: consuming SecretBytes) throws(PacketError) {
    var coder = Coder(reading: packet)
    self.init()
    try coder.constant(Self.kind)
    try coder.constant(Coder.version)
    try fields(&coder)
    guard coder.isAtEnd else { throw .malformed }
  }

  /// Returns the packet, or nil if it would be too long.
  package mutating func packet() -> SecretBytes? {
    var coder = Coder()
    do throws(PacketError) {
      try coder.constant(Self.kind)
      try coder.constant(Coder.version)
      try fields(&coder)
    } catch {
      return nil
    }
    return coder.finish()
  }
}

/// Reads or writes the fields of a message in one packet. Numbers have their most significant byte
/// first. A string of bytes is preceded by its length in two bytes, and a list by its length in one.
///
/// MUST 1: a packet that was written is read as an equal message, and no other bytes are read.
/// (`CodingTests`)
/// MUST 2: nothing is read beyond the end of a packet, and no memory is allocated for a length that the
/// packet does not have. (`CodingTests`)
package struct Coder: ~Copyable {
  private var buffer: SecretBytes
  /// The number of bytes that were read or written.
  private var position = 0
  /// Whether fields are read, and not written.
  package let isReading: Bool

  /// The version of all packets.
  package static let version: UInt8 = 1
  /// The longest packet in bytes.
  package static let longest = 65_536

  /// Begins to read a packet.
  package init(reading packet: consuming SecretBytes) {
    buffer = packet
    isReading = true
  }

  /// Begins to write a packet.
  package init() {
    buffer = SecretBytes(count: 512)
    isReading = false
  }

  /// Whether a packet was read to its end.
  package var isAtEnd: Bool { isReading && position == buffer.count }

  /// Returns the packet that was written.
  package consuming func finish() -> SecretBytes { buffer.prefix(position) }

  // MARK: Fields

  /// A byte that has to be the same in every packet.
  package mutating func constant(_ value: UInt8) throws(PacketError) {
    var found = value
    try number(&found)
    guard found == value else { throw .malformed }
  }

  /// A number.
  package mutating func number<Number: FixedWidthInteger>(
    _ value: inout Number
  ) throws(PacketError) {
    var number = UInt64(truncatingIfNeeded: value)
    try self.number(&number, count: Number.bitWidth / 8)
    value = Number(truncatingIfNeeded: number)
  }

  /// A number of `count` bytes. All fields with numbers share this function, which keeps the module small.
  @inline(never)
  private mutating func number(_ value: inout UInt64, count: Int) throws(PacketError) {
    let start = try advance(count)
    if isReading {
      value = 0
      for index in 0..<count { value = value << 8 | UInt64(buffer.span[start &+ index]) }
      return
    }
    let written = value
    buffer.withMutableSpan { buffer in
      for index in 0..<count {
        let shift = UInt64(truncatingIfNeeded: 8 &* (count &- 1 &- index))
        buffer[start &+ index] = UInt8(truncatingIfNeeded: written >> shift)
      }
    }
  }

  /// 0 or 1.
  package mutating func flag(_ value: inout Bool) throws(PacketError) {
    var number: UInt8 = value ? 1 : 0
    try self.number(&number)
    guard number <= 1 else { throw .malformed }
    value = number == 1
  }

  /// One of several values.
  package mutating func choice<Value: RawRepresentable>(
    _ value: inout Value
  ) throws(PacketError) where Value.RawValue == UInt8 {
    var number = value.rawValue
    try self.number(&number)
    guard let found = Value(rawValue: number) else { throw .malformed }
    value = found
  }

  /// A string of at most `longest` bytes.
  package mutating func bytes(
    _ value: inout [UInt8], longest: Int = longest
  ) throws(PacketError) {
    let range = try string(value.span, longest)
    if isReading { value = buffer.span.part(from: range.lowerBound, count: range.count).copied() }
  }

  /// A flag, and a string if it is 1.
  package mutating func bytes(
    _ value: inout [UInt8]?, longest: Int = longest
  ) throws(PacketError) {
    var isThere = value != nil
    try flag(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var bytes = value ?? []
    try self.bytes(&bytes, longest: longest)
    value = bytes
  }

  /// A string that contains a secret or what a user typed.
  package mutating func secret(
    _ value: inout SecretBytes, longest: Int = longest
  ) throws(PacketError) {
    let range = try string(value.span, longest)
    if isReading { value = SecretBytes(copying: buffer.span, in: range) }
  }

  /// The identifier of a factor, a record or a grant.
  package mutating func identifier<ID: RandomIdentifier>(_ id: inout ID) throws(PacketError) {
    var bytes = id.bytes
    try self.bytes(&bytes, longest: ID.length)
    guard let found = ID(bytes: bytes) else { throw .malformed }
    id = found
  }

  /// An identifier, or an empty string.
  package mutating func identifier<ID: RandomIdentifier>(_ id: inout ID?) throws(PacketError) {
    var bytes = id?.bytes ?? []
    try self.bytes(&bytes, longest: ID.length)
    id = ID(bytes: bytes)
    guard bytes.isEmpty || id != nil else { throw .malformed }
  }

  /// The parameters of one-time passwords.
  package mutating func parameters(_ parameters: inout TOTPParameters) throws(PacketError) {
    var (algorithm, length) = (parameters.algorithm, parameters.codeLength)
    var period = parameters.period
    try choice(&algorithm)
    try choice(&length)
    try number(&period)
    guard let found = TOTPParameters(algorithm: algorithm, codeLength: length, period: period)
    else { throw .malformed }
    parameters = found
  }

  /// A text in memory that is wiped.
  package mutating func text(_ text: inout PrivateText, longest: Int) throws(PacketError) {
    var bytes = text.copy()
    try secret(&bytes, longest: longest)
    text = PrivateText(bytes)
  }

  /// A flag, and a value if it is 1, which codes itself by `fields`.
  package mutating func optional<Value>(
    _ value: inout Value?, placeholder: Value,
    _ fields: (inout Value, inout Coder) throws(PacketError) -> Void
  ) throws(PacketError) {
    var isThere = value != nil
    try flag(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var present = value ?? placeholder
    try fields(&present, &self)
    value = present
  }

  /// A list of strings.
  package mutating func strings(
    _ values: inout [[UInt8]], most: UInt8, longest: Int = longest
  ) throws(PacketError) {
    for index in try count(&values, most: most, placeholder: []) {
      try bytes(&values[index], longest: longest)
    }
  }

  /// A list of values, each of which codes itself by `fields`.
  package mutating func list<Element>(
    _ values: inout [Element], most: UInt8, placeholder: Element,
    _ fields: (inout Element, inout Coder) throws(PacketError) -> Void
  ) throws(PacketError) {
    for index in try count(&values, most: most, placeholder: placeholder) {
      try fields(&values[index], &self)
    }
  }

  // MARK: Bytes

  /// The number of elements. A list that is read has as many placeholders afterwards, whose fields
  /// follow.
  private mutating func count<Element>(
    _ values: inout [Element], most: UInt8, placeholder: Element
  ) throws(PacketError) -> Range<Int> {
    guard isReading || values.count <= Int(most) else { throw .malformed }
    var count = UInt8(truncatingIfNeeded: values.count)
    try number(&count)
    guard count <= most else { throw .malformed }
    if isReading { values = Array(repeating: placeholder, count: Int(count)) }
    return 0..<Int(count)
  }

  /// The length of a string and its bytes. Returns where they are.
  private mutating func string(
    _ written: Span<UInt8>, _ longest: Int
  ) throws(PacketError) -> Range<Int> {
    guard isReading || written.count <= min(longest, Int(UInt16.max)) else { throw .malformed }
    var length = UInt16(truncatingIfNeeded: written.count)
    try number(&length)
    guard Int(length) <= longest else { throw .malformed }
    let start = try advance(Int(length))
    if !isReading {
      buffer.withMutableSpan { buffer in
        for index in written.indices { buffer[start &+ index] = written[index] }
      }
    }
    return start..<position
  }

  /// Moves past `count` bytes, and returns where they begin.
  private mutating func advance(_ count: Int) throws(PacketError) -> Int {
    let start = position
    guard count >= 0, count <= (isReading ? buffer.count : Self.longest) &- start else {
      throw .malformed
    }
    position = start &+ count
    if !isReading, position > buffer.count {
      var larger = SecretBytes(count: min(max(2 &* buffer.count, position), Self.longest))
      larger.withMutableSpan { larger in
        for index in 0..<start { larger[index] = buffer.span[index] }
      }
      buffer = larger
    }
    return start
  }
}
