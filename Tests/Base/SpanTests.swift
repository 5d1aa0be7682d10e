import MFABase
import Testing

@Suite("Bytes of spans")
struct SpanTests {
  @Test("the first unprintable byte is found at every position, and no printable byte is reported")
  func unprintable() {
    for byte in UInt8.min...UInt8.max {
      let isPrintable = (0x20..<0x7F).contains(byte)
      for count in 1...19 {
        for place in 0..<count {
          // 0x20 and 0x7E are the first and last printable bytes.
          var bytes = [UInt8](repeating: place % 2 == 0 ? 0x20 : 0x7E, count: count)
          bytes[place] = byte
          for start in [0, place] {
            #expect(
              bytes.span.firstUnprintable(from: start) == (isPrintable ? count : place),
              "\(byte) at \(place) of \(count), from \(start)")
          }
          #expect(bytes.span.firstUnprintable(from: place + 1) == count)
        }
      }
    }
  }

  @Test("positions at or after the end are valid")
  func ends() {
    let empty: [UInt8] = []
    #expect(empty.span.firstUnprintable(from: 0) == 0)
    #expect(empty.span.firstUnprintable(from: 3) == 0)
    #expect([UInt8](repeating: 0, count: 9).span.firstUnprintable(from: 9) == 9)
    #expect(empty.span.copied().isEmpty)
  }

  @Test("a copy has the same bytes")
  func copies() {
    let bytes = [UInt8](UInt8.min...UInt8.max)
    #expect(bytes.span.copied() == bytes)
    #expect(bytes.span.extracting(7..<19).copied() == Array(bytes[7..<19]))
  }

  struct Part: Sendable {
    let number: Int
    let start: Int
    let count: Int
    let expected: [UInt8]
  }

  @Test(
    "a part is cut at the end of the span, and negative values count as 0",
    arguments: [
      Part(number: 1, start: 0, count: 4, expected: [1, 2, 3, 4]),
      Part(number: 2, start: 1, count: 2, expected: [2, 3]),
      Part(number: 3, start: 3, count: 2, expected: [4]),
      Part(number: 4, start: 4, count: 1, expected: []),
      Part(number: 5, start: 5, count: 1, expected: []),
      Part(number: 6, start: -1, count: 2, expected: [1, 2]),
      Part(number: 7, start: 2, count: -1, expected: []),
      Part(number: 8, start: .min, count: .max, expected: [1, 2, 3, 4]),
      Part(number: 9, start: .max, count: .max, expected: []),
      Part(number: 10, start: 2, count: .min, expected: []),
    ])
  func parts(row: Part) {
    let bytes: [UInt8] = [1, 2, 3, 4]
    let part = bytes.span.part(from: row.start, count: row.count).copied()
    #expect(part == row.expected, "row \(row.number)")
  }

  @Test("a part of an empty span is empty")
  func partOfNothing() {
    let empty: [UInt8] = []
    #expect(empty.span.part(from: 0, count: 1).isEmpty == true)
  }

  @Test("only the last bytes are compared with an ending")
  func endings() {
    let bytes: [UInt8] = [1, 2, 3]
    for ending in [[], [3], [2, 3], [1, 2, 3]] as [[UInt8]] {
      #expect(bytes.span.ends(with: ending) == true, "\(ending)")
    }
    for other in [[2], [1, 2], [0, 1, 2, 3], [3, 1, 2, 3]] as [[UInt8]] {
      #expect(bytes.span.ends(with: other) == false, "\(other)")
    }
  }

  @Test("the first of several equal bytes is found, and the count stands for none")
  func firstIndex() {
    let bytes: [UInt8] = [1, 2, 2]
    #expect(bytes.span.firstIndex(of: 1) == 0)
    #expect(bytes.span.firstIndex(of: 2) == 1)
    #expect(bytes.span.firstIndex(of: 3) == 3)
    let empty: [UInt8] = []
    #expect(empty.span.firstIndex(of: 0) == 0)
  }
}
