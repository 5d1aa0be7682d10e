import MFAModel
import MFABase
import MFAStore
import Testing

/// The test vectors of the RFCs, one file each in Tests/Vectors.
@Suite struct VectorTests {
  @Test(arguments: try Vector.all(in: "hotp", count: 10))
  func hotp(_ vector: Vector) throws {
    let counter: UInt64 = try vector.number("counter")
    let codes = try codes(
      secret: vector.secret(), algorithm: vector.algorithm(), length: vector.codeLength(),
      counters: counter...counter)
    #expect(codes == [try vector.text("expect")])
  }

  @Test(arguments: try Vector.all(in: "totp", count: 18))
  func totp(_ vector: Vector) throws {
    let algorithm = try vector.algorithm()
    let secret = try vector.secret()
    #expect(secret.count == algorithm.outputLength)
    let parameters = try #require(
      TOTPParameters(
        algorithm: algorithm, codeLength: vector.codeLength(), period: vector.number("period")))
    let step = UInt64(parameters.step(at: try vector.number("time")))
    let codes = try codes(
      secret: secret, algorithm: algorithm, length: parameters.codeLength, counters: step...step)
    #expect(codes == [try vector.text("expect")])
  }

  /// A shorter code consists of the last digits of a longer one (RFC 4226, section 5.3, step 3).
  @Test(arguments: HashAlgorithm.allCases)
  func aShorterCodeEndsALongerOne(algorithm: HashAlgorithm) throws {
    let secret = Array("12345678901234567890".utf8)
    let counters: ClosedRange<UInt64> = 0...200
    let eight = try codes(
      secret: secret, algorithm: algorithm, length: .eight, counters: counters)
    for length in CodeLength.allCases {
      let shorter = try codes(
        secret: secret, algorithm: algorithm, length: length, counters: counters)
      #expect(shorter == eight.map { String($0.suffix(Int(length.rawValue))) })
    }
  }

  /// The counter has 64 bits, and none of them is ignored.
  @Test func everyBitOfTheCounterCounts() throws {
    var hotp = try HOTP(secret: Array("12345678901234567890".utf8).span, algorithm: .sha1)
    var seen: Set<UInt32> = []
    for bit in 0..<64 { seen.insert(try hotp.code(at: 1 << bit, digits: .eight).value) }
    seen.insert(try hotp.code(at: .max, digits: .eight).value)
    seen.insert(try hotp.code(at: 0, digits: .eight).value)
    #expect(seen.count == 66)
  }
}
