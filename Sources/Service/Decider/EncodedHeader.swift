import MFABase

/// The text of a mail header that is not ASCII (RFC 2047).
enum EncodedHeader {
  /// The number of bytes in one encoded word. An encoded word has at most 75 characters, of which
  /// each byte takes three.
  private static var bytesInWord: Int { 18 }

  /// Returns text as it is if it is ASCII, and otherwise as encoded words in the encoding `Q`, each
  /// on a line of its own. No character is divided between words (RFC 2047, section 5).
  static func text(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 >= 0x80 }) else { return text }
    var encoded: [UInt8] = []
    var count = 0
    for (index, byte) in text.enumerated() {
      let beginsCharacter = byte & 0xC0 != 0x80
      // The longest character has four bytes.
      if index == 0 || (beginsCharacter && count &+ 4 > bytesInWord) {
        if index > 0 { encoded += ("?=\n " as StaticString).bytes }
        encoded += ("=?UTF-8?Q?" as StaticString).bytes
        count = 0
      }
      encoded.append(UInt8(ascii: "="))
      for digit in Hexadecimal.digits(of: byte, .upper) { encoded.append(digit) }
      count &+= 1
    }
    return encoded + ("?=" as StaticString).bytes
  }
}
