/// Base32 (RFC 4648, section 6), in upper case and without padding. Secrets are shown to users and
/// written to otpauth URLs in this form.
package enum Base32 {
  /// Returns the text for `bytes`, in ASCII. The text must be protected like the bytes.
  package static func encode(_ bytes: Span<UInt8>) -> SecretBytes {
    var text = SecretBytes(count: (bytes.count * 8 + 4) / 5)
    text.withMutableSpan { text in
      for index in text.indices {
        let bit = index * 5
        let high = UInt16(bytes[bit / 8]) << 8
        let low = bit / 8 + 1 < bytes.count ? UInt16(bytes[bit / 8 + 1]) : 0
        let value = UInt8(truncatingIfNeeded: (high | low) >> UInt16(11 - bit % 8)) & 31
        text[index] = character(value)
      }
    }
    return text
  }

  /// Decodes `text`. Accepts either case and padding at the end, and ignores spaces and hyphens.
  ///
  /// Returns nil if there is any other character, if RFC 4648 does not allow the length, or if the
  /// unused bits are not zero.
  package static func decode(_ text: Span<UInt8>) -> SecretBytes? {
    // No sum or product below overflows: the counts are those of bytes in memory.
    var digits = 0
    var padding = 0
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: " "), UInt8(ascii: "-"): continue
      case UInt8(ascii: "="): padding &+= 1
      default:
        guard padding == 0 else { return nil }
        digits &+= 1
      }
    }
    guard [0, 2, 4, 5, 7].contains(digits % 8), padding == 0 || (digits &+ padding) % 8 == 0,
      padding < 8
    else { return nil }

    var bytes = SecretBytes(count: digits &* 5 / 8)
    let valid = bytes.withMutableSpan { bytes in
      var accumulator: UInt32 = 0
      var bits: UInt32 = 0
      var next = 0
      for index in text.indices {
        let byte = text[index]
        if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "=") {
          continue
        }
        guard let value = value(byte) else { return false }
        accumulator = (accumulator << 5 | UInt32(value)) & 0xFFF
        bits &+= 5
        if bits >= 8 {
          bits &-= 8
          bytes[next] = UInt8(truncatingIfNeeded: accumulator >> bits)
          next &+= 1
        }
      }
      return accumulator & ((1 << bits) &- 1) == 0
    }
    guard valid else { return nil }
    return bytes
  }

  /// Uses arithmetic instead of a table, so that no memory address depends on a secret.
  private static func character(_ value: UInt8) -> UInt8 {
    // 0...25 are A...Z, 26...31 are 2...7: the offset changes by 41 above 25.
    let isDigit = (25 &- value) >> 7
    return value &+ UInt8(ascii: "A") &- isDigit &* 41
  }

  private static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
    case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
    default: nil
    }
  }
}
