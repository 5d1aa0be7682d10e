import Testing

@testable import MFARealmTransport

@Suite("Byte strings as a message")
struct ByteStringsTests {
  @Test("what was written is read")
  func readBack() {
    let samples: [[[UInt8]]] = [
      [], [[]], [[1]], [[], [1, 2], []], [[UInt8](repeating: 7, count: 65_536), [0]],
    ]
    for strings in samples {
      let message = ByteStrings.encoded(strings)
      #expect(ByteStrings.decoded(message.span) == strings)
    }
  }

  @Test("a message that is cut off, or whose lengths are wrong, is malformed")
  func malformed() {
    let message = ByteStrings.encoded([[1, 2, 3]])
    for count in 1..<message.count {
      let cut = Array(message.prefix(count))
      #expect(ByteStrings.decoded(cut.span) == nil, "\(count)")
    }
    let long: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 1]
    #expect(ByteStrings.decoded(long.span) == nil)
  }
}
