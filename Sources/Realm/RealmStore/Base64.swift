/// The Base64 encoding with padding (RFC 4648, section 4), in which etcd's gateway has keys and values.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each byte; 255 for bytes that are not in the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, byte) in alphabet.enumerated() {
      values[Int(byte)] = UInt8(truncatingIfNeeded: value)
    }
    return values
  }()

  private static let padding = UInt8(ascii: "=")

  /// Appends the encoding of bytes.
  static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    let alphabet = alphabet
    var index = 0
    while index < bytes.count {
      let count = min(bytes.count - index, 3)
      var group = UInt32(bytes[index]) << 16
      if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
      if count > 2 { group |= UInt32(bytes[index + 2]) }
      text.append(alphabet[Int(group >> 18)])
      text.append(alphabet[Int(group >> 12 & 63)])
      text.append(count > 1 ? alphabet[Int(group >> 6 & 63)] : padding)
      text.append(count > 2 ? alphabet[Int(group & 63)] : padding)
      index += 3
    }
  }

  /// Decodes a text. Returns nil if it is not the one encoding of its bytes.
  static func decoded(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let values = values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var index = 0
    while index < text.count {
      let isLast = index + 4 == text.count
      let missing =
        isLast && text[index + 3] == padding ? (text[index + 2] == padding ? 2 : 1) : 0
      var group: UInt32 = 0
      for offset in 0..<4 {
        let value = offset < 4 - missing ? values[Int(text[index + offset])] : 0
        guard value < 64 else { return nil }
        group = group << 6 | UInt32(value)
      }
      // The bits that the padding leaves over must be zero.
      guard missing == 0 || group & (missing == 2 ? 0xFFFF : 0xFF) == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group >> 16))
      if missing < 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
      if missing < 1 { bytes.append(UInt8(truncatingIfNeeded: group)) }
      index += 4
    }
    return bytes
  }
}
