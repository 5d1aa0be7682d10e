import MFAAdminTestSupport
import MFAAttempt
import MFAModel
import Testing

@testable import MFAAdmin

@Suite struct UnlockingTests {
  static let now: Int64 = 1_700_000_000
  static let step = now / 30

  struct Case: CustomTestStringConvertible, Sendable {
    let number: Int
    let failures: UInt32
    /// The failures of attempts by the user's own programs.
    var own: UInt32 = 0
    /// The seconds since the last failure of either kind.
    let ago: Int64
    /// The number of steps that the watermark is ahead of the current step.
    let ahead: Int64
    let expectedAhead: Int64
    let writes: Bool
    let sentence: String
    /// The number of remembered sign-ins.
    var remembered = 0
    var testDescription: String { "case \(number)" }
  }

  static let warning =
    "; the last accepted code of phone lies in the future, and no code is accepted until then:"
    + " revoke the factor, and have the user enrol again"

  static let cases: [Case] = [
    Case(
      number: 1, failures: 0, ago: 0, ahead: -9, expectedAhead: -9, writes: false,
      sentence: "was not locked"),
    Case(
      number: 2, failures: 7, ago: 25, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "7 wrong codes, throttled 95 s: unlocked"),
    Case(
      number: 3, failures: 1, ago: 25, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "was not locked; cleared: 1 wrong code"),
    Case(
      number: 4, failures: 100, ago: 99_999, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "100 wrong codes, locked: unlocked"),
    Case(
      number: 5, failures: 0, ago: 0, ahead: 5, expectedAhead: 5, writes: false,
      sentence: "was not locked"),
    Case(
      number: 6, failures: 0, ago: 0, ahead: 6, expectedAhead: 6, writes: false,
      sentence: "was not locked" + warning),
    Case(
      number: 7, failures: 5, ago: -1000, ahead: .max / 2, expectedAhead: .max / 2,
      writes: true, sentence: "5 wrong codes, throttled 30 s: unlocked" + warning),
    Case(
      number: 8, failures: 0, own: 20, ago: 99_999, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "20 wrong codes in the user's own programs, locked: unlocked"),
    Case(
      number: 9, failures: 2, own: 7, ago: 25, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "2 wrong codes, 7 wrong codes in the user's own programs, throttled 95 s: unlocked"),
    Case(
      number: 10, failures: 85, own: 15, ago: 99_999, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "85 wrong codes, locked, 15 wrong codes in the user's own programs: unlocked"),
    Case(
      number: 11, failures: 0, own: 1, ago: 25, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "was not locked; cleared: 1 wrong code in the user's own programs"),
    Case(
      number: 12, failures: 100, ago: 99_999, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "100 wrong codes, locked: unlocked; cleared 1 remembered sign-in", remembered: 1),
    Case(
      number: 13, failures: 0, ago: 0, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "was not locked; cleared 2 remembered sign-ins", remembered: 2),
  ]

  @Test(arguments: cases) func decided(_ row: Case) throws {
    let factor = try factor(id(1), "phone")
    let record = try record("alice", [factor])
    var attempts = AttemptState(
      record: record.id, failures: row.failures,
      lastFailure: row.failures == 0 ? 0 : Self.now - row.ago,
      watermarks: [AttemptState.Watermark(factor: factor.id, step: Self.step + row.ahead)],
      ownProcessFailures: FailureCount(
        failures: row.own, last: row.own == 0 ? 0 : Self.now - row.ago))
    for number in 0..<row.remembered {
      attempts = attempts.remembering(SignInOriginDigest(.address, UInt64(number)), at: Self.now)
    }
    let unlocking = UserChange.Unlocking(
      record, attempts, ThrottlePolicy(), adjacentIntervals: 5, now: Self.now)
    #expect(unlocking.sentence == row.sentence)
    let state = attempts.unlocked(at: Self.now)
    #expect((state != attempts) == row.writes)
    #expect(state.watermarks.map(\.step) == [Self.step + row.expectedAhead])
    if row.writes {
      #expect(state.failures == 0 && state.ownProcessFailures.failures == 0)
      #expect(state.remembered.entries.isEmpty)
      #expect(state.standing(ThrottlePolicy(), now: Self.now) == .open)
    }
  }

  @Test func clockBeforeEpochKeepsWatermarks() throws {
    let factor = try factor(id(1), "phone")
    let record = try record("alice", [factor])
    let attempts = AttemptState(
      record: record.id, failures: 7, lastFailure: 7,
      watermarks: [AttemptState.Watermark(factor: factor.id, step: 9)])
    for now in [Int64.min, -1_000_000] {
      let unlocking = UserChange.Unlocking(
        record, attempts, ThrottlePolicy(), adjacentIntervals: 5, now: now)
      #expect(unlocking.failures == 7)
      let state = attempts.unlocked(at: now)
      #expect(state.watermarks.map(\.step) == [9] && state.failures == 0)
    }
  }
}
