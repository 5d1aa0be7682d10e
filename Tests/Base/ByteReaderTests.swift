import MFABase
import Testing

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
