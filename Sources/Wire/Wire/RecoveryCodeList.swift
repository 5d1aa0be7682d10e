import MFABase

/// Recovery codes in the form in which they are shown, once: four groups of four letters and
/// digits, with hyphens.
///
/// They are stored in one block because an array cannot hold noncopyable values.
package struct RecoveryCodeList: ~Copyable, Sendable {
  /// The codes, each of `codeLength` bytes, with nothing between them.
  package private(set) var text: SecretBytes

  /// The length of a code in bytes.
  package static let codeLength = 19

  /// The maximum number of codes in a set.
  package static let mostCodes: UInt8 = 10

  /// Takes ownership of the codes. A malformed list cannot be sent.
  package init(text: consuming SecretBytes) { self.text = text }

  /// The number of codes.
  package var count: Int { text.count / Self.codeLength }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.secrets(&text, most: Self.mostCodes, each: Self.codeLength)
    guard isWellFormed else { throw .malformed }
  }

  /// Whether each code has its form.
  private var isWellFormed: Bool {
    let text = text.span
    for index in text.indices {
      let isHyphen = text[index] == UInt8(ascii: "-")
      guard isHyphen == (index % Self.codeLength % 5 == 4) else { return false }
      guard isHyphen || Self.isLetterOrDigit(text[index]) else { return false }
    }
    return true
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
