import MFABase

/// A recovery code: 80 random bits for a user who has lost every authenticator. It is valid for one
/// use.
///
/// NIST SP 800-63B-4, section 3.1.2, calls these look-up secrets. The written form has four groups
/// of four base32 characters (RFC 4648, section 6) in lower case: `abcd-efgh-ijkl-mnop`.
///
/// The code is not copyable, and its bytes are wiped when the value ends.
///
/// MUST 1: a written code reads back equal, with any grouping and in either case.
/// (`RecoveryCodeTests.roundTrip`, `.typed`)
package struct RecoveryCode: ~Copyable, Sendable {
  /// The 80 bits, most significant first.
  package let bytes: SecretBytes

  /// The number of random bytes in a code.
  package static let length = 10

  /// The length of a written code in bytes.
  package static let writtenLength = 19

  private static let digits = 16
  private static let groupLength = 4

  /// The maximum length of an answer in bytes, with hyphens or spaces between any two digits.
  private static let longestAnswer = 48

  /// Creates a code from `length` bytes. Returns nil for a different number of bytes.
  package init?(bytes: consuming SecretBytes) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Parses what the user typed: sixteen base32 digits in either case, with hyphens and spaces
  /// anywhere. `0`, `1` and `8`, which are not base32 digits, are read as the letters they
  /// resemble. Returns nil for any other text.
  package init?(answer: Span<UInt8>) {
    guard answer.count <= Self.longestAnswer else { return nil }
    var canonical = SecretBytes(count: Self.digits)
    var count = 0
    let fits = canonical.withMutableSpan { canonical in
      for index in answer.indices {
        let byte = answer[index]
        if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") { continue }
        guard count < Self.digits else { return false }
        canonical[count] = Self.withoutLookalikes(byte)
        count += 1
      }
      return count == Self.digits
    }
    guard fits, let bytes = Base32.decode(canonical.span) else { return nil }
    self.init(bytes: bytes)
  }

  /// Parses a code in exactly the form that `written` returns, in either case. Used for the end of
  /// an answer that begins with a password.
  package init?(written: Span<UInt8>) {
    guard written.count == Self.writtenLength else { return nil }
    for index in written.indices {
      let isHyphen = written[index] == UInt8(ascii: "-")
      guard isHyphen == (index % (Self.groupLength + 1) == Self.groupLength) else { return nil }
      guard written[index] != UInt8(ascii: " ") else { return nil }
    }
    self.init(answer: written)
  }

  /// Returns the code in its written form, in ASCII.
  @export(interface)
  package func written() -> SecretBytes {
    let text = Base32.encode(bytes.span)
    var written = SecretBytes(count: Self.writtenLength)
    written.withMutableSpan { written in
      var next = 0
      for index in text.span.indices {
        if index > 0, index % Self.groupLength == 0 {
          written[next] = UInt8(ascii: "-")
          next += 1
        }
        // This converts letters to lower case; in digits, the bit is already set.
        written[next] = text.span[index] | 0x20
        next += 1
      }
    }
    return written
  }

  private static func withoutLookalikes(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0"): UInt8(ascii: "o")
    case UInt8(ascii: "1"): UInt8(ascii: "l")
    case UInt8(ascii: "8"): UInt8(ascii: "b")
    default: byte
    }
  }
}
