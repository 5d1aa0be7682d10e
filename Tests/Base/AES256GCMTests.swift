import MFABase
import MFACrypto
import Testing

@Suite struct AES256GCMTests {
  struct Vector: Sendable {
    let number: Int
    let key: String
    let nonce: String
    let plaintext: String
    let associated: String
    let ciphertext: String
    let tag: String
  }

  /// Test cases 14 to 16 of the GCM specification that NIST SP 800-38D is based on: those with a
  /// key of 256 bits, a nonce of 96 bits and a non-empty plaintext.
  private static let vectors = [
    Vector(
      number: 14,
      key: "0000000000000000000000000000000000000000000000000000000000000000",
      nonce: "000000000000000000000000",
      plaintext: "00000000000000000000000000000000",
      associated: "",
      ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      number: 15,
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
      associated: "",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    Vector(
      number: 16,
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test(arguments: vectors)
  func opens(_ row: Vector) {
    let sealed = hexadecimal(row.nonce + row.ciphertext + row.tag)
    let opened = open(sealed, key: hexadecimal(row.key), associated: hexadecimal(row.associated))
    #expect(opened == hexadecimal(row.plaintext), "case \(row.number)")
  }

  private static let key = (0..<32).map { UInt8($0 &* 7) }
  private static let associated = Array("mfa".utf8)

  @Test(arguments: [1, 15, 16, 17, 20, 32, 64, 4_096])
  func sealedTextOpens(count: Int) throws {
    let text = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    for associated in [[], Self.associated, [UInt8](repeating: 1, count: 1_000)] {
      let sealed = try seal(text, key: Self.key, associated: associated)
      #expect(sealed.count == AES256GCM.nonceLength + count + AES256GCM.tagLength)
      #expect(open(sealed, key: Self.key, associated: associated) == text)
    }
  }

  @Test func noNonceIsUsedTwice() throws {
    let sealed = try (0..<200).map { _ in try seal([1, 2, 3], key: Self.key, associated: []) }
    #expect(Set(sealed.map { Array($0.prefix(AES256GCM.nonceLength)) }).count == sealed.count)
  }

  @Test func everyChangedBitIsRefused() throws {
    let text = (0..<20).map { UInt8($0) }
    let sealed = try seal(text, key: Self.key, associated: Self.associated)
    for (index, bit) in bits(of: sealed) {
      let other = flipped(sealed, index, bit)
      #expect(
        open(other, key: Self.key, associated: Self.associated) == nil, "sealed \(index).\(bit)")
    }
    for (index, bit) in bits(of: Self.key) {
      let key = flipped(Self.key, index, bit)
      #expect(open(sealed, key: key, associated: Self.associated) == nil, "key \(index).\(bit)")
    }
    for (index, bit) in bits(of: Self.associated) {
      let associated = flipped(Self.associated, index, bit)
      #expect(open(sealed, key: Self.key, associated: associated) == nil, "data \(index).\(bit)")
    }
  }

  @Test func everyChangedLengthIsRefused() throws {
    let sealed = try seal([1, 2, 3, 4], key: Self.key, associated: Self.associated)
    for count in sealed.indices {
      let cut = Array(sealed.prefix(count))
      #expect(open(cut, key: Self.key, associated: Self.associated) == nil, "first \(count)")
      let late = Array(sealed.suffix(count))
      #expect(open(late, key: Self.key, associated: Self.associated) == nil, "last \(count)")
    }
    #expect(open(sealed + [0], key: Self.key, associated: Self.associated) == nil)
    for associated in [[], Self.associated + [0], Array(Self.associated.dropLast())] {
      #expect(open(sealed, key: Self.key, associated: associated) == nil)
    }
  }

  @Test(arguments: [0, 1, 16, 24, 31, 33, 64])
  func aKeyOfAnotherLengthIsRefused(count: Int) throws {
    // The correct key, truncated or extended.
    let key = Array((Self.key + Self.key).prefix(count))
    let operation = failure { () throws(CryptographyError) in
      _ = try seal([1], key: key, associated: [])
    }
    #expect(operation == .seal)
    let sealed = try seal([1], key: Self.key, associated: [])
    #expect(open(sealed, key: key, associated: []) == nil)
  }

  @Test(arguments: [0, 4_097])
  func aTextOfNoUsefulLengthIsRefused(count: Int) {
    let text = [UInt8](repeating: 7, count: count)
    let operation = failure { () throws(CryptographyError) in
      _ = try seal(text, key: Self.key, associated: [])
    }
    #expect(operation == .seal)
  }

  // MARK: Helper functions

  private func seal(
    _ text: [UInt8], key: [UInt8], associated: [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    try AES256GCM.seal(text.span, key: key.span, associated: associated.span)
  }

  private func open(_ sealed: [UInt8], key: [UInt8], associated: [UInt8]) -> [UInt8]? {
    AES256GCM.open(sealed.span, key: key.span, associated: associated.span)?.revealed
  }

  private func bits(of bytes: [UInt8]) -> [(Int, Int)] {
    bytes.indices.flatMap { index in (0..<8).map { (index, $0) } }
  }

  private func flipped(_ bytes: [UInt8], _ index: Int, _ bit: Int) -> [UInt8] {
    var bytes = bytes
    bytes[index] ^= 1 << bit
    return bytes
  }
}
