import MFAModel
import MFARealm
import MFASignIn
import MFAStore
import MFABase
import Testing

@testable import MFAVerifier

@Suite("What the decision service counts")
struct DecisionCountersTests {
  @Test("each counter counts for itself")
  func independent() throws {
    let counters = try #require(DecisionCounters())
    for counter in DecisionCounter.allCases {
      for _ in 0...counter.index { counters.add(counter) }
    }
    let numbers = counters.numbers
    for counter in DecisionCounter.allCases {
      #expect(numbers[counter] == UInt64(counter.index) + 1)
    }
    #expect(numbers.timings.allSatisfy { $0 == 0 })
  }

  @Test("a time is counted in the bucket whose bound it does not exceed")
  func timings() throws {
    let counters = try #require(DecisionCounters())
    for time: UInt64 in [0, 250, 251, 2_000_000] { counters.add(.commit, microseconds: time) }
    let (counts, sum) = counters.numbers.distribution(.commit)
    #expect(counts == [2, 1] + [UInt64](repeating: 0, count: 9) + [1])
    #expect(sum == 2_000_501)
    #expect(counters.numbers.distribution(.load).counts.allSatisfy { $0 == 0 })
  }

  /// MUST 1 of DecisionCounters.swift.
  @Test("a sum goes on above 32 bits")
  func carries() throws {
    let counters = try #require(DecisionCounters())
    for _ in 0..<3 { counters.add(.load, microseconds: 4_000_000_000) }
    #expect(counters.numbers.distribution(.load).sum == 12_000_000_000)
  }

  @Test("numbers of another version are 0 where they are missing")
  func otherVersion() {
    let numbers = DecisionNumbers(counters: [7], timings: [])
    #expect(numbers[.denied] == 7 && numbers[.allowed] == 0)
    #expect(numbers.distribution(.commit).counts.count == DecisionTiming.width - 1)
  }

  @Test(
    "a result is counted, unless it is not logged either",
    arguments: [
      (1, .allowed(.code(.factor(nil))), .accepted),
      (2, .allowed(.code(.recoveryCode(left: 1, nil))), .recoveryCode),
      (3, .allowed(.code(.bypassCode(nil, usesLeft: 1, nil))), .bypassCode),
      (4, .allowed(.remembered(age: 1)), .remembered), (5, .allowed(.enrolled), nil),
      (6, .passed(.notEnrolled), .notEnrolled), (7, .passed(.switchedOff), nil),
      (8, .passed(.enrollmentPending), .enrollmentPending), (9, .passed(.leftToNextLines), nil),
      (10, .denied(.code(.wrong(wait: 0))), .wrong),
      (11, .denied(.code(.replayed(nil, wait: 0))), .replayed),
      (24, .denied(.code(.ofAnotherTime(secondsAhead: 240, wait: 0))), .wrong),
      (12, .denied(.code(.lockedNow(replayed: nil))), .wrong),
      (13, .denied(.code(.lockedNow(replayed: .zero))), .replayed),
      (14, .denied(.code(.throttled(seconds: 1))), .throttled),
      (15, .denied(.code(.locked)), .locked),
      (16, .denied(.code(.notACode(.tooLong))), .notACode),
      (17, .denied(.code(.notEnrolled)), .error), (18, .denied(.unknownUser), .unknownUser),
      (19, .denied(.enrollmentRequired(.abandoned)), .enrollmentRequired),
      (27, .denied(.codeRequired(isEnrolled: true)), .codeRequired),
      (20, .denied(.failed(.store(.engine(.budgetUsedUp)))), .hostBudget),
      (21, .denied(.failed(.store(.engine(.deadline)))), .error),
      (22, .denied(.failed(.firstFactorMissing)), .error),
      (23, .denied(.code(.repeated(.used))), .replayed),
      (24, .denied(.code(.repeated(.rejected))), .wrong),
      (25, .denied(.code(.notYet(.zero, seconds: 60))), .replayed),
      (26, .denied(.code(.typeNotAllowed(.zero, .totp))), .replayed),
    ] as [(Int, SignInResult, DecisionCounter?)])
  func results(row: Int, result: SignInResult, counter: DecisionCounter?) {
    #expect(DecisionCounter(result) == counter, "row \(row)")
  }

  @Test(
    "only a code of the user's factors, or a recovery code, moves the factors of a renamed user",
    arguments: [
      (1, .allowed(.code(.factor(nil))), true),
      (2, .allowed(.code(.recoveryCode(left: 1, nil))), true),
      (3, .allowed(.code(.bypassCode(nil, usesLeft: 1, nil))), false),
      (4, .allowed(.remembered(age: 1)), false), (5, .allowed(.enrolled), false),
      (6, .passed(.notEnrolled), false), (7, .denied(.code(.wrong(wait: 0))), false),
      (8, .denied(.failed(.firstFactorMissing)), false),
    ] as [(Int, SignInResult, Bool)])
  func moves(row: Int, result: SignInResult, isMoving: Bool) {
    #expect(result.movesFactors == isMoving, "row \(row)")
  }
}
