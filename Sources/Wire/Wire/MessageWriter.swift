import MFABase
import MFAModel

/// A builder for one message, with its frame, in memory that is wiped.
struct MessageWriter: ~Copyable {
  private var frame: SecretBytes
  private var count = Frame.headerLength
  private var isFull = false

  init(kind: UInt8) {
    frame = SecretBytes(count: Frame.headerLength + Frame.longestBody)
    put(kind)
  }

  /// Returns the message. Throws `tooLong` if it did not fit.
  consuming func finish() throws(MessageError) -> SecretBytes {
    guard !isFull else { throw .tooLong }
    let length = count - Frame.headerLength
    frame.withMutableSpan { frame in
      for index in 0..<Frame.headerLength {
        let shift = 8 * (Frame.headerLength - 1 - index)
        frame[index] = UInt8(truncatingIfNeeded: length >> shift)
      }
    }
    return frame.prefix(count)
  }

  /// Appends a field of bytes.
  mutating func field(_ bytes: Span<UInt8>) {
    guard bytes.count <= Frame.longestBody else {
      isFull = true
      return
    }
    put(UInt8(truncatingIfNeeded: bytes.count >> 8))
    put(UInt8(truncatingIfNeeded: bytes.count))
    for index in bytes.indices { put(bytes[index]) }
  }

  /// Appends a field of bytes.
  mutating func field(_ bytes: [UInt8]) { field(bytes.span) }

  /// Appends a field that contains a number, most significant byte first.
  mutating func field<Number: FixedWidthInteger>(_ number: Number) {
    var writer = ByteWriter()
    writer.write(number)
    field(writer.bytes)
  }

  /// Appends a field that contains 0 or 1.
  mutating func field(_ flag: Bool) { field(flag ? 1 as UInt8 : 0) }

  /// Appends three fields: hash function, number of digits, period.
  mutating func field(_ parameters: TOTPParameters) {
    field(parameters.algorithm.rawValue)
    field(parameters.codeLength.rawValue)
    field(parameters.period)
  }

  /// Splits `bytes` into pieces of `length` bytes. Appends their number, in one byte, and a field
  /// for each. `bytes` must consist of whole pieces, at most 255.
  mutating func fields(_ bytes: Span<UInt8>, each length: Int) {
    let count = bytes.count / length
    field(UInt8(truncatingIfNeeded: count))
    for number in 0..<count {
      field(bytes.extracting(number * length..<(number + 1) * length))
    }
  }

  private mutating func put(_ byte: UInt8) {
    guard count < frame.count else {
      isFull = true
      return
    }
    let position = count
    frame.withMutableSpan { $0[position] = byte }
    count += 1
  }
}
