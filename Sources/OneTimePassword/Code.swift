public import Secrets

/// A one-time password as a number with a length: `000 123` is 123 with six digits.
public struct Code: Sendable {
  /// The number, below `length.modulus`.
  public let value: UInt32

  /// The number of digits it is written with.
  public let length: CodeLength

  init(value: UInt32, length: CodeLength) {
    self.value = value
    self.length = length
  }

  /// Reads what a person typed: six to eight ASCII digits, with spaces anywhere, because
  /// authenticators show `123 456`. Nil for anything else; an answer longer than
  /// `longestAnswer` bytes is never a code.
  public init?(answer: Span<UInt8>) {
    guard answer.count <= Self.longestAnswer else { return nil }
    var value: UInt32 = 0
    var digits: UInt8 = 0
    for index in answer.indices {
      let byte = answer[index]
      if byte == UInt8(ascii: " ") { continue }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 8 else { return nil }
      value = value * 10 + UInt32(byte - UInt8(ascii: "0"))
      digits += 1
    }
    guard let length = CodeLength(rawValue: digits) else { return nil }
    self.init(value: value, length: length)
  }

  /// The longest answer in bytes that is looked at.
  public static let longestAnswer = 32

  /// The digits in ASCII.
  @export(interface)
  public func written() -> SecretBytes {
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

  /// Whether both are the same code: all ones or zero, in a time that depends on neither.
  public func mask(equals other: Code) -> UInt32 {
    constantTimeMask(value, equals: other.value)
      & constantTimeMask(UInt32(length.rawValue), equals: UInt32(other.length.rawValue))
  }
}
