import MFABase

/// Byte strings as one message: each is preceded by its length, a `u32`.
///
/// MUST 1: no other bytes are read than those that were written. (`ByteStringsTests`)
enum ByteStrings {
  /// Returns the message.
  static func encoded(_ strings: [[UInt8]]) -> [UInt8] {
    var writer = ByteWriter()
    for string in strings {
      writer.write(UInt32(truncatingIfNeeded: string.count))
      writer.write(string)
    }
    return writer.bytes
  }

  /// Reads a message. Returns nil if it is cut off.
  static func decoded(_ message: Span<UInt8>) -> [[UInt8]]? {
    var reader = ByteReader(message)
    var strings: [[UInt8]] = []
    while !reader.isAtEnd {
      guard let count = reader.read(UInt32.self), let string = reader.read(count: Int(count)) else {
        return nil
      }
      strings.append(string)
    }
    return strings
  }
}
