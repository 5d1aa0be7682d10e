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
    let number: Int
    let range: Range<Int>
    let expected: [UInt8]
  }

  @Test(arguments: [
    Part(number: 1, range: 0..<5, expected: [1, 2, 3, 4, 5]),
    Part(number: 2, range: 1..<3, expected: [2, 3]),
    Part(number: 3, range: 5..<5, expected: []),
    Part(number: 4, range: 4..<9, expected: [5]),
    Part(number: 5, range: -3..<1, expected: [1]),
    Part(number: 6, range: Int.min..<Int.max, expected: [1, 2, 3, 4, 5]),
    Part(number: 7, range: 7..<9, expected: []),
    Part(number: 8, range: -9 ..< -7, expected: []),
  ])
  func copiesAPart(_ row: Part) {
    let source: [UInt8] = [1, 2, 3, 4, 5]
    let part = SecretBytes(copying: source.span, in: row.range)
    #expect(part.revealed == row.expected, "row \(row.number)")
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
private func authenticate(keySeed: UInt64, messageSeed: UInt64) throws(CryptographyError) {
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
private func sealAndOpen(keySeed: UInt64, textSeed: UInt64) throws(CryptographyError) {
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
