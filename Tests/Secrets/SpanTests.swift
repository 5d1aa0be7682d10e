import MFABytes
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
}
