/// Hexadecimal text with two digits per byte.
enum Base16 {
  static func text(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
