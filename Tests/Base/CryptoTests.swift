import MFABase
import MFACrypto
import Testing

@Suite struct AES256GCMTests {
  struct Vector: Sendable {
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
      key: "0000000000000000000000000000000000000000000000000000000000000000",
      nonce: "000000000000000000000000",
      plaintext: "00000000000000000000000000000000",
      associated: "",
      ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
      associated: "",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    Vector(
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
    #expect(opened == hexadecimal(row.plaintext), "\(row)")
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
    let operation = failure { () throws(SystemError) in
      _ = try seal([1], key: key, associated: [])
    }
    #expect(operation == "cryptography")
    let sealed = try seal([1], key: Self.key, associated: [])
    #expect(open(sealed, key: key, associated: []) == nil)
  }

  @Test(arguments: [0, 4_097])
  func aTextOfNoUsefulLengthIsRefused(count: Int) {
    let text = [UInt8](repeating: 7, count: count)
    let operation = failure { () throws(SystemError) in
      _ = try seal(text, key: Self.key, associated: [])
    }
    #expect(operation == "cryptography")
  }

  // MARK: Helper functions

  private func seal(
    _ text: [UInt8], key: [UInt8], associated: [UInt8]
  ) throws(SystemError) -> [UInt8] {
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

@Suite struct HMACTests {
  struct Vector: Sendable {
    let algorithm: HashAlgorithm
    let key: [UInt8]
    let message: [UInt8]
    let tag: String
  }

  private static let vectors = [
    // RFC 2202, section 3.
    Vector(
      algorithm: .sha1, key: repeated(0x0B, 20),
      message: Array("Hi There".utf8),
      tag: "b617318655057264e28bc0b6fb378c8ef146be00"),
    Vector(
      algorithm: .sha1, key: Array("Jefe".utf8),
      message: Array("what do ya want for nothing?".utf8),
      tag: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    Vector(
      algorithm: .sha1, key: repeated(0xAA, 20),
      message: repeated(0xDD, 50),
      tag: "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
    Vector(
      algorithm: .sha1,
      key: hexadecimal("0102030405060708090a0b0c0d0e0f10111213141516171819"),
      message: repeated(0xCD, 50),
      tag: "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
    Vector(
      algorithm: .sha1, key: repeated(0x0C, 20),
      message: Array("Test With Truncation".utf8),
      tag: "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
    Vector(
      algorithm: .sha1, key: repeated(0xAA, 80),
      message: Array(
        "Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      tag: "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
    Vector(
      algorithm: .sha1, key: repeated(0xAA, 80),
      message: Array(
        ("Test Using Larger Than Block-Size Key and Larger Than One Block-Size "
          + "Data").utf8),
      tag: "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
    // RFC 4231, section 4, SHA-256; its fifth tag is truncated to 128 bits.
    Vector(
      algorithm: .sha256, key: repeated(0x0B, 20),
      message: Array("Hi There".utf8),
      tag: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      algorithm: .sha256, key: Array("Jefe".utf8),
      message: Array("what do ya want for nothing?".utf8),
      tag: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      algorithm: .sha256, key: repeated(0xAA, 20),
      message: repeated(0xDD, 50),
      tag: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      algorithm: .sha256,
      key: hexadecimal("0102030405060708090a0b0c0d0e0f10111213141516171819"),
      message: repeated(0xCD, 50),
      tag: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Vector(
      algorithm: .sha256, key: repeated(0x0C, 20),
      message: Array("Test With Truncation".utf8),
      tag: "a3b6167473100ee06e0c796c2955552b"),
    Vector(
      algorithm: .sha256, key: repeated(0xAA, 131),
      message: Array(
        "Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      tag: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      algorithm: .sha256, key: repeated(0xAA, 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than "
          + "block-size data. The key needs to be hashed before being used by the "
          + "HMAC algorithm.").utf8),
      tag: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    // RFC 4231, section 4, SHA-512; its fifth tag is truncated to 128 bits.
    Vector(
      algorithm: .sha512, key: repeated(0x0B, 20),
      message: Array("Hi There".utf8),
      tag: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
    Vector(
      algorithm: .sha512, key: Array("Jefe".utf8),
      message: Array("what do ya want for nothing?".utf8),
      tag: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
    Vector(
      algorithm: .sha512, key: repeated(0xAA, 20),
      message: repeated(0xDD, 50),
      tag: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
    Vector(
      algorithm: .sha512,
      key: hexadecimal("0102030405060708090a0b0c0d0e0f10111213141516171819"),
      message: repeated(0xCD, 50),
      tag: "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
        + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"),
    Vector(
      algorithm: .sha512, key: repeated(0x0C, 20),
      message: Array("Test With Truncation".utf8),
      tag: "415fad6271580a531d4179bc891d87a6"),
    Vector(
      algorithm: .sha512, key: repeated(0xAA, 131),
      message: Array(
        "Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      tag: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
    Vector(
      algorithm: .sha512, key: repeated(0xAA, 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than "
          + "block-size data. The key needs to be hashed before being used by the "
          + "HMAC algorithm.").utf8),
      tag: "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
        + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"),
  ]

  @Test(arguments: vectors)
  func tags(_ row: Vector) throws {
    var authentication = try HMAC(algorithm: row.algorithm, key: row.key.span)
    let expected = hexadecimal(row.tag)
    // A key can be used for any number of messages, in any order.
    for _ in 0..<2 {
      let tag = try authentication.tag(of: row.message.span)
      #expect(tag.count == row.algorithm.outputLength, "\(row)")
      #expect(Array(tag.revealed.prefix(expected.count)) == expected, "\(row)")
      _ = try authentication.tag(of: [0].span)
    }
  }

  @Test(arguments: HashAlgorithm.allCases)
  func anEmptyMessageHasATag(algorithm: HashAlgorithm) throws {
    let none: [UInt8] = []
    var authentication = try HMAC(algorithm: algorithm, key: [1].span)
    let first = try authentication.tag(of: none.span)
    _ = try authentication.tag(of: [1, 2, 3].span)
    let second = try authentication.tag(of: none.span)
    #expect(second.revealed == first.revealed)
  }

  @Test(arguments: HashAlgorithm.allCases)
  func anotherKeyHasAnotherTag(algorithm: HashAlgorithm) throws {
    let message: [UInt8] = [1, 2, 3]
    var one = try HMAC(algorithm: algorithm, key: repeated(1, 20).span)
    var other = try HMAC(algorithm: algorithm, key: repeated(2, 20).span)
    let first = try one.tag(of: message.span)
    let second = try other.tag(of: message.span)
    #expect(first.revealed != second.revealed)
  }

  @Test func theNamesAreThoseOfOtpauthURLs() {
    #expect(HashAlgorithm.sha1.name.bytes == Array("SHA1".utf8))
    #expect(HashAlgorithm.sha256.name.bytes == Array("SHA256".utf8))
    #expect(HashAlgorithm.sha512.name.bytes == Array("SHA512".utf8))
  }
}

private func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] {
  [UInt8](repeating: byte, count: count)
}

@Suite struct RandomTests {
  @Test(arguments: [-1, 0, 1, 12, 32, 10_000])
  func lengthIsAsRequested(count: Int) throws {
    #expect(try randomBytes(count: count).count == max(count, 0))
    #expect(try SecretBytes.random(count: count).count == max(count, 0))
  }

  /// The same 32 bytes twice, or a byte that never changes, is practically impossible.
  @Test func everyByteIsDrawn() throws {
    #expect(try randomBytes(count: 32) != randomBytes(count: 32))
    let draws = try (0..<20).map { _ in try SecretBytes.random(count: 64).revealed }
    for index in 0..<64 {
      #expect(draws.contains { $0[index] != draws[0][index] }, "byte \(index)")
    }
  }
}
