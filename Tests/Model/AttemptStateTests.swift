@testable import MFAModel
import Testing

@Suite struct AttemptStateTests {
  private static let policy = ThrottlePolicy()
  private static let now: Int64 = 1_795_000_000
  private static let first = identifier(1)
  private static let second = identifier(2)

  private static func state(
    failures: UInt32 = 0, lastFailure: Int64 = 0, step: Int64 = 100, ownProcessFailures: UInt32 = 0
  ) -> AttemptState {
    AttemptState(
      record: identifier(0xEE), failures: failures, lastFailure: lastFailure,
      watermarks: [
        .init(factor: first, step: step), .init(factor: second, step: step),
      ], ownProcessFailures: FailureCount(failures: ownProcessFailures, last: now))
  }

  /// Returns the state after the attempt was counted, or nil if the attempt is refused.
  private static func counted(_ state: AttemptState, at now: Int64 = now) -> AttemptState? {
    switch state.begin(policy, now: now) {
    case .counted(let next): next
    case .refused, .repeated: nil
    }
  }

  // MARK: Counting

  /// MUST 1.
  @Test func attemptIsCountedBeforeComparison() throws {
    let state = Self.state(failures: 2, lastFailure: 7)
    let counted = try #require(Self.counted(state))
    #expect(counted.failures == 3)
    #expect(counted.lastFailure == Self.now)
    #expect(counted.watermarks == state.watermarks)
    #expect(counted.record == state.record)
    // The attempt stays counted whether the code is wrong or used.
    #expect(counted.accepting([]) == nil)
    #expect(counted.accepting([.init(factor: Self.first, step: 100)]) == nil)
  }

  /// MUST 1: five attempts can begin before the first wait, even if none of them has ended.
  @Test func fiveAreCountedBeforeTheFirstWait() {
    var state = Self.state()
    var number = 0
    while number < 1_000, let next = Self.counted(state) {
      state = next
      number += 1
    }
    #expect(number == 5)
    #expect(state.begin(Self.policy, now: Self.now) == .refused(.throttled(seconds: 30)))
  }

  struct Standing: Sendable {
    let failures: UInt32
    let elapsed: Int64
    let standing: AttemptState.Standing
  }

  @Test(arguments: [
    Standing(failures: 0, elapsed: 0, standing: .open),
    Standing(failures: 4, elapsed: 0, standing: .open),
    Standing(failures: 5, elapsed: 0, standing: .throttled(seconds: 30)),
    Standing(failures: 5, elapsed: 2, standing: .throttled(seconds: 28)),
    Standing(failures: 5, elapsed: 29, standing: .throttled(seconds: 1)),
    Standing(failures: 5, elapsed: 30, standing: .open),
    Standing(failures: 6, elapsed: 30, standing: .throttled(seconds: 30)),
    Standing(failures: 9, elapsed: 0, standing: .throttled(seconds: 480)),
    Standing(failures: 10, elapsed: 0, standing: .throttled(seconds: 900)),
    Standing(failures: 99, elapsed: 899, standing: .throttled(seconds: 1)),
    Standing(failures: 99, elapsed: 900, standing: .open),
    Standing(failures: 100, elapsed: 1 << 40, standing: .locked),
    Standing(failures: .max, elapsed: 0, standing: .locked),
    // A time in the future counts as now.
    Standing(failures: 5, elapsed: -1, standing: .throttled(seconds: 30)),
    Standing(failures: 5, elapsed: -1 << 40, standing: .throttled(seconds: 30)),
    Standing(failures: 4, elapsed: -1 << 40, standing: .open),
  ])
  func standings(_ row: Standing) {
    let state = Self.state(failures: row.failures, lastFailure: Self.now - row.elapsed)
    #expect(state.standing(Self.policy, now: Self.now) == row.standing, "\(row)")
  }

  @Test func disabledAfterAHundred() {
    var state = Self.state()
    var now = Self.now
    var number = 0
    while number < 1_000, let next = Self.counted(state, at: now) {
      state = next
      now += 900
      number += 1
    }
    #expect(number == 100)
    #expect(state.standing(Self.policy, now: .max) == .locked)
    #expect(state.begin(Self.policy, now: .max) == .refused(.locked))
    #expect(state.begin(Self.policy, now: .min) == .refused(.locked))
  }

  @Test func hundredthAttemptCanBeAccepted() throws {
    let state = Self.state(failures: 99, lastFailure: Self.now - 900)
    let counted = try #require(Self.counted(state))
    #expect(counted.standing(Self.policy, now: Self.now) == .locked)
    let (factor, next) = try #require(counted.accepting([.init(factor: Self.first, step: 101)]))
    #expect(factor == Self.first)
    #expect(next.standing(Self.policy, now: Self.now) == .open)
  }

  /// MUST 3.
  @Test func clockSetBack() {
    let state = Self.state(failures: 5, lastFailure: Self.now)
    for back in [1, 29, 30, 31, 86_400, Self.now] {
      #expect(
        state.begin(Self.policy, now: Self.now - back) == .refused(.throttled(seconds: 30)),
        "\(back) s back")
    }
    // With too few failures for a wait, the later failure time is kept.
    let counted = Self.counted(Self.state(failures: 3, lastFailure: Self.now), at: Self.now - 60)
    #expect(counted?.failures == 4 && counted?.lastFailure == Self.now)
  }

  /// MUST 4.
  @Test func ownProcessFailures() throws {
    var state = Self.state()
    var now = Self.now
    var number = 0
    while case .counted(let next) = state.begin(Self.policy, now: now, .init(counter: .ownProcess))
    {
      state = next
      #expect(state.failures == 0 && state.standing(Self.policy, now: now) == .open)
      now += 900
      number += 1
    }
    #expect(number == 20)
    #expect(state.standing(Self.policy, now: now, counter: .ownProcess) == .locked)
    // The user's own programs wait as long, with a separate count.
    #expect(
      Self.state(ownProcessFailures: 5).standing(Self.policy, now: Self.now, counter: .ownProcess)
        == .throttled(seconds: 30))
    #expect(
      Self.state(failures: 5).standing(Self.policy, now: Self.now, counter: .ownProcess) == .open)
    // All failures together never exceed the limit.
    while case .counted(let next) = state.begin(Self.policy, now: now) {
      state = next
      now += 900
      number += 1
    }
    #expect(number == 100 && state.standing(Self.policy, now: now) == .locked)
    // An accepted code resets both counts.
    let (factor, accepted) = try #require(state.accepting([.init(factor: Self.first, step: 101)]))
    #expect(factor == Self.first)
    #expect(accepted.failures == 0 && accepted.ownProcessFailures == FailureCount())
    #expect(state.unlocked().ownProcessFailures == FailureCount())
    // A policy that locks at the first failure still allows one attempt.
    #expect(AttemptState.maximumUnprivilegedFailures(ThrottlePolicy(locksAfter: 1)) == 1)
  }

  @Test func interruptedChangeIsCounted() throws {
    let before = Self.state()
    let next = try #require(before.countingOwnChange(at: Self.now))
    #expect(before.preparing(for: next).ownChanges == next.ownChanges)
    #expect(before.ownChanges != next.ownChanges)
  }

  @Test func changesOfAnHour() throws {
    var state = Self.state()
    let start = Self.now / 3600 * 3600
    for number in 1...30 {
      state = try #require(state.countingOwnChange(at: start + 60), "change \(number)")
    }
    #expect(state.countingOwnChange(at: start + 60) == nil)
    #expect(state.ownChanges.secondsLeft(at: start + 60) == 3540)
    #expect(state.countingOwnChange(at: start + 3599) == nil)
    // A clock that was set back starts no new hour.
    #expect(state.countingOwnChange(at: start - 7200) == nil)
    #expect(state.countingOwnChange(at: start + 3600)?.ownChanges.count == 1)
    // The count is kept when the first factor is enrolled.
    let user = try #require(UserName(Array("alice".utf8)))
    let record = FactorRecord(user: user, uid: 1, id: Self.first)
    #expect(state.beginning(record).ownChanges == state.ownChanges)
    for time in [Int64.min, -1, 0, .max] {
      _ = state.ownChanges.secondsLeft(at: time)
      _ = HourlyCount(hour: .max, count: 1).secondsLeft(at: time)
    }
  }

  @Test func extremeTimesDoNotTrap() {
    for time in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
      for last in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
        for failures in [0, 5, 99, 100, UInt32.max] as [UInt32] {
          let state = Self.state(failures: failures, lastFailure: last)
          let standing = state.standing(Self.policy, now: time)
          switch standing {
          case .open: #expect(failures < 100)
          case .throttled(let seconds): #expect((1...900).contains(seconds))
          case .locked: #expect(failures >= 100)
          }
          switch state.begin(Self.policy, now: time) {
          case .counted(let next):
            #expect(standing == .open)
            #expect(next.failures == failures + 1)
          case .refused(let refusal): #expect(refusal == standing)
          case .repeated: Issue.record("nothing was typed")
          }
        }
      }
    }
  }

  // MARK: Verifying

  /// MUST 2.
  @Test func acceptedOnce() throws {
    var state = try #require(Self.counted(Self.state(step: 100)))
    let matches = [AttemptState.Match(factor: Self.first, step: 103)]
    let accepted = try #require(state.accepting(matches))
    #expect(accepted.factor == Self.first)
    #expect(accepted.state.failures == 0)
    #expect(accepted.state.lastFailure == 0)
    state = try #require(Self.counted(accepted.state))
    for step in [103, 102, 100, 0, -1, .min] as [Int64] {
      let again = state.accepting([.init(factor: Self.first, step: step)])
      #expect(again == nil, "step \(step)")
    }
    #expect(state.accepting([.init(factor: Self.first, step: 104)])?.factor == Self.first)
  }

  @Test func eachFactorHasItsOwnWatermark() throws {
    let state = try #require(Self.counted(Self.state(step: 100)))
    let next = try #require(state.accepting([.init(factor: Self.first, step: 105)])).state
    #expect(
      next.watermarks == [
        .init(factor: Self.first, step: 105), .init(factor: Self.second, step: 100),
      ]
    )
    #expect(next.accepting([.init(factor: Self.second, step: 101)])?.factor == Self.second)
  }

  /// MUST 2 for two factors with the same secret, and therefore the same codes.
  @Test func codeOfSharedSecretIsAcceptedOnce() throws {
    let matches = [
      AttemptState.Match(factor: Self.first, step: 101),
      AttemptState.Match(factor: Self.second, step: 101),
    ]
    let state = try #require(Self.counted(Self.state(step: 100)))
    let accepted = try #require(state.accepting(matches))
    #expect(accepted.factor == Self.first)
    let again = try #require(Self.counted(accepted.state))
    #expect(again.accepting(matches) == nil)
    #expect(again.accepting(Array(matches.reversed())) == nil)
    #expect(again.accepting([matches[1]]) == nil)
  }

  @Test func factorWithUnusedStepIsAccepted() throws {
    let state = AttemptState(
      record: .zero,
      watermarks: [.init(factor: Self.first, step: 200), .init(factor: Self.second, step: 100)])
    let counted = try #require(Self.counted(state))
    let (factor, next) = try #require(
      counted.accepting([
        .init(factor: Self.first, step: 150), .init(factor: Self.second, step: 150),
      ]))
    #expect(factor == Self.second)
    // A watermark never moves back.
    #expect(
      next.watermarks == [
        .init(factor: Self.first, step: 200), .init(factor: Self.second, step: 150),
      ]
    )
  }

  @Test func aFactorWithoutAWatermarkAcceptsNothing() throws {
    let counted = try #require(Self.counted(AttemptState(record: .zero)))
    #expect(counted.accepting([.init(factor: Self.first, step: .max)]) == nil)
  }

  // MARK: Adding and removing factors

  @Test func aNewFactorStartsAtTheStepThatConfirmedIt() {
    let state = AttemptState(record: .zero).adding(Self.first, confirmedAt: 7)
    #expect(state.watermarks == [.init(factor: Self.first, step: 7)])
    #expect(state.accepting([.init(factor: Self.first, step: 7)]) == nil)
    #expect(state.accepting([.init(factor: Self.first, step: 8)])?.factor == Self.first)
    let again = state.adding(Self.second, confirmedAt: 9).adding(Self.first, confirmedAt: 8)
    #expect(
      again.watermarks == [.init(factor: Self.second, step: 9), .init(factor: Self.first, step: 8)])
  }

  @Test func unlocked() {
    let state = AttemptState(
      record: identifier(0xEE), failures: 100, lastFailure: Self.now,
      watermarks: [.init(factor: Self.first, step: 900), .init(factor: Self.second, step: 100)])
    let next = state.unlocked()
    #expect(next.standing(Self.policy, now: Self.now) == .open)
    #expect(next.failures == 0)
    #expect(next.lastFailure == 0)
    #expect(next.record == state.record)
    #expect(next.watermarks == state.watermarks)
  }

  // MARK: Pending notices

  @Test func failuresStayPendingUntilShown() {
    var state = AttemptState(record: identifier(1))
    for (number, address) in [(1, "192.0.2.7"), (2, "203.0.113.9")] {
      guard
        case .counted(let next) = state.begin(
          Self.policy, now: Self.now + Int64(number),
          .init(from: Source(Array(address.utf8))))
      else {
        Issue.record("attempt \(number) was refused")
        return
      }
      state = next
    }
    #expect(
      state.unreported
        == .init(
          failures: 2, lastFailure: Self.now + 2, source: Source(Array("203.0.113.9".utf8))))
    #expect(state.unlocked().unreported == state.unreported, "unlocking keeps pending failures")
    let told = state.told(upTo: 7)
    #expect(told.unreported == .init(lastShownNotice: 7))
    #expect(told.failures == 2, "showing failures does not reset the count")
    #expect(state.restoring(told.unreported).unreported == told.unreported)
  }

  @Test func firstFactorKeepsPendingFailures() throws {
    let state = AttemptState(
      record: .zero, failures: 100, lastFailure: Self.now,
      watermarks: [.init(factor: Self.first, step: 9)], postponedSignIns: 2,
      unreported: .init(failures: 3, lastShownNotice: 1))
    let record = try record(1)
    #expect(
      state.beginning(record)
        == AttemptState(record: record.id, postponedSignIns: 2, unreported: state.unreported))
  }

  // MARK: Binary form

  private static let samples = [
    AttemptState(record: .zero),
    state(failures: 5, lastFailure: now),
    AttemptState(
      record: identifier(0xFF), failures: .max, lastFailure: .min,
      watermarks: (1...8).map { .init(factor: identifier($0), step: $0 % 2 == 0 ? .min : .max) },
      postponedSignIns: .max,
      unreported: .init(
        failures: .max, lastFailure: .min, source: Source([UInt8](repeating: 0x78, count: 64)),
        lastShownNotice: .max),
      ownProcessFailures: FailureCount(failures: .max, last: .min),
      daemonFailures: FailureCount(failures: .max, last: .max),
      ownChanges: HourlyCount(hour: .max, count: .max),
      binding: RecordBinding(
        current: .init(checksum: .max, fingerprint: 1), pending: .init(checksum: 0, fingerprint: 0),
        position: .init(log: .max, entry: .max))),
    AttemptState(
      record: .zero,
      binding: RecordBinding(
        current: .init(checksum: 7, fingerprint: 8), position: .init(log: 9, entry: 10))),
    AttemptState(record: .zero, recentAnswers: answers(.max, at: 0)),
    AttemptState(record: .zero).showing(ShownKey(time: .max, digest: .max)),
    AttemptState(
      record: .zero,
      binding: RecordBinding(
        current: .init(checksum: 7, fingerprint: 8), pending: RecordBinding.Identity.none,
        position: .init(log: 9, entry: 10)),
      recentAnswers: answers(0x0102_0304_0506_0708, at: 1_700_000_000), recentTurns: turns(7, .max)),
  ]

  private static func answers(_ code: UInt64, at time: Int64) -> RecentAnswers {
    var answers = RecentAnswers()
    answers.reject(TypedAnswer([code, 7], scope: 9), at: time)
    answers.accept(8, of: TypedAnswer([8]), at: time)
    return answers
  }

  private static func turns(_ sources: UInt32...) -> RecentTurns {
    var turns = RecentTurns()
    for source in sources { turns.add(source) }
    return turns
  }

  @Test(arguments: samples)
  func encodedStateReadsBackEqual(_ sample: AttemptState) throws {
    for sequence in [0, 1, 1 << 40, UInt64.max] as [UInt64] {
      let encoded = sample.encoded(sequence: sequence)
      #expect(encoded.count == AttemptState.encodedLength)
      let read = try #require(decodedState(encoded))
      #expect(read.state == sample)
      #expect(read.sequence == sequence)
    }
  }

  /// A change of any single bit, or of a whole byte, is refused, or decodes to a different value
  /// with the same encoding.
  @Test(arguments: samples)
  func everyChangedByteIsSignificant(_ sample: AttemptState) {
    let encoded = sample.encoded(sequence: 3)
    for index in encoded.indices {
      for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] as [UInt8] {
        var other = encoded
        other[index] ^= flip
        guard let read = decodedState(other) else { continue }
        #expect(read.state != sample || read.sequence != 3, "byte \(index) ^ \(flip)")
        #expect(read.state.encoded(sequence: read.sequence) == other, "byte \(index) ^ \(flip)")
      }
    }
  }

  @Test(arguments: samples)
  func everyOtherLengthIsRefused(_ sample: AttemptState) {
    let encoded = sample.encoded(sequence: 3)
    for count in encoded.indices {
      #expect(decodedState(Array(encoded.prefix(count))) == nil, "\(count)")
    }
    #expect(decodedState(encoded + [0]) == nil)
  }

  @Test func stateMatchesItsRecord() {
    let one = RecordBinding.Identity(checksum: 1, fingerprint: 10)
    let two = RecordBinding.Identity(checksum: 2, fingerprint: 20)
    let id = Self.first
    var state = AttemptState(record: id)
    #expect(state.goes(with: id, checksum: 9) && !state.goes(with: Self.second, checksum: 9))
    #expect(state.allowsMissingRecord)
    state.binding = RecordBinding(current: one)
    #expect(state.goes(with: Self.second, checksum: 1) && !state.goes(with: id, checksum: 2))
    #expect(!state.allowsMissingRecord)
    state.binding?.pending = two
    #expect(state.goes(with: id, checksum: 1) && state.goes(with: id, checksum: 2))
    #expect(!state.allowsMissingRecord && !state.goes(with: id, checksum: 0))
    state.binding?.pending = RecordBinding.Identity.none
    #expect(state.allowsMissingRecord)
    #expect(state.binding?.allows(fingerprint: 10) == true)
    #expect(state.binding?.allows(fingerprint: 0) == true)
    #expect(state.binding?.allows(fingerprint: 20) == false)
  }

  /// Whichever record an interrupted change leaves behind, its factors have watermarks.
  @Test func preparingKeepsAndAddsWatermarks() {
    let before = AttemptState(
      record: .zero, failures: 3,
      watermarks: (1...8).map { .init(factor: identifier($0), step: 1) })
    let after = AttemptState(
      record: identifier(1),
      watermarks: (2...9).map { .init(factor: identifier($0), step: $0 == 2 ? 50 : 2) })
    let prepared = before.preparing(for: after)
    #expect(prepared.failures == 3 && prepared.watermarks.count == 8)
    #expect(
      prepared.watermark(of: identifier(2)) == 1 && prepared.watermark(of: identifier(9)) == 2)
    #expect(before.preparing(for: before) == before)
  }

  @Test func otherVersionsAndKindsAreRefused() {
    let encoded = Self.samples[1].encoded(sequence: 3)
    for version in UInt16.min...UInt16.max where version != AttemptState.version {
      var other = encoded
      other[4] = UInt8(version >> 8)
      other[5] = UInt8(version & 0xFF)
      #expect(decodedState(other) == nil, "version \(version)")
    }
    #expect(decodedState([UInt8](repeating: 0, count: AttemptState.encodedLength)) == nil)
    #expect(decodedState([UInt8](repeating: 0xFF, count: AttemptState.encodedLength)) == nil)
  }
}
