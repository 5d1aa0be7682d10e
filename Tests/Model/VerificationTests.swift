import MFACrypto
import MFAModel
import MFABase
import MFAStore
import Testing

@Suite struct VerificationTests {
  private static let secret = Array("12345678901234567890".utf8)
  private static let now: Int64 = 1_795_000_000

  /// Returns the code of a time step.
  private func code(
    at step: Int64, parameters: TOTPParameters = .standard
  ) throws(CryptographyError) -> Code {
    var hotp = try HOTP(secret: Self.secret.span, algorithm: parameters.algorithm)
    return try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength)
  }

  private func latestMatch(
    of code: Code, parameters: TOTPParameters = .standard, now: Int64 = now,
    adjacentIntervals: UInt8, secret: [UInt8] = secret
  ) throws(CryptographyError) -> Int64? {
    try Verification.latestMatch(
      of: code, secret: secret.span, parameters: parameters, now: now,
      adjacentIntervals: adjacentIntervals)
  }

  /// Each of the 21 steps of the widest window, and the adjacent steps outside it, for all
  /// parameters.
  @Test func everyStepOfEveryWindow() throws {
    for algorithm in HashAlgorithm.allCases {
      for length in CodeLength.allCases {
        for period in [15, 30, 120] as [UInt16] {
          let parameters = try TOTPParameters(
            algorithm: algorithm, codeLength: length, period: period
          ).orThrow()
          let present = parameters.step(at: Self.now)
          for adjacentIntervals in [0, 1, 5, 10] as [UInt8] {
            let reach = Int64(adjacentIntervals)
            for offset in -reach - 2...reach + 2 {
              let match = try latestMatch(
                of: code(at: present + offset, parameters: parameters), parameters: parameters,
                adjacentIntervals: adjacentIntervals)
              let expected = (-reach...reach).contains(offset) ? present + offset : nil
              #expect(
                match == expected,
                "\(algorithm), \(length), \(period) s, \(adjacentIntervals) intervals, \(offset)")
            }
          }
        }
      }
    }
  }

  /// If two steps of a window have the same code, the later one is used.
  @Test func theLatestOfTwoStepsCounts() throws {
    var seen: [UInt32: Int64] = [:]
    var pairs: [(early: Int64, late: Int64)] = []
    var step: Int64 = 0
    while pairs.count < 3 {
      let value = try code(at: step).value
      if let early = seen[value], step - early <= 20 { pairs.append((early, step)) }
      seen[value] = step
      step += 1
      guard step < 500_000 else { break }
    }
    #expect(pairs.count == 3)
    for (early, late) in pairs {
      let middle = (early + late) / 2
      let both = try latestMatch(
        of: code(at: early), now: middle * 30, adjacentIntervals: 10)
      #expect(both == late)
      let before = try latestMatch(of: code(at: late), now: early * 30, adjacentIntervals: 0)
      #expect(before == early)
    }
  }

  @Test func aCodeOfAnotherLengthNeverMatches() throws {
    for length in CodeLength.allCases {
      for other in CodeLength.allCases where other != length {
        let parameters = try TOTPParameters(
          algorithm: .sha1, codeLength: length, period: 30
        ).orThrow()
        let otherParameters = try TOTPParameters(
          algorithm: .sha1, codeLength: other, period: 30
        ).orThrow()
        for step in Int64(0)...200 {
          let code = try code(at: step, parameters: otherParameters)
          let match = try latestMatch(
            of: code, parameters: parameters, now: step * 30, adjacentIntervals: 0)
          #expect(match == nil)
        }
      }
    }
  }

  /// RFC 4226, appendix D: 755224 is the code of counter 0.
  @Test func stepZeroIsAccepted() throws {
    let first = try Code(answer: Array("755224".utf8).span).orThrow()
    #expect(try latestMatch(of: first, now: 0, adjacentIntervals: 0) == 0)
    #expect(try latestMatch(of: first, now: 150, adjacentIntervals: 5) == 0)
    #expect(try latestMatch(of: first, now: -150, adjacentIntervals: 5) == 0)
    #expect(try latestMatch(of: first, now: -151, adjacentIntervals: 5) == nil)
    #expect(try latestMatch(of: first, now: 180, adjacentIntervals: 5) == nil)
  }

  @Test(arguments: [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max])
  func extremeTimesDoNotTrap(now: Int64) throws {
    let code = try Code(answer: Array("00000000".utf8).span).orThrow()
    for adjacentIntervals in [0, 10, 255] as [UInt8] {
      #expect(try latestMatch(of: code, now: now, adjacentIntervals: adjacentIntervals) == nil)
    }
  }

  @Test func anotherSecretHasOtherCodes() throws {
    let present = TOTPParameters.standard.step(at: Self.now)
    let code = try code(at: present)
    var other = Self.secret
    other[0] ^= 1
    #expect(try latestMatch(of: code, adjacentIntervals: 5, secret: other) == nil)
    #expect(try latestMatch(of: code, adjacentIntervals: 5) == present)
  }
}
