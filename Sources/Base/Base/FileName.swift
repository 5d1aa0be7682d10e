/// One component of a path: not empty, not `.` or `..`, without `/` or NUL.
package struct FileName: Equatable, Sendable {
  /// The name as a C string, with its terminating NUL.
  let terminated: [CChar]

  /// The name.
  package let bytes: [UInt8]

  /// Creates a file name. Returns nil if `bytes` are not a single component or are too long for a
  /// file system (255 bytes).
  package init?(_ bytes: [UInt8]) {
    guard Self.isName(bytes.span) else { return nil }
    self.bytes = bytes
    terminated = cString(bytes)
  }

  /// Returns whether `bytes` are a single component and not too long for a file system.
  static func isName(_ bytes: Span<UInt8>) -> Bool {
    guard !bytes.isEmpty, bytes.count <= 255 else { return false }
    var onlyDots = true
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == 0 || byte == UInt8(ascii: "/") { return false }
      if byte != UInt8(ascii: ".") { onlyDots = false }
    }
    return !onlyDots || bytes.count > 2
  }

  /// Creates a file name from a literal; see `init(_:)`.
  package init?(_ name: StaticString) {
    self.init(name.bytes)
  }

  /// Creates the file name for any byte string. Every byte is percent-encoded except letters,
  /// digits, `-`, `_`, and a `.` that is not the first. Distinct strings have distinct names, and
  /// no name begins with a dot. Returns nil if the string is empty or the name would be longer than
  /// 240 bytes.
  package init?(percentEncoding raw: [UInt8]) {
    var name: [UInt8] = []
    name.reserveCapacity(raw.count)
    for byte in raw {
      if Self.isPlain(byte) || (byte == UInt8(ascii: ".") && !name.isEmpty) {
        name.append(byte)
      } else {
        name.append(UInt8(ascii: "%"))
        name += Hexadecimal.digits(of: byte, .upper)
      }
    }
    guard name.count <= Self.longestEncoded else { return nil }
    self.init(name)
  }

  /// The byte string from which `percentEncoding` creates this name, or nil if no byte string has
  /// this name.
  package var percentDecoded: [UInt8]? {
    // Nearly every name is encoded as itself.
    if bytes.count <= Self.longestEncoded, bytes.allSatisfy({ Self.isPlain($0) }) { return bytes }
    var raw: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        raw.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Hexadecimal.value),
        let low = rest.popFirst().flatMap(Hexadecimal.value)
      else { return nil }
      raw.append(high << 4 | low)
    }
    guard let canonical = FileName(percentEncoding: raw), canonical.bytes == bytes else {
      return nil
    }
    return raw
  }

  /// The longest encoded name in bytes, which leaves room for the characters that the name of a
  /// temporary file adds.
  private static var longestEncoded: Int { 240 }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
