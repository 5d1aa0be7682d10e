/// Hexadecimal text with two digits per byte.
enum Base16 {
  static func text(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

/// Base32 text (RFC 4648, section 6) without padding.
package enum Base32 {
  /// Returns the base32 text of some bytes.
  package static func text(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var text = ""
    var bits = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[bits >> count & 31])
        bits &= 1 << count - 1
      }
    }
    if count > 0 { text.append(alphabet[bits << (5 - count) & 31]) }
    return text
  }
}
