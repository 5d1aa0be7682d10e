import MFABase
import MFACrypto
import MFAModel
import MFAStore
import Testing

@Suite struct VerificationTests {
  private static let secret = Array("12345678901234567890".utf8)
  private static let now: Int64 = 1_795_000_000

  /// Returns the code of a time step.
  private func code(
    at step: Int64, parameters: TOTPParameters = .standard
  ) throws(SystemError) -> Code {
    var hotp = try HOTP(secret: Self.secret.span, algorithm: parameters.algorithm)
    return try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength)
  }

  private func latestMatch(
    of code: Code, parameters: TOTPParameters = .standard, now: Int64 = now,
    adjacentIntervals: UInt8, secret: [UInt8] = secret
  ) throws(SystemError) -> Int64? {
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

@Suite struct ThrottlePolicyTests {
  struct Wait: Sendable {
    let waitsAfter: UInt32
    let firstWait: Int64
    let longestWait: Int64
    let failures: UInt32
    let wait: Int64
  }

  @Test(arguments: [
    Wait(waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 0, wait: 0),
    Wait(waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 4, wait: 0),
    Wait(waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 5, wait: 30),
    Wait(waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 6, wait: 60),
    Wait(waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 9, wait: 480),
    Wait(waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 10, wait: 900),
    Wait(waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 100, wait: 900),
    Wait(waitsAfter: 5, firstWait: 30, longestWait: 900, failures: .max, wait: 900),
    Wait(waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: 0, wait: 0),
    Wait(waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: 1, wait: 1),
    Wait(waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: 17, wait: 65_536),
    Wait(waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: 18, wait: 86_400),
    Wait(waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: .max, wait: 86_400),
    Wait(waitsAfter: 1, firstWait: 86_400, longestWait: 86_400, failures: 17, wait: 86_400),
    Wait(waitsAfter: 100, firstWait: 7, longestWait: 7, failures: 99, wait: 0),
    Wait(waitsAfter: 100, firstWait: 7, longestWait: 7, failures: 100, wait: 7),
  ])
  func waits(_ row: Wait) {
    let policy = ThrottlePolicy(
      waitsAfter: row.waitsAfter, firstWait: row.firstWait, longestWait: row.longestWait)
    #expect(policy.wait(afterFailures: row.failures) == row.wait, "\(row)")
  }

  /// Values at, next to and far outside the limits of their ranges.
  private static let counts: [UInt32] = [0, 1, 2, 4, 5, 99, 100, 101, .max / 2, .max - 1, .max]
  private static let seconds: [Int64] = [.min, -1, 0, 1, 30, 900, 86_399, 86_400, 86_401, .max]

  /// MUST 1.
  @Test func aFurtherFailureNeverMakesTheWaitShorter() {
    for waitsAfter in Self.counts {
      for firstWait in Self.seconds {
        for longestWait in Self.seconds {
          let policy = ThrottlePolicy(
            waitsAfter: waitsAfter, firstWait: firstWait, longestWait: longestWait)
          var before: Int64 = 0
          for failures in Array(0...130) + [UInt32.max / 2, .max - 1, .max] {
            let wait = policy.wait(afterFailures: failures)
            #expect(wait >= before && wait <= policy.longestWait)
            #expect((wait > 0) == (failures >= policy.waitsAfter))
            before = wait
          }
        }
      }
    }
  }

  /// MUST 2.
  @Test func everyPolicyWaitsAndLocks() {
    for waitsAfter in Self.counts {
      for locksAfter in Self.counts {
        let policy = ThrottlePolicy(waitsAfter: waitsAfter, locksAfter: locksAfter)
        #expect((1...100).contains(policy.locksAfter))
        #expect((1...policy.locksAfter).contains(policy.waitsAfter))
      }
    }
  }

  struct Stricter: Sendable {
    let made: ThrottlePolicy
    var waitsAfter: UInt32 = 5
    var firstWait: Int64 = 30
    var longestWait: Int64 = 900
    var locksAfter: UInt32 = 100
  }

  @Test(arguments: [
    Stricter(made: ThrottlePolicy()),
    Stricter(made: ThrottlePolicy(waitsAfter: 0), waitsAfter: 1),
    Stricter(made: ThrottlePolicy(waitsAfter: 101), waitsAfter: 100),
    Stricter(made: ThrottlePolicy(firstWait: 0), firstWait: 1),
    Stricter(made: ThrottlePolicy(firstWait: .min), firstWait: 1),
    Stricter(made: ThrottlePolicy(firstWait: 901), firstWait: 901, longestWait: 901),
    Stricter(made: ThrottlePolicy(firstWait: .max), firstWait: 86_400, longestWait: 86_400),
    Stricter(made: ThrottlePolicy(longestWait: 86_401), longestWait: 86_400),
    Stricter(made: ThrottlePolicy(longestWait: 29), longestWait: 30),
    Stricter(made: ThrottlePolicy(locksAfter: 0), waitsAfter: 1, locksAfter: 1),
    Stricter(made: ThrottlePolicy(locksAfter: .max)),
    Stricter(made: ThrottlePolicy(locksAfter: 4), waitsAfter: 4, locksAfter: 4),
  ])
  func theStricterValueHolds(_ row: Stricter) {
    #expect(row.made.waitsAfter == row.waitsAfter, "\(row)")
    #expect(row.made.firstWait == row.firstWait, "\(row)")
    #expect(row.made.longestWait == row.longestWait, "\(row)")
    #expect(row.made.locksAfter == row.locksAfter, "\(row)")
  }
}

@Suite("Resynchronisation")
struct ResynchronizationTests {
  private static let secret = Array("12345678901234567890".utf8)
  private static let now: Int64 = 1_800_000_000
  private static let present = now / 30

  private func code(at step: Int64) throws -> Code {
    var hotp = try HOTP(secret: Self.secret.span, algorithm: .sha1)
    return try hotp.code(at: UInt64(step), digits: .six)
  }

  private func finding(
    _ first: Int64, _ second: Int64, watermark: Int64 = -1, now: Int64 = now
  ) throws -> Resynchronization.Finding? {
    try Resynchronization.finding(
      first: try code(at: first), second: try code(at: second), secret: Self.secret.span,
      parameters: .standard, now: now, watermark: watermark)
  }

  @Test(
    "two consecutive codes determine how far ahead the authenticator is",
    arguments: [-10, -9, -1, 0, 1, 7, 10] as [Int64])
  func offset(ahead: Int64) throws {
    let found = try #require(try finding(Self.present + ahead - 1, Self.present + ahead))
    #expect(Int64(found.timeOffset) == ahead)
    #expect(found.step == Self.present + ahead)
  }

  @Test("offsets outside the range are not found", arguments: [-11, -12, -120, 11, 120] as [Int64])
  func beyondRange(ahead: Int64) throws {
    #expect(try finding(Self.present + ahead - 1, Self.present + ahead) == nil)
  }

  @Test(
    "codes that are not consecutive determine nothing",
    arguments: [(1, 0, 0), (2, 1, 0), (3, 0, 2), (4, -3, 5)] as [(Int, Int64, Int64)])
  func notConsecutive(row: Int, first: Int64, second: Int64) throws {
    #expect(try finding(Self.present + first, Self.present + second) == nil, "row \(row)")
  }

  @Test("a pair of codes with a used one changes nothing")
  func replayedPair() throws {
    let first = Self.present - 9
    #expect(try finding(first, first + 1, watermark: first + 1) == nil)
    #expect(try finding(first, first + 1, watermark: first) == nil)
    #expect(try finding(first, first + 1, watermark: first - 1) != nil)
  }

  @Test(
    "with an extreme clock, no offset is found",
    arguments: [Int64.min, -1_000_000, 0, 1, Int64.max])
  func anyClock(now: Int64) throws {
    _ = try finding(7, 9, now: now)
    #expect(try finding(7, 9, now: now) == nil)
  }

  @Test("the range is five minutes for every period")
  func steps() {
    #expect(
      ([15, 30, 60, 120, 0, 600] as [UInt16]).map { Resynchronization.steps(period: $0) }
        == [20, 10, 5, 2, 1, 1])
  }

  @Test(
    "the second code must follow within two minutes, and within two periods and 30 seconds",
    arguments: [(1, 15, 60), (2, 30, 90), (3, 45, 120), (4, 60, 120), (5, 120, 120)]
      as [(Int, UInt16, Int64)])
  func timely(row: Int, period: UInt16, longest: Int64) {
    for elapsed in [0, 1, longest] {
      #expect(Resynchronization.isTimely(elapsed, period: period), "row \(row)")
    }
    for elapsed in [-1, longest + 1, .min, .max] {
      #expect(!Resynchronization.isTimely(elapsed, period: period), "row \(row)")
    }
  }

  @Test("a factor's clock is ahead by its offset, and never overflows")
  func clock() throws {
    var factor = try factor(1)
    #expect(factor.clock(at: Self.now) == Self.now)
    factor.timeOffset = 4
    #expect(factor.clock(at: Self.now) == Self.now + 120)
    #expect(factor.clock(at: .max) == .max)
    factor.timeOffset = -4
    #expect(factor.clock(at: Self.now) == Self.now - 120)
    #expect(factor.clock(at: .min) == .min)
  }
}
