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
}
