import MFABase
import Testing

@Suite struct ConstantTimeTests {
  private static let numbers: [UInt32] =
    [0, 1, 2, 3, 0x7FFF_FFFE, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, .max - 1, .max, 123_456]
    + (0..<32).map { 1 << $0 }

  @Test func theMaskIsAllOnesForEqualsAndZeroForOthers() {
    for left in Self.numbers {
      for right in Self.numbers {
        let expected: UInt32 = left == right ? .max : 0
        #expect(constantTimeMask(left, equals: right) == expected, "\(left) and \(right)")
      }
    }
  }

  struct Pair: Sendable {
    let number: Int
    let left: [UInt8]
    let right: [UInt8]
    let areEqual: Bool
  }

  @Test(arguments: [
    Pair(number: 1, left: [], right: [], areEqual: true),
    Pair(number: 2, left: [0], right: [0], areEqual: true),
    Pair(number: 3, left: [0], right: [1], areEqual: false),
    Pair(number: 4, left: [], right: [0], areEqual: false),
    Pair(number: 5, left: [1, 2], right: [1], areEqual: false),
    Pair(number: 6, left: [1, 2, 3], right: [1, 2, 3], areEqual: true),
    Pair(number: 7, left: [1, 2, 3], right: [3, 2, 1], areEqual: false),
    Pair(number: 8, left: [0x55, 0xAA], right: [0xAA, 0x55], areEqual: false),
    Pair(number: 9, left: [0x80, 0x80], right: [0, 0], areEqual: false),
  ])
  func compares(_ row: Pair) {
    #expect(areEqual(row.left, row.right) == row.areEqual, "row \(row.number)")
    #expect(areEqual(row.right, row.left) == row.areEqual, "row \(row.number)")
  }

  @Test func aSingleBitAnywhereDiffers() {
    let bytes = (0..<70).map { UInt8($0 * 3) }
    #expect(areEqual(bytes, Array(bytes)))
    for index in bytes.indices {
      for bit in 0..<8 {
        var other = bytes
        other[index] ^= 1 << bit
        #expect(!areEqual(bytes, other), "byte \(index), bit \(bit)")
      }
    }
  }
}
