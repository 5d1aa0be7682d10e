import MFABase
import Testing

@Suite struct Base32Tests {
  struct Vector: Sendable {
    let number: Int
    let bytes: String
    let text: String
    /// The text with the padding of RFC 4648, which this module omits.
    let padded: String
  }

  /// RFC 4648, section 10.
  private static let vectors = [
    Vector(number: 1, bytes: "", text: "", padded: ""),
    Vector(number: 2, bytes: "f", text: "MY", padded: "MY======"),
    Vector(number: 3, bytes: "fo", text: "MZXQ", padded: "MZXQ===="),
    Vector(number: 4, bytes: "foo", text: "MZXW6", padded: "MZXW6==="),
    Vector(number: 5, bytes: "foob", text: "MZXW6YQ", padded: "MZXW6YQ="),
    Vector(number: 6, bytes: "fooba", text: "MZXW6YTB", padded: "MZXW6YTB"),
    Vector(number: 7, bytes: "foobar", text: "MZXW6YTBOI", padded: "MZXW6YTBOI======"),
  ]

  @Test(arguments: vectors)
  func encodes(_ row: Vector) {
    let text = Base32.encode(Array(row.bytes.utf8).span)
    #expect(text.revealed == Array(row.text.utf8), "row \(row.number)")
  }

  @Test(arguments: vectors)
  func decodes(_ row: Vector) {
    for text in [row.text, row.padded, row.text.lowercased(), row.padded.lowercased()] {
      #expect(decoded(Array(text.utf8)) == Array(row.bytes.utf8), "row \(row.number): \(text)")
    }
  }

  struct Typed: Sendable {
    let number: Int
    let text: String
    let bytes: String?
  }

  @Test(arguments: [
    Typed(number: 1, text: "mzxw 6ytb", bytes: "fooba"),
    Typed(number: 2, text: " MZXW-6YTB ", bytes: "fooba"),
    Typed(number: 3, text: "M-Z X W6=== ", bytes: "foo"),
    Typed(number: 4, text: "mZxW6yTb", bytes: "fooba"),
    Typed(number: 5, text: "   ", bytes: ""),
    // Impossible lengths.
    Typed(number: 6, text: "M", bytes: nil),
    Typed(number: 7, text: "MZX", bytes: nil),
    Typed(number: 8, text: "MZXW6Y", bytes: nil),
    Typed(number: 9, text: "MZXW6YTBM", bytes: nil),
    // Characters outside the alphabet.
    Typed(number: 10, text: "M0", bytes: nil),
    Typed(number: 11, text: "M1", bytes: nil),
    Typed(number: 12, text: "M8", bytes: nil),
    Typed(number: 13, text: "M9", bytes: nil),
    Typed(number: 14, text: "M@", bytes: nil),
    Typed(number: 15, text: "M[", bytes: nil),
    Typed(number: 16, text: "M`", bytes: nil),
    Typed(number: 17, text: "M{", bytes: nil),
    Typed(number: 18, text: "M\t", bytes: nil),
    Typed(number: 19, text: "MY\n", bytes: nil),
    Typed(number: 20, text: "MY\0", bytes: nil),
    Typed(number: 21, text: "M\u{FF39}", bytes: nil),
    Typed(number: 22, text: "M_", bytes: nil),
    // Padding at a wrong position or with a wrong length.
    Typed(number: 23, text: "=MY=====", bytes: nil),
    Typed(number: 24, text: "MY=", bytes: nil),
    Typed(number: 25, text: "MY=====", bytes: nil),
    Typed(number: 26, text: "MY=======", bytes: nil),
    Typed(number: 27, text: "MY==============", bytes: nil),
    Typed(number: 28, text: "MZXW6YTB========", bytes: nil),
    Typed(number: 29, text: "========", bytes: nil),
    Typed(number: 30, text: "MZ==XQ==", bytes: nil),
    // Left-over bits that are not zero: not the canonical encoding of these bytes.
    Typed(number: 31, text: "MZ", bytes: nil),
    Typed(number: 32, text: "MZXR", bytes: nil),
    Typed(number: 33, text: "MZXW7", bytes: nil),
    Typed(number: 34, text: "MZXW6YR", bytes: nil),
  ])
  func acceptsSpacesHyphensAndLowerCase(_ row: Typed) {
    #expect(decoded(Array(row.text.utf8)) == row.bytes.map { Array($0.utf8) }, "row \(row.number)")
  }

  /// Every byte value at every position of a group, and every length up to the longest key.
  @Test func everyValueRoundTrips() {
    for count in 0...64 {
      for first in UInt8.min...UInt8.max {
        let bytes = (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0 * 37) }
        let text = Base32.encode(bytes.span)
        #expect(decoded(text.revealed) == bytes, "\(count) bytes from \(first)")
      }
    }
  }

  /// Each value has exactly one text, so decoding and encoding again gives the same text.
  @Test func noOtherTextIsReadAsTheSame() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    for first in alphabet {
      for second in alphabet {
        let text = [first, second]
        guard let bytes = decoded(text) else { continue }
        let again = Base32.encode(bytes.span)
        #expect(again.revealed == text)
      }
    }
  }
}
