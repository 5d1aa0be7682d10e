import MFABase

/// A one-time password as a number with a length: `000 123` is 123 with six digits.
package struct Code: Sendable {
  /// The number, below `length.modulus`.
  package let value: UInt32

  /// The number of digits that the code is written with.
  package let length: CodeLength

  /// Creates the code with this number, which must be below `length.modulus`.
  package init(value: UInt32, length: CodeLength) {
    self.value = value
    self.length = length
  }

  /// Parses what the user typed: six to eight ASCII digits, with spaces anywhere, because
  /// authenticator apps show `123 456`. Returns nil for any other text, and for an answer longer
  /// than `longestAnswer` bytes.
  package init?(answer: Span<UInt8>) {
    guard answer.count <= Self.longestAnswer else { return nil }
    var value: UInt32 = 0
    var digits: UInt8 = 0
    for index in answer.indices {
      let byte = answer[index]
      if byte == UInt8(ascii: " ") { continue }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 8 else { return nil }
      // At most eight digits, which cannot overflow.
      value = value &* 10 &+ UInt32(byte &- UInt8(ascii: "0"))
      digits &+= 1
    }
    guard let length = CodeLength(rawValue: digits) else { return nil }
    self.init(value: value, length: length)
  }

  /// The maximum length of an answer in bytes.
  package static let longestAnswer = 32

  /// Returns the digits in ASCII.
  @export(interface)
  package func written() -> SecretBytes {
    var text = SecretBytes(count: Int(length.rawValue))
    text.withMutableSpan { text in
      var rest = value
      for index in text.indices.reversed() {
        text[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }
    return text
  }

  /// Returns all ones if both codes are equal, and zero otherwise, in a time that depends on
  /// neither code.
  package func mask(equals other: Code) -> UInt32 {
    constantTimeMask(value, equals: other.value)
      & constantTimeMask(UInt32(length.rawValue), equals: UInt32(other.length.rawValue))
  }
}
