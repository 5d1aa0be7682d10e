import MFABase
import MFACrypto
import MFACSecretsTesting
import Testing

@Suite struct SecretBytesTests {
  /// MUST 1. Runs in a separate process, because it searches all of the process's memory.
  @Test func theWipeLeavesNothing() async {
    await #expect(processExitsWith: .success) {
      for (seed, count) in [(1, 16), (2, 20), (3, 32), (4, 64), (5, 500), (6, 4_096)] {
        let seed = UInt64(seed)
        // A truncated line at the end does not count.
        let lines = Int64(count / 8)
        #expect(testing_lines_in_memory(seed, lines) == 0, "\(count) bytes, before")
        hold(seed, count, lines)
        #expect(testing_lines_in_memory(seed, lines) == 0, "\(count) bytes, after")
      }
    }
  }

  /// Secrets passed to libcrypto do not remain in its memory.
  @Test func nothingStaysInLibcrypto() async {
    await #expect(processExitsWith: .success) {
      for seed in UInt64(10)...12 {
        try authenticate(keySeed: seed, messageSeed: seed + 100)
        #expect(testing_lines_in_memory(seed, 4) == 0, "key of HMAC, seed \(seed)")
        try sealAndOpen(keySeed: seed + 200, textSeed: seed + 300)
        #expect(testing_lines_in_memory(seed + 200, 4) == 0, "key of AES, seed \(seed)")
        #expect(testing_lines_in_memory(seed + 300, 12) == 0, "plaintext, seed \(seed)")
      }
    }
  }

  @Test(arguments: [Int.min, -1, 0, 1, 2, 63, 4_096])
  func startsAsZeros(count: Int) {
    let bytes = SecretBytes(count: count)
    #expect(bytes.count == max(count, 0))
    #expect(bytes.revealed == [UInt8](repeating: 0, count: max(count, 0)))
  }

  struct Part: Sendable {
    let range: Range<Int>
    let expected: [UInt8]
  }

  @Test(arguments: [
    Part(range: 0..<5, expected: [1, 2, 3, 4, 5]),
    Part(range: 1..<3, expected: [2, 3]),
    Part(range: 5..<5, expected: []),
    Part(range: 4..<9, expected: [5]),
    Part(range: -3..<1, expected: [1]),
    Part(range: Int.min..<Int.max, expected: [1, 2, 3, 4, 5]),
    Part(range: 7..<9, expected: []),
    Part(range: -9 ..< -7, expected: []),
  ])
  func copiesAPart(_ row: Part) {
    let source: [UInt8] = [1, 2, 3, 4, 5]
    let part = SecretBytes(copying: source.span, in: row.range)
    #expect(part.revealed == row.expected, "\(row)")
  }

  @Test func aPrefixIsNeverLongerThanTheWhole() {
    let whole = SecretBytes(copying: ([1, 2, 3] as [UInt8]).span)
    for (count, expected) in [
      (Int.min, []), (-1, []), (0, []), (2, [1, 2]), (3, [1, 2, 3]), (4, [1, 2, 3]),
      (Int.max, [1, 2, 3]),
    ] as [(Int, [UInt8])] {
      let prefix = whole.prefix(count)
      #expect(prefix.revealed == expected, "\(count)")
    }
  }

  @Test func changesAreSeen() {
    var bytes = SecretBytes(count: 3)
    let last = bytes.withMutableSpan { span in
      for index in span.indices { span[index] = UInt8(index + 1) }
      return span[2]
    }
    #expect(last == 3)
    #expect(bytes.revealed == [1, 2, 3])
  }
}

/// Returns a secret that consists of the pattern.
private func pattern(_ seed: UInt64, count: Int) -> SecretBytes {
  var bytes = SecretBytes(count: count)
  bytes.withMutableSpan { span in
    for index in span.indices { span[index] = testing_pattern(seed, Int64(index)) }
  }
  return bytes
}

/// Holds a secret in every possible way, and releases it.
@inline(never)
private func hold(_ seed: UInt64, _ count: Int, _ lines: Int64) {
  let made = pattern(seed, count: count)
  let copy = SecretBytes(copying: made.span)
  let part = SecretBytes(copying: copy.span, in: 0..<count)
  let prefix = part.prefix(count)
  // Proves that the search finds the secret while it is held.
  #expect(testing_lines_in_memory(seed, lines) == lines, "\(count) bytes, while they are held")
  #expect(prefix.count == count)
}

@inline(never)
private func authenticate(keySeed: UInt64, messageSeed: UInt64) throws(SystemError) {
  for algorithm in HashAlgorithm.allCases {
    let key = pattern(keySeed, count: 32)
    let message = pattern(messageSeed, count: 8)
    var authentication = try HMAC(algorithm: algorithm, key: key.span)
    let first = try authentication.tag(of: message.span)
    let second = try authentication.tag(of: message.span)
    let isSame = constantTimeEquals(first.span, second.span)
    #expect(isSame)
  }
}

@inline(never)
private func sealAndOpen(keySeed: UInt64, textSeed: UInt64) throws(SystemError) {
  let key = pattern(keySeed, count: 32)
  let text = pattern(textSeed, count: 96)
  let none: [UInt8] = []
  var sealed = try AES256GCM.seal(text.span, key: key.span, associated: none.span)
  let isOpened = AES256GCM.open(sealed.span, key: key.span, associated: none.span) != nil
  #expect(isOpened)
  sealed[sealed.count - 1] ^= 1
  let isForged = AES256GCM.open(sealed.span, key: key.span, associated: none.span) != nil
  #expect(!isForged)
}

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
    let left: [UInt8]
    let right: [UInt8]
    let areEqual: Bool
  }

  @Test(arguments: [
    Pair(left: [], right: [], areEqual: true),
    Pair(left: [0], right: [0], areEqual: true),
    Pair(left: [0], right: [1], areEqual: false),
    Pair(left: [], right: [0], areEqual: false),
    Pair(left: [1, 2], right: [1], areEqual: false),
    Pair(left: [1, 2, 3], right: [1, 2, 3], areEqual: true),
    Pair(left: [1, 2, 3], right: [3, 2, 1], areEqual: false),
    Pair(left: [0x55, 0xAA], right: [0xAA, 0x55], areEqual: false),
    Pair(left: [0x80, 0x80], right: [0, 0], areEqual: false),
  ])
  func compares(_ row: Pair) {
    #expect(areEqual(row.left, row.right) == row.areEqual, "\(row)")
    #expect(areEqual(row.right, row.left) == row.areEqual, "\(row)")
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
    let start: Int
    let count: Int
    let expected: [UInt8]
  }

  @Test(
    "a part is cut at the end of the span, and negative values count as 0",
    arguments: [
      Part(start: 0, count: 4, expected: [1, 2, 3, 4]),
      Part(start: 1, count: 2, expected: [2, 3]),
      Part(start: 3, count: 2, expected: [4]),
      Part(start: 4, count: 1, expected: []),
      Part(start: 5, count: 1, expected: []),
      Part(start: -1, count: 2, expected: [1, 2]),
      Part(start: 2, count: -1, expected: []),
      Part(start: .min, count: .max, expected: [1, 2, 3, 4]),
      Part(start: .max, count: .max, expected: []),
      Part(start: 2, count: .min, expected: []),
    ])
  func parts(row: Part) {
    let bytes: [UInt8] = [1, 2, 3, 4]
    let part = bytes.span.part(from: row.start, count: row.count).copied()
    #expect(part == row.expected, "\(row)")
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

@Suite struct StaticStringTests {
  struct Literal: Sendable {
    let text: StaticString
    let bytes: [UInt8]
  }

  @Test(arguments: [
    Literal(text: "", bytes: []),
    Literal(text: "a", bytes: [0x61]),
    Literal(text: "a\0b", bytes: [0x61, 0, 0x62]),
    Literal(text: "\u{E9}\u{20AC}", bytes: [0xC3, 0xA9, 0xE2, 0x82, 0xAC]),
    Literal(text: "\u{1F511}", bytes: [0xF0, 0x9F, 0x94, 0x91]),
  ])
  func bytes(_ row: Literal) {
    #expect(row.text.bytes == row.bytes, "\(row)")
    var handed: [UInt8] = []
    row.text.forEachByte { handed.append($0) }
    #expect(handed == row.bytes, "\(row)")
  }
}
