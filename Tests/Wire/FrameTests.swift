import MFAWire
import Testing

@Suite struct FrameTests {
  struct Row: Sendable {
    let number: Int
    let header: [UInt8]
    let length: Int?
    let refusal: PacketError?
  }

  static let rows: [Row] = [
    Row(number: 1, header: [0, 0, 0, 1], length: 1, refusal: nil),
    Row(number: 2, header: [0, 0, 0x10, 0], length: 4096, refusal: nil),
    Row(number: 3, header: [0, 0, 0, 0], length: nil, refusal: .malformed),
    Row(number: 4, header: [0, 0, 0x10, 1], length: nil, refusal: .malformed),
    Row(number: 5, header: [0xFF, 0xFF, 0xFF, 0xFF], length: nil, refusal: .malformed),
    Row(number: 6, header: [0, 0, 1], length: nil, refusal: .malformed),
    Row(number: 7, header: [], length: nil, refusal: .malformed),
    Row(number: 8, header: [0, 0, 0, 1, 0], length: nil, refusal: .malformed),
  ]

  @Test("a header contains the length of an acceptable body", arguments: rows)
  func bodyLength(row: Row) throws {
    do throws(PacketError) {
      #expect(try Frame.bodyLength(header: row.header.span) == row.length)
    } catch {
      #expect(error == row.refusal)
    }
  }
}
