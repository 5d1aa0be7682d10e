/// What names a factor for good: 16 random bytes, made when it is enrolled (the factor's `uid`).
public struct FactorID: Equatable, Sendable {
  /// The length in bytes.
  public static let length = 16

  /// The bytes.
  public let bytes: [UInt8]

  /// Sixteen zero bytes: the id of no record.
  public static var zero: FactorID { FactorID() }

  private init() { bytes = [UInt8](repeating: 0, count: Self.length) }

  /// Nil when there are not 16 of them.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Reads what `hexadecimal` writes, in lower case only. Nil for anything else.
  public init?(hexadecimal text: [UInt8]) {
    guard text.count == 2 * Self.length else { return nil }
    var bytes: [UInt8] = []
    for index in 0..<Self.length {
      guard let high = Self.value(text[2 * index]), let low = Self.value(text[2 * index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  /// The bytes as 32 hexadecimal digits, in ASCII.
  public var hexadecimal: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(2 * Self.length)
    for byte in bytes {
      text.append(Self.digit(byte >> 4))
      text.append(Self.digit(byte & 15))
    }
    return text
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
