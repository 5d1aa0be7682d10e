import MFABase
import MFAModel
import Testing

@Suite struct FactorIDTests {
  private static let bytes: [UInt8] = [
    0x00, 0x01, 0x09, 0x0A, 0x0F, 0x10, 0x7F, 0x80, 0x99, 0x9A, 0xA0, 0xAF, 0xBC, 0xDE, 0xF0, 0xFF,
  ]
  private static let text = "0001090a0f107f80999aa0afbcdef0ff"

  @Test func textIsHexadecimalOfBytes() throws {
    let id = try #require(FactorID(bytes: Self.bytes))
    #expect(id.hexadecimal == Array(Self.text.utf8))
    #expect(FactorID(hexadecimal: Array(Self.text.utf8)) == id)
    #expect(FactorID.zero.hexadecimal == [UInt8](repeating: UInt8(ascii: "0"), count: 32))
  }

  @Test func everyByteComesBack() throws {
    for byte in UInt8.min...UInt8.max {
      let id = try #require(FactorID(bytes: [UInt8](repeating: byte, count: 16)))
      #expect(FactorID(hexadecimal: id.hexadecimal) == id)
    }
  }

  @Test(arguments: [0, 1, 15, 17, 32])
  func wrongLengthIsRefused(count: Int) {
    #expect(FactorID(bytes: [UInt8](repeating: 0, count: count)) == nil)
  }

  struct Refused: Sendable {
    let number: Int
    let text: String
  }

  @Test(arguments: [
    Refused(number: 1, text: ""),
    Refused(number: 2, text: "0001090a0f107f80999aa0afbcdef0f"),
    Refused(number: 3, text: "0001090a0f107f80999aa0afbcdef0ff0"),
    Refused(number: 4, text: "0001090A0f107f80999aa0afbcdef0ff"),
    Refused(number: 5, text: "0001090g0f107f80999aa0afbcdef0ff"),
    Refused(number: 6, text: "0001090`0f107f80999aa0afbcdef0ff"),
    Refused(number: 7, text: "0001090/0f107f80999aa0afbcdef0ff"),
    Refused(number: 8, text: "0001090:0f107f80999aa0afbcdef0ff"),
    Refused(number: 9, text: " 001090a0f107f80999aa0afbcdef0ff"),
    Refused(number: 10, text: "0001090a0f107f80999aa0afbcdef0f\n"),
    Refused(number: 11, text: "0x01090a0f107f80999aa0afbcdef0ff"),
  ])
  func refuses(_ row: Refused) {
    #expect(FactorID(hexadecimal: Array(row.text.utf8)) == nil, "row \(row.number)")
  }
}
