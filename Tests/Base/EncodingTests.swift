import MFABase
import Testing

@Suite struct Base32Tests {
  struct Vector: Sendable {
    let bytes: String
    let text: String
    /// The text with the padding of RFC 4648, which this module omits.
    let padded: String
  }

  /// RFC 4648, section 10.
  private static let vectors = [
    Vector(bytes: "", text: "", padded: ""),
    Vector(bytes: "f", text: "MY", padded: "MY======"),
    Vector(bytes: "fo", text: "MZXQ", padded: "MZXQ===="),
    Vector(bytes: "foo", text: "MZXW6", padded: "MZXW6==="),
    Vector(bytes: "foob", text: "MZXW6YQ", padded: "MZXW6YQ="),
    Vector(bytes: "fooba", text: "MZXW6YTB", padded: "MZXW6YTB"),
    Vector(bytes: "foobar", text: "MZXW6YTBOI", padded: "MZXW6YTBOI======"),
  ]

  @Test(arguments: vectors)
  func encodes(_ row: Vector) {
    let text = Base32.encode(Array(row.bytes.utf8).span)
    #expect(text.revealed == Array(row.text.utf8), "\(row)")
  }

  @Test(arguments: vectors)
  func decodes(_ row: Vector) {
    for text in [row.text, row.padded, row.text.lowercased(), row.padded.lowercased()] {
      #expect(decoded(Array(text.utf8)) == Array(row.bytes.utf8), "\(row): \(text)")
    }
  }

  struct Typed: Sendable {
    let text: String
    let bytes: String?
  }

  @Test(arguments: [
    Typed(text: "mzxw 6ytb", bytes: "fooba"),
    Typed(text: " MZXW-6YTB ", bytes: "fooba"),
    Typed(text: "M-Z X W6=== ", bytes: "foo"),
    Typed(text: "mZxW6yTb", bytes: "fooba"),
    Typed(text: "   ", bytes: ""),
    // Impossible lengths.
    Typed(text: "M", bytes: nil),
    Typed(text: "MZX", bytes: nil),
    Typed(text: "MZXW6Y", bytes: nil),
    Typed(text: "MZXW6YTBM", bytes: nil),
    // Characters outside the alphabet.
    Typed(text: "M0", bytes: nil),
    Typed(text: "M1", bytes: nil),
    Typed(text: "M8", bytes: nil),
    Typed(text: "M9", bytes: nil),
    Typed(text: "M@", bytes: nil),
    Typed(text: "M[", bytes: nil),
    Typed(text: "M`", bytes: nil),
    Typed(text: "M{", bytes: nil),
    Typed(text: "M\t", bytes: nil),
    Typed(text: "MY\n", bytes: nil),
    Typed(text: "MY\0", bytes: nil),
    Typed(text: "M\u{FF39}", bytes: nil),
    Typed(text: "M_", bytes: nil),
    // Padding at a wrong position or with a wrong length.
    Typed(text: "=MY=====", bytes: nil),
    Typed(text: "MY=", bytes: nil),
    Typed(text: "MY=====", bytes: nil),
    Typed(text: "MY=======", bytes: nil),
    Typed(text: "MY==============", bytes: nil),
    Typed(text: "MZXW6YTB========", bytes: nil),
    Typed(text: "========", bytes: nil),
    Typed(text: "MZ==XQ==", bytes: nil),
    // Left-over bits that are not zero: not the canonical encoding of these bytes.
    Typed(text: "MZ", bytes: nil),
    Typed(text: "MZXR", bytes: nil),
    Typed(text: "MZXW7", bytes: nil),
    Typed(text: "MZXW6YR", bytes: nil),
  ])
  func acceptsSpacesHyphensAndLowerCase(_ row: Typed) {
    #expect(decoded(Array(row.text.utf8)) == row.bytes.map { Array($0.utf8) }, "\(row)")
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

@Suite struct HexadecimalTests {
  @Test func everyByte() {
    for byte in UInt8.min...UInt8.max {
      let lower = Array((byte < 16 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8)
      let upper = Array(String(decoding: lower, as: UTF8.self).uppercased().utf8)
      #expect(Hexadecimal.digits(of: byte) == lower)
      #expect(Hexadecimal.digits(of: byte, .upper) == upper)
      #expect(Hexadecimal.bytes(of: lower, count: 1) == [byte])
      #expect((Hexadecimal.bytes(of: upper, count: 1) == [byte]) == (lower == upper))
      let value = Int(String(UnicodeScalar(byte)), radix: 16)
      #expect(Hexadecimal.value(byte).map { Int($0) } == (byte < 0x80 ? value : nil))
    }
  }

  @Test(arguments: [
    (1, "", 0, true), (2, "00ff", 2, true), (3, "00ff", 1, false), (4, "00f", 2, false),
    (5, "00fg", 2, false), (6, "00 f", 2, false),
  ])
  func texts(row: Int, text: String, count: Int, isRead: Bool) {
    let bytes = Hexadecimal.bytes(of: Array(text.utf8), count: count)
    #expect((bytes != nil) == isRead, "row \(row)")
    if let bytes { #expect(Hexadecimal.text(of: bytes) == Array(text.utf8), "row \(row)") }
  }
}

@Suite("Binary records")
struct ByteReaderTests {
  @Test("numbers are read and written with the most significant byte first")
  func numbers() {
    var writer = ByteWriter()
    writer.write(UInt8(0xFE))
    writer.write(UInt16(0x0102))
    writer.write(Int32(-2))
    writer.write(UInt64(0x0102_0304_0506_0708))
    writer.write(Int64.min)
    #expect(writer.bytes.prefix(7) == [0xFE, 1, 2, 0xFF, 0xFF, 0xFF, 0xFE])
    var reader = ByteReader(writer.bytes.span)
    #expect(reader.read(UInt8.self) == 0xFE)
    #expect(reader.read(UInt16.self) == 0x0102)
    #expect(reader.read(Int32.self) == -2)
    #expect(reader.read(UInt64.self) == 0x0102_0304_0506_0708)
    #expect(reader.position == 15)
    #expect(reader.read(Int64.self) == .min)
    #expect(reader.isAtEnd == true)
  }

  @Test("a number or string that is cut off is not read, and nothing is skipped")
  func cutOff() {
    let bytes: [UInt8] = [3, 1, 2]
    var reader = ByteReader(bytes.span)
    #expect(reader.readShort() == nil)
    #expect(reader.read(UInt32.self) == nil)
    #expect(reader.read(count: 4) == nil)
    #expect(reader.read(count: .max) == nil)
    #expect(reader.read(count: -1) == nil)
    #expect(reader.read(count: .min) == nil)
    #expect(reader.position == 0)
    #expect(reader.read(count: 3) == bytes)
    #expect(reader.isAtEnd == true)
    #expect(reader.read(count: 0) == [])
    #expect(reader.read(UInt8.self) == nil)
    #expect(reader.readShort() == nil)
    #expect(reader.position == 3)
  }

  @Test("a string is read with its length")
  func shortStrings() {
    let bytes: [UInt8] = [0, 2, 7, 8, 9]
    var reader = ByteReader(bytes.span)
    #expect(reader.readShort() == [])
    #expect(reader.readShort() == [7, 8])
    #expect(reader.position == 4)
  }

  @Test("a rest of zeros differs from a rest with any other byte")
  func restOfZeros() {
    for place in 0..<5 {
      var bytes: [UInt8] = [1, 0, 0, 0, 0]
      bytes[place] = 1
      var reader = ByteReader(bytes.span)
      #expect(reader.isRestZero == false)
      _ = reader.read(UInt8.self)
      #expect(reader.isRestZero == (place == 0))
    }
    let empty: [UInt8] = []
    let reader = ByteReader(empty.span)
    #expect(reader.isRestZero == true)
  }

  @Test("padding fills a record up, and leaves a longer one unchanged")
  func padding() {
    var writer = ByteWriter()
    writer.pad(to: 2)
    writer.write(UInt8(1))
    writer.pad(to: 3)
    writer.pad(to: 1)
    writer.pad(to: .min)
    #expect(writer.bytes == [0, 0, 1])
    writer.pad(to: 5)
    #expect(writer.bytes == [0, 0, 1, 0, 0])
  }

  @Test("a string is cut to 255 bytes")
  func longStrings() {
    for (count, written) in [(0, 0), (1, 1), (255, 255), (256, 255), (1000, 255)] {
      var writer = ByteWriter()
      writer.writeShort([UInt8](repeating: 7, count: count))
      #expect(writer.bytes.count == 1 + written)
      #expect(writer.bytes.first == UInt8(written))
      #expect(writer.bytes.dropFirst().allSatisfy { $0 == 7 })
    }
  }
}
