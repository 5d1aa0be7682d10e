import MFABase

/// Helpers for the words of a service file.
enum Word {
  /// Returns whether a word equals `expected`, ignoring its case.
  static func equals(_ word: [UInt8], _ expected: StaticString) -> Bool {
    lowercased(word) == expected.bytes
  }

  static func bytes(_ word: StaticString) -> [UInt8] { word.bytes }

  static func lowercased(_ word: [UInt8]) -> [UInt8] {
    word.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Returns whether a name consists of letters, digits and `-_.+@` and does not begin with a dot.
  static func isFileName(_ name: [UInt8]) -> Bool {
    guard !name.isEmpty, name.count <= 128, name.first != UInt8(ascii: ".") else { return false }
    return name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "@"):
        true
      default: false
      }
    }
  }
}
