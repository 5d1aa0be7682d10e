/// Bytes as hexadecimal digits, in ASCII and lower case.
enum Hexadecimal {
  /// Two digits a byte.
  static func text(of bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return text
  }

  /// The bytes that exactly `count` pairs of digits write; nil for anything else.
  static func bytes(of text: [UInt8], count: Int) -> [UInt8]? {
    guard text.count == 2 * count else { return nil }
    var bytes: [UInt8] = []
    for index in 0..<count {
      guard let high = value(text[2 * index]), let low = value(text[2 * index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
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
