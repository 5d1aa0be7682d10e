import MFABase
import MFAModel
import MFAWire

// Fields that several messages of a realm have.
extension Coder {
  /// A string that is not empty, such as the name of a host, a user or a group.
  mutating func name(_ name: inout [UInt8], longest: Int = 255) throws(PacketError) {
    try bytes(&name, longest: longest)
    guard !name.isEmpty else { throw .malformed }
  }

  /// A string of `length` bytes.
  mutating func bytes(_ value: inout [UInt8], exactly length: Int) throws(PacketError) {
    try bytes(&value, longest: length)
    guard value.count == length else { throw .malformed }
  }

  /// A list whose number of elements has two bytes.
  mutating func longList<Element>(
    _ values: inout [Element], most: Int, placeholder: Element,
    _ fields: (inout Element, inout Coder) throws(PacketError) -> Void
  ) throws(PacketError) {
    var count = UInt16(clamping: values.count)
    try number(&count)
    guard count <= most else { throw .malformed }
    var read: [Element] = []
    for index in 0..<Int(count) {
      var value = isReading ? placeholder : values[index]
      try fields(&value, &self)
      if isReading { read.append(value) }
    }
    if isReading { values = read }
  }

  /// A list of strings whose number has two bytes.
  mutating func longList(
    _ values: inout [[UInt8]], most: Int, longest: Int = longest
  ) throws(PacketError) {
    try longList(&values, most: most, placeholder: []) {
      (value: inout [UInt8], coder: inout Coder) throws(PacketError) in
      try coder.bytes(&value, longest: longest)
    }
  }

  /// A list of values whose number has two bytes.
  mutating func values<Value: EncodedValue>(
    _ values: inout [Value], most: Int
  ) throws(PacketError) {
    try longList(&values, most: most, placeholder: .placeholder) {
      (value: inout Value, coder: inout Coder) throws(PacketError) in try value.fields(&coder)
    }
  }

  /// A flag, and a value if it is 1.
  mutating func value<Value: EncodedValue>(_ value: inout Value?) throws(PacketError) {
    try optional(&value, placeholder: .placeholder) {
      (value: inout Value, coder: inout Coder) throws(PacketError) in try value.fields(&coder)
    }
  }

  /// A number that a packet has with the width of `Number`.
  mutating func number<Number: FixedWidthInteger>(
    _ value: inout Int, as type: Number.Type
  ) throws(PacketError) {
    var number = Number(clamping: value)
    try self.number(&number)
    value = Int(number)
  }

  /// A flag, and a number if it is 1.
  mutating func number<Number: FixedWidthInteger>(
    _ value: inout Number?
  ) throws(PacketError) {
    try optional(&value, placeholder: 0) {
      (value: inout Number, coder: inout Coder) throws(PacketError) in try coder.number(&value)
    }
  }

  /// Bytes whose number is known.
  package mutating func raw(_ value: inout [UInt8], count: Int) throws(PacketError) {
    if isReading { value = [UInt8](repeating: 0, count: count) }
    guard value.count == count else { throw .malformed }
    for index in 0..<count { try number(&value[index]) }
  }

  /// A string of at most 255 bytes, whose length has one byte.
  package mutating func short(_ value: inout [UInt8]) throws(PacketError) {
    var count = UInt8(clamping: value.count)
    try number(&count)
    try raw(&value, count: Int(count))
  }

  /// A list of such strings, whose number has one byte.
  package mutating func shortList(
    _ values: inout [[UInt8]], most: Int
  ) throws(PacketError) {
    try list(&values, most: UInt8(most), placeholder: []) {
      (value: inout [UInt8], coder: inout Coder) throws(PacketError) in try coder.short(&value)
    }
  }
}

/// A value with an encoding of its own, for a file, a row, or a field of a packet. It lists its fields once.
package protocol EncodedValue {
  /// The longest encoding in bytes.
  static var longest: Int { get }

  /// A value whose fields are read next.
  static var placeholder: Self { get }

  /// Reads or writes each field.
  mutating func fields(_ coder: inout Coder) throws(PacketError)
}

extension EncodedValue {
  /// The most bytes that a coder can have.
  package static var longest: Int { Coder.longest }

  /// Returns the encoding; nothing if a field is out of range.
  package func encoded() -> [UInt8] {
    var value = self
    var coder = Coder()
    do throws(PacketError) { try value.fields(&coder) } catch { return [] }
    return coder.finish().span.copied()
  }

  /// Reads an encoding. Returns nil if it is malformed.
  package init?(_ encoded: Span<UInt8>) {
    guard encoded.count <= Self.longest else { return nil }
    self = .placeholder
    var coder = Coder(reading: SecretBytes(copying: encoded))
    do throws(PacketError) { try fields(&coder) } catch { return nil }
    guard coder.isAtEnd else { return nil }
  }
}
