import MFABase

/// Characters that keyboards, input methods and printed sheets have in place of those of a code.
enum TypedText {
  /// Returns an answer in UTF-8 with full-width letters and digits as those of ASCII, every dash as a hyphen, and
  /// every space as U+0020. Other characters stay as they are.
  ///
  /// The answer is not longer than the caller's limit, so neither is the result.
  static func inASCII(_ answer: Span<UInt8>) -> SecretBytes {
    var text = SecretBytes(count: answer.count)
    var count = 0
    var index = 0
    while index < answer.count {
      let (byte, length) = character(at: index, of: answer)
      let position = count
      text.withMutableSpan { $0[position] = byte }
      count &+= 1
      index &+= length
    }
    return text.prefix(count)
  }

  /// Returns the character at `index` and its length in bytes, or the byte there if it is none of those that are
  /// replaced.
  private static func character(at index: Int, of answer: Span<UInt8>) -> (UInt8, Int) {
    let (space, hyphen) = (UInt8(ascii: " "), UInt8(ascii: "-"))
    let first = answer[index]
    guard answer.count &- index >= 2 else { return (first, 1) }
    let second = answer[index &+ 1]
    // U+00A0, no-break space.
    if first == 0xC2, second == 0xA0 { return (space, 2) }
    guard answer.count &- index >= 3 else { return (first, 1) }
    let third = answer[index &+ 2]
    switch (first, second, third) {
    // U+2000 to U+200B, the spaces of typography; U+202F, the narrow no-break space; U+3000, the ideographic space.
    case (0xE2, 0x80, 0x80...0x8B), (0xE2, 0x80, 0xAF), (0xE3, 0x80, 0x80): return (space, 3)
    // U+2010 to U+2015, hyphens and dashes; U+2212, the minus sign; U+FF0D, the full-width hyphen.
    case (0xE2, 0x80, 0x90...0x95), (0xE2, 0x88, 0x92), (0xEF, 0xBC, 0x8D): return (hyphen, 3)
    // U+FF0B, the full-width plus sign.
    case (0xEF, 0xBC, 0x8B): return (UInt8(ascii: "+"), 3)
    // U+FF10 to U+FF19, U+FF21 to U+FF3A, U+FF41 to U+FF5A: full-width digits and letters.
    case (0xEF, 0xBC, 0x90...0x99): return (UInt8(ascii: "0") &+ (third &- 0x90), 3)
    case (0xEF, 0xBC, 0xA1...0xBA): return (UInt8(ascii: "A") &+ (third &- 0xA1), 3)
    case (0xEF, 0xBD, 0x81...0x9A): return (UInt8(ascii: "a") &+ (third &- 0x81), 3)
    default: return (first, 1)
    }
  }
}
