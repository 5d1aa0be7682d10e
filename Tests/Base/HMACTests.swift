import MFABase
import MFACrypto
import Testing

@Suite struct HMACTests {
  struct Vector: Sendable {
    let number: Int
    let algorithm: HashAlgorithm
    let key: [UInt8]
    let message: [UInt8]
    let tag: String
  }

  private static let vectors = [
    // RFC 2202, section 3.
    Vector(
      number: 1, algorithm: .sha1, key: repeated(0x0B, 20),
      message: Array("Hi There".utf8),
      tag: "b617318655057264e28bc0b6fb378c8ef146be00"),
    Vector(
      number: 2, algorithm: .sha1, key: Array("Jefe".utf8),
      message: Array("what do ya want for nothing?".utf8),
      tag: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    Vector(
      number: 3, algorithm: .sha1, key: repeated(0xAA, 20),
      message: repeated(0xDD, 50),
      tag: "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
    Vector(
      number: 4, algorithm: .sha1,
      key: hexadecimal("0102030405060708090a0b0c0d0e0f10111213141516171819"),
      message: repeated(0xCD, 50),
      tag: "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
    Vector(
      number: 5, algorithm: .sha1, key: repeated(0x0C, 20),
      message: Array("Test With Truncation".utf8),
      tag: "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
    Vector(
      number: 6, algorithm: .sha1, key: repeated(0xAA, 80),
      message: Array(
        "Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      tag: "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
    Vector(
      number: 7, algorithm: .sha1, key: repeated(0xAA, 80),
      message: Array(
        ("Test Using Larger Than Block-Size Key and Larger Than One Block-Size "
          + "Data").utf8),
      tag: "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
    // RFC 4231, section 4, SHA-256; its fifth tag is truncated to 128 bits.
    Vector(
      number: 8, algorithm: .sha256, key: repeated(0x0B, 20),
      message: Array("Hi There".utf8),
      tag: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      number: 9, algorithm: .sha256, key: Array("Jefe".utf8),
      message: Array("what do ya want for nothing?".utf8),
      tag: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      number: 10, algorithm: .sha256, key: repeated(0xAA, 20),
      message: repeated(0xDD, 50),
      tag: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      number: 11, algorithm: .sha256,
      key: hexadecimal("0102030405060708090a0b0c0d0e0f10111213141516171819"),
      message: repeated(0xCD, 50),
      tag: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Vector(
      number: 12, algorithm: .sha256, key: repeated(0x0C, 20),
      message: Array("Test With Truncation".utf8),
      tag: "a3b6167473100ee06e0c796c2955552b"),
    Vector(
      number: 13, algorithm: .sha256, key: repeated(0xAA, 131),
      message: Array(
        "Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      tag: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      number: 14, algorithm: .sha256, key: repeated(0xAA, 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than "
          + "block-size data. The key needs to be hashed before being used by the "
          + "HMAC algorithm.").utf8),
      tag: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    // RFC 4231, section 4, SHA-512; its fifth tag is truncated to 128 bits.
    Vector(
      number: 15, algorithm: .sha512, key: repeated(0x0B, 20),
      message: Array("Hi There".utf8),
      tag: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
    Vector(
      number: 16, algorithm: .sha512, key: Array("Jefe".utf8),
      message: Array("what do ya want for nothing?".utf8),
      tag: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
    Vector(
      number: 17, algorithm: .sha512, key: repeated(0xAA, 20),
      message: repeated(0xDD, 50),
      tag: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
    Vector(
      number: 18, algorithm: .sha512,
      key: hexadecimal("0102030405060708090a0b0c0d0e0f10111213141516171819"),
      message: repeated(0xCD, 50),
      tag: "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
        + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"),
    Vector(
      number: 19, algorithm: .sha512, key: repeated(0x0C, 20),
      message: Array("Test With Truncation".utf8),
      tag: "415fad6271580a531d4179bc891d87a6"),
    Vector(
      number: 20, algorithm: .sha512, key: repeated(0xAA, 131),
      message: Array(
        "Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      tag: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
    Vector(
      number: 21, algorithm: .sha512, key: repeated(0xAA, 131),
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
      #expect(tag.count == row.algorithm.outputLength, "row \(row.number)")
      #expect(Array(tag.revealed.prefix(expected.count)) == expected, "row \(row.number)")
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
