import MFAModel
import Testing

@Suite struct CodeTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let number: Int
    let text: [UInt8]
    let code: String?

    var testDescription: String { "row \(number)" }

    init(_ number: Int, _ text: String, _ code: String?) {
      self.init(number, Array(text.utf8), code)
    }

    init(_ number: Int, _ text: [UInt8], _ code: String?) {
      self.number = number
      self.text = text
      self.code = code
    }
  }

  @Test(arguments: [
    Answer(1, "123456", "123456"),
    Answer(2, "1234567", "1234567"),
    Answer(3, "12345678", "12345678"),
    Answer(4, "000000", "000000"),
    Answer(5, "00000000", "00000000"),
    Answer(6, "99999999", "99999999"),
    Answer(7, "000 123", "000123"),
    Answer(8, " 1 2 3 4 5 6 ", "123456"),
    Answer(9, "1234 5678", "12345678"),
    Answer(10, String(repeating: " ", count: 26) + "123456", "123456"),
    // Lengths.
    Answer(11, "", nil),
    Answer(12, "1", nil),
    Answer(13, "12345", nil),
    Answer(14, "123456789", nil),
    Answer(15, "000000000", nil),
    Answer(16, "4294967296123456", nil),
    Answer(17, "      ", nil),
    Answer(18, String(repeating: " ", count: 27) + "123456", nil),
    Answer(19, String(repeating: "1", count: 33), nil),
    Answer(20, [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20), nil),
    Answer(21, [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20), nil),
    // Digits of other scripts, signs, and characters that look like a space.
    Answer(22, "\u{0661}\u{0662}\u{0663}\u{0664}\u{0665}\u{0666}", nil),
    Answer(23, "\u{FF11}\u{FF12}\u{FF13}\u{FF14}\u{FF15}\u{FF16}", nil),
    Answer(24, "+12345", nil),
    Answer(25, "-123456", nil),
    Answer(26, "123.456", nil),
    Answer(27, "123,456", nil),
    Answer(28, "123-456", nil),
    Answer(29, "0x1234", nil),
    Answer(30, "1e0000", nil),
    Answer(31, "123\u{A0}456", nil),
    Answer(32, "123\u{200B}456", nil),
    // Characters adjacent to the digits, control characters, NUL, a password.
    Answer(33, "12345/", nil),
    Answer(34, "12345:", nil),
    Answer(35, "123456\n", nil),
    Answer(36, "123456\r", nil),
    Answer(37, "123\t456", nil),
    Answer(38, "123456\0", nil),
    Answer(39, "\0\0\0\0\0\0", nil),
    Answer(40, "12345\u{8}6", nil),
    Answer(41, "\u{1B}[A123456", nil),
    Answer(42, "123456\u{7F}", nil),
    Answer(43, "\u{8}\n\r\u{7F}INCORRECT", nil),
    Answer(44, "correct horse", nil),
    Answer(45, "password123456", nil),
    Answer(46, [0xFF, 0xFE, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36], nil),
    Answer(47, [0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6], nil),
  ])
  func reads(_ row: Answer) {
    #expect(Code(answer: row.text.span)?.text == row.code, "row \(row.number)")
  }

  /// Every byte value at every position of a code.
  @Test func nothingButDigitsAndSpaces() {
    for place in 0...6 {
      for byte in UInt8.min...UInt8.max {
        var answer = Array("123456".utf8)
        answer.insert(byte, at: place)
        let isAccepted = Code(answer: answer.span) != nil
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        #expect(isAccepted == (isDigit || byte == UInt8(ascii: " ")), "\(byte) at \(place)")
      }
    }
  }

  @Test(arguments: [
    ("123456", "123456", UInt32.max),
    ("123456", "123457", 0),
    ("000123", "000123", .max),
    ("000123", "0000123", 0),
    ("00000000", "000000", 0),
    ("99999999", "99999999", .max),
    ("99999999", "99999998", 0),
  ])
  func theMaskComparesNumberAndLength(left: String, right: String, mask: UInt32) throws {
    let one = try #require(code(left))
    let other = try #require(code(right))
    #expect(one.mask(equals: other) == mask)
    #expect(other.mask(equals: one) == mask)
  }

  private func code(_ text: String) -> Code? { Code(answer: Array(text.utf8).span) }
}
