/// Hexadecimal digits in ASCII (RFC 4648, section 8).
package enum Hexadecimal {
  /// The case of the letters.
  package enum Letters: UInt8, Sendable {
    case lower = 0x61
    case upper = 0x41
  }

  /// Returns two digits for each byte.
  package static func text(of bytes: [UInt8], _ letters: Letters = .lower) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(2 &* bytes.count)
    for byte in bytes { text += digits(of: byte, letters) }
    return text
  }

  /// Returns the two digits of a byte.
  package static func digits(of byte: UInt8, _ letters: Letters = .lower) -> [UInt8] {
    [digit(byte >> 4, letters), digit(byte & 15, letters)]
  }

  /// Parses exactly `count` pairs of lower-case digits. Returns nil for any other text.
  package static func bytes(of text: [UInt8], count: Int) -> [UInt8]? {
    guard text.count == 2 * count, !text.contains(where: { isUpperCase($0) }) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in 0..<count {
      guard let high = value(text[2 * index]), let low = value(text[2 * index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns the value of a digit in either case, 0 to 15, or nil for any other character.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit & 15
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
      (digit & 15) &+ 9
    default: nil
    }
  }

  private static func isUpperCase(_ character: UInt8) -> Bool {
    character >= UInt8(ascii: "A") && character <= UInt8(ascii: "Z")
  }

  private static func digit(_ value: UInt8, _ letters: Letters) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : letters.rawValue &+ value &- 10
  }
}
