import MFAModel
import Testing

@Suite struct ThrottlePolicyTests {
  struct Wait: Sendable {
    let number: Int
    let waitsAfter: UInt32
    let firstWait: Int64
    let longestWait: Int64
    let failures: UInt32
    let wait: Int64
  }

  @Test(arguments: [
    Wait(number: 1, waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 0, wait: 0),
    Wait(number: 2, waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 4, wait: 0),
    Wait(number: 3, waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 5, wait: 30),
    Wait(number: 4, waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 6, wait: 60),
    Wait(number: 5, waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 9, wait: 480),
    Wait(number: 6, waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 10, wait: 900),
    Wait(number: 7, waitsAfter: 5, firstWait: 30, longestWait: 900, failures: 100, wait: 900),
    Wait(number: 8, waitsAfter: 5, firstWait: 30, longestWait: 900, failures: .max, wait: 900),
    Wait(number: 9, waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: 0, wait: 0),
    Wait(number: 10, waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: 1, wait: 1),
    Wait(number: 11, waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: 17, wait: 65_536),
    Wait(number: 12, waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: 18, wait: 86_400),
    Wait(
      number: 13, waitsAfter: 1, firstWait: 1, longestWait: 86_400, failures: .max, wait: 86_400),
    Wait(
      number: 14, waitsAfter: 1, firstWait: 86_400, longestWait: 86_400, failures: 17, wait: 86_400),
    Wait(number: 15, waitsAfter: 100, firstWait: 7, longestWait: 7, failures: 99, wait: 0),
    Wait(number: 16, waitsAfter: 100, firstWait: 7, longestWait: 7, failures: 100, wait: 7),
  ])
  func waits(_ row: Wait) {
    let policy = ThrottlePolicy(
      waitsAfter: row.waitsAfter, firstWait: row.firstWait, longestWait: row.longestWait)
    #expect(policy.wait(afterFailures: row.failures) == row.wait, "row \(row.number)")
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
    let number: Int
    let made: ThrottlePolicy
    var waitsAfter: UInt32 = 5
    var firstWait: Int64 = 30
    var longestWait: Int64 = 900
    var locksAfter: UInt32 = 100
  }

  @Test(arguments: [
    Stricter(number: 1, made: ThrottlePolicy()),
    Stricter(number: 2, made: ThrottlePolicy(waitsAfter: 0), waitsAfter: 1),
    Stricter(number: 3, made: ThrottlePolicy(waitsAfter: 101), waitsAfter: 100),
    Stricter(number: 4, made: ThrottlePolicy(firstWait: 0), firstWait: 1),
    Stricter(number: 5, made: ThrottlePolicy(firstWait: .min), firstWait: 1),
    Stricter(number: 6, made: ThrottlePolicy(firstWait: 901), firstWait: 901, longestWait: 901),
    Stricter(
      number: 7, made: ThrottlePolicy(firstWait: .max), firstWait: 86_400, longestWait: 86_400),
    Stricter(number: 8, made: ThrottlePolicy(longestWait: 86_401), longestWait: 86_400),
    Stricter(number: 9, made: ThrottlePolicy(longestWait: 29), longestWait: 30),
    Stricter(number: 10, made: ThrottlePolicy(locksAfter: 0), waitsAfter: 1, locksAfter: 1),
    Stricter(number: 11, made: ThrottlePolicy(locksAfter: .max)),
    Stricter(number: 12, made: ThrottlePolicy(locksAfter: 4), waitsAfter: 4, locksAfter: 4),
  ])
  func theStricterValueHolds(_ row: Stricter) {
    #expect(row.made.waitsAfter == row.waitsAfter, "row \(row.number)")
    #expect(row.made.firstWait == row.firstWait, "row \(row.number)")
    #expect(row.made.longestWait == row.longestWait, "row \(row.number)")
    #expect(row.made.locksAfter == row.locksAfter, "row \(row.number)")
  }
}
