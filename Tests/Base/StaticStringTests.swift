import MFABase
import Testing

@Suite struct StaticStringTests {
  struct Literal: Sendable {
    let number: Int
    let text: StaticString
    let bytes: [UInt8]
  }

  @Test(arguments: [
    Literal(number: 1, text: "", bytes: []),
    Literal(number: 2, text: "a", bytes: [0x61]),
    Literal(number: 3, text: "a\0b", bytes: [0x61, 0, 0x62]),
    Literal(number: 4, text: "\u{E9}\u{20AC}", bytes: [0xC3, 0xA9, 0xE2, 0x82, 0xAC]),
    Literal(number: 5, text: "\u{1F511}", bytes: [0xF0, 0x9F, 0x94, 0x91]),
  ])
  func bytes(_ row: Literal) {
    #expect(row.text.bytes == row.bytes, "row \(row.number)")
    var handed: [UInt8] = []
    row.text.forEachByte { handed.append($0) }
    #expect(handed == row.bytes, "row \(row.number)")
  }
}
