import MFABase
import Testing

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
