@testable import MFAModel
import MFATestSupport
import Testing

@Suite("Answers that were typed before")
struct RecentAnswersTests {
  private static let now: Int64 = 1_795_000_000 / 30 * 30
  private static let policy = ThrottlePolicy()

  private static func factor(period: UInt16 = 30, offset: Int32 = 0) throws -> Factor {
    let parameters = try #require(
      TOTPParameters(algorithm: .sha1, codeLength: .six, period: period))
    var factor = Factor(
      id: identifier(1), displayName: try #require(DisplayName(Array("Phone".utf8))), enrolledAt: 0,
      kind: .totp(parameters, sealedSecret: []))
    factor.timeOffset = offset
    return factor
  }

  private static func answer(
    _ codes: UInt64..., scope: UInt32 = 1, intervals: UInt8 = 5, factors: [Factor]? = nil
  ) throws -> TypedAnswer {
    TypedAnswer(
      codes, scope: scope, factors: try factors ?? [factor()], adjacentIntervals: intervals)
  }

  private static func begin(
    _ state: AttemptState, _ answer: TypedAnswer, at time: Int64
  ) -> AttemptState.Beginning {
    state.begin(policy, now: time, .init(answer: answer))
  }

  /// Returns the state after an answer that is counted and wrong.
  private static func counted(
    _ state: AttemptState, _ answer: TypedAnswer, at time: Int64
  ) throws -> AttemptState {
    guard case .counted(let next) = begin(state, answer, at: time) else {
      throw HarnessFailure("the attempt at \(time) was refused")
    }
    return next.rejecting(answer, at: time)
  }

  private static func accepted(
    _ state: AttemptState, _ answer: TypedAnswer, at time: Int64
  ) throws -> AttemptState {
    let counted = try counted(state, answer, at: time)
    let (_, next) = try #require(counted.accepting([.init(factor: identifier(1), step: time / 30)]))
    return next.recording(answer.codes[0], of: answer, at: time, after: state, isHintShown: true)
  }

  private static var empty: AttemptState {
    AttemptState(record: identifier(9), watermarks: [.init(factor: identifier(1), step: 0)])
  }

  @Test(
    "an answer whose result is not known, because the attempt failed, is counted and compared again"
  )
  func unknownResult() throws {
    let answer = try Self.answer(7)
    var state = Self.empty
    for failures in 1...2 as ClosedRange<UInt32> {
      guard case .counted(let next) = Self.begin(state, answer, at: Self.now) else {
        Issue.record("the answer was refused")
        return
      }
      #expect(next.failures == failures)
      state = next
    }
  }

  struct Row: Sendable {
    /// When the answer was counted before, in seconds after a time step began.
    let counted: [Int64]
    let now: Int64
    let isRefused: Bool
  }

  @Test(
    "a wrong answer is refused until the time step changes, and then each time twice as long",
    arguments: [
      Row(counted: [0], now: 0, isRefused: true),
      Row(counted: [0], now: 29, isRefused: true),
      Row(counted: [0], now: 30, isRefused: false),
      // A clock that is ahead makes the same code right in the next step, a second later.
      Row(counted: [29], now: 30, isRefused: false),
      Row(counted: [0, 30], now: 89, isRefused: true),
      Row(counted: [0, 30], now: 90, isRefused: false),
      Row(counted: [0, 30, 90], now: 209, isRefused: true),
      Row(counted: [0, 30, 90], now: 210, isRefused: false),
      // A time in the future counts as now.
      Row(counted: [0], now: -1, isRefused: true),
      Row(counted: [0], now: -86_400, isRefused: true),
    ])
  func cases(_ row: Row) throws {
    let answer = try Self.answer(123_456)
    var state = Self.empty
    for time in row.counted { state = try Self.counted(state, answer, at: Self.now + time) }
    let beginning = Self.begin(state, answer, at: Self.now + row.now)
    #expect((beginning == .repeated(.rejected)) == row.isRefused, "\(row)")
    // Another answer, or the same one under other settings, is counted.
    for other in [try Self.answer(123_457), try Self.answer(123_456, scope: 2)] {
      _ = try Self.counted(state, other, at: Self.now + row.now)
    }
  }

  @Test("a program that repeats one answer for ever causes a failure in a month, and no lock")
  func forEver() throws {
    let answer = try Self.answer(123_456)
    var state = Self.empty
    for minute in stride(from: 0, to: 5 * 365 * 1440, by: 10) as StrideTo<Int64> {
      if case .counted(let next) = Self.begin(state, answer, at: Self.now + minute * 60) {
        state = next.rejecting(answer, at: Self.now + minute * 60)
      }
    }
    #expect((60...90).contains(state.failures))
    #expect(state.recentAnswers.entries.count == 1)
  }

  @Test("the shortest step of all factors counts, with the clock of each")
  func steps() throws {
    let factors = [
      try Self.factor(period: 60), try Self.factor(period: 60, offset: 1),
      try Self.factor(period: 15),
    ]
    let answer = try Self.answer(1, factors: factors)
    let state = try Self.counted(Self.empty, answer, at: Self.now)
    #expect(Self.begin(state, answer, at: Self.now + 14) == .repeated(.rejected))
    _ = try Self.counted(state, answer, at: Self.now + 15)
    // Codes that are only sent, or recovery codes, have no step.
    let plain = try Self.answer(1, factors: [])
    let other = try Self.counted(Self.empty, plain, at: Self.now)
    #expect(Self.begin(other, plain, at: Self.now + 29) == .repeated(.rejected))
    _ = try Self.counted(other, plain, at: Self.now + 30)
  }

  @Test("a code that was accepted is refused as used while it is in the window")
  func used() throws {
    let answer = try Self.answer(123_456)
    let state = try Self.accepted(Self.empty, answer, at: Self.now)
    for time in [0, 1, 329] as [Int64] {
      #expect(Self.begin(state, answer, at: Self.now + time) == .repeated(.used), "\(time) s")
    }
    // Also under other settings, and at the end of a password.
    let others = [
      try Self.answer(123_456, scope: 7), try Self.answer(999, 123_456),
    ]
    for other in others { #expect(Self.begin(state, other, at: Self.now) == .repeated(.used)) }
    let later = try Self.counted(state, answer, at: Self.now + 330)
    #expect(later.failures == 1)
    #expect(Self.begin(later, answer, at: Self.now + 331) == .repeated(.rejected))
  }

  @Test("an answer that may be several codes is refused only if each of them was wrong")
  func severalCodes() throws {
    let state = try Self.counted(Self.empty, Self.answer(1, 2), at: Self.now)
    #expect(Self.begin(state, try Self.answer(1, 2), at: Self.now) == .repeated(.rejected))
    #expect(Self.begin(state, try Self.answer(2), at: Self.now) == .repeated(.rejected))
    _ = try Self.counted(state, try Self.answer(1, 3), at: Self.now)
    #expect(state.recentAnswers.repetition(of: try Self.answer(), at: Self.now) == nil)
  }

  @Test("while attempts wait or are locked, the refusal says that")
  func waits() throws {
    let answer = try Self.answer(1)
    var state = Self.empty
    for code in 1...5 as ClosedRange<UInt64> {
      state = try Self.counted(state, try Self.answer(code), at: Self.now)
    }
    #expect(Self.begin(state, answer, at: Self.now) == .refused(.throttled(seconds: 30)))
  }

  @Test("eight answers are kept, and the oldest is removed first")
  func bounded() throws {
    var state = Self.empty
    for code in 1...20 as ClosedRange<UInt64> {
      state = try Self.counted(state.unlocked(), try Self.answer(code), at: Self.now)
    }
    #expect(state.recentAnswers.entries.map(\.digest) == Array(13...20))
    #expect(Self.begin(state.unlocked(), try Self.answer(13), at: Self.now) == .repeated(.rejected))
    _ = try Self.counted(state.unlocked(), try Self.answer(12), at: Self.now)
  }

  @Test("whatever was typed before, an attempt is only refused, and never counted less")
  func onlyRefuses() throws {
    var generator = SeededGenerator(seed: 36)
    var state = Self.empty
    // The same attempts without any memory of answers.
    var time = Self.now
    for _ in 0..<20_000 {
      let answer = try Self.answer(
        .random(in: 0..<12, using: &generator), scope: .random(in: 0..<2, using: &generator))
      time += .random(in: -20...200, using: &generator)
      let plain = state.begin(Self.policy, now: time)
      switch Self.begin(state, answer, at: time) {
      case .counted(let next):
        guard case .counted(let other) = plain else {
          Issue.record("an attempt was counted that had to wait")
          return
        }
        #expect(next.failures == state.failures + 1 && next.failures == other.failures)
        #expect(next.lastFailure == other.lastFailure)
        state = next.rejecting(answer, at: time)
      case .repeated: #expect(plain != .refused(.locked))
      case .refused(let standing): #expect(plain == .refused(standing))
      }
      if Int.random(in: 0..<8, using: &generator) == 0 { state = state.unlocked() }
    }
  }

  @Test("a rekeyed state, and codes that can be right after a resynchronisation, are forgotten")
  func forgotten() throws {
    let used = try Self.answer(1)
    var state = try Self.accepted(Self.empty, used, at: Self.now)
    state = try Self.counted(state, try Self.answer(2), at: Self.now)
    let next = state.resynchronized(identifier(1), at: 1)
    #expect(next.recentAnswers.entries.map(\.digest) == [1])
    #expect(state.unlocked().recentAnswers == state.recentAnswers)
    #expect(state.forgettingAnswers().recentAnswers == RecentAnswers())
  }

  @Test("extreme times and numbers do not trap")
  func extremes() throws {
    for first in [Int64.min, -1, 0, 1, .max] {
      for second in [Int64.min, -1, 0, 1, .max] {
        let answer = try Self.answer(
          .max, scope: .max, intervals: .max, factors: [try Self.factor(period: 120)])
        var answers = RecentAnswers()
        for _ in 0..<300 { answers.reject(answer, at: first) }
        _ = answers.repetition(of: answer, at: second)
        answers.accept(.max, of: answer, at: first)
        _ = answers.repetition(of: answer, at: second)
      }
    }
  }
}

@Suite("The sources of the last turns")
struct RecentTurnsTests {
  private static let policy = ThrottlePolicy()
  private static let start: Int64 = 1_795_000_000

  private static func state(failures: UInt32, turns: [UInt32]) -> AttemptState {
    var list = RecentTurns()
    for turn in turns { list.add(turn) }
    return AttemptState(
      record: identifier(1), failures: failures, lastFailure: start, recentTurns: list)
  }

  struct Row: Sendable {
    let failures: UInt32
    let turns: [UInt32]
    let client: UInt32?
    let wait: Int64
  }

  @Test(
    "a source waits longer by its share of the last turns",
    arguments: [
      Row(failures: 5, turns: [], client: 1, wait: 30),
      Row(failures: 6, turns: [1], client: nil, wait: 60),
      Row(failures: 6, turns: [1], client: 1, wait: 120),
      Row(failures: 6, turns: [1], client: 2, wait: 60),
      Row(failures: 7, turns: [1, 2], client: 2, wait: 180),
      Row(failures: 50, turns: [1, 1, 1, 1, 1, 1, 1, 2], client: 1, wait: 1687),
      Row(failures: 50, turns: [1, 1, 1, 1, 1, 1, 1, 2], client: 2, wait: 1012),
      // The oldest turn is forgotten.
      Row(failures: 50, turns: [2, 1, 1, 1, 1, 1, 1, 1, 1], client: 2, wait: 900),
      Row(failures: 4, turns: [1], client: 1, wait: 0),
    ])
  func waits(_ row: Row) {
    let state = Self.state(failures: row.failures, turns: row.turns)
    #expect(state.wait(Self.policy, counter: .signIn, client: row.client) == row.wait, "\(row)")
    let standing = state.standing(Self.policy, now: Self.start, client: row.client)
    #expect(standing == (row.wait == 0 ? .open : .throttled(seconds: row.wait)))
    // Never less than the account, and at most twice as long.
    let plain = state.wait(Self.policy, counter: .signIn)
    #expect(row.wait >= plain && row.wait <= 2 * plain)
    #expect(state.wait(Self.policy, counter: .ownProcess, client: row.client) == 0)
  }

  @Test("attempts before the first wait are no turns, and an accepted code clears the turns")
  func turns() throws {
    var state = AttemptState(
      record: identifier(1), watermarks: [.init(factor: identifier(1), step: 0)])
    var time = Self.start
    for _ in 0..<5 {
      guard case .counted(let next) = state.begin(Self.policy, now: time, .init(client: 7)) else {
        Issue.record("refused")
        return
      }
      state = next
    }
    #expect(state.recentTurns.sources.isEmpty)
    time += 30
    guard case .counted(let next) = state.begin(Self.policy, now: time, .init(client: 7)) else {
      Issue.record("refused")
      return
    }
    #expect(next.recentTurns.sources == [7])
    #expect(next.unlocked().recentTurns.sources.isEmpty)
    let (_, accepted) = try #require(next.accepting([.init(factor: identifier(1), step: 1)]))
    #expect(accepted.recentTurns.sources.isEmpty)
  }

  @Test(
    "the owner gets a turn in each wait while other sources ask each second",
    arguments: 1...7 as ClosedRange<UInt32>)
  func owner(attackers: UInt32) throws {
    var state = AttemptState(record: identifier(1))
    var ownTurns = 0
    // The owner comes back when the tool says so, up to five seconds late.
    var returns = Self.start + 600
    for time in Self.start..<Self.start + 43_200 {
      for attacker in 0..<attackers {
        if case .counted(let next) = state.begin(
          Self.policy, now: time, .init(client: 100 + attacker))
        {
          state = next
        }
      }
      guard time == returns else { continue }
      switch state.begin(Self.policy, now: time, .init(client: 1)) {
      case .counted: ownTurns += 1
      case .refused(.throttled(let seconds)):
        returns = time + seconds + 5
        continue
      case .refused, .repeated: break
      }
      // An owner who had a turn with a right code would be done.
      break
    }
    #expect(ownTurns == 1)
  }

  @Test("no source ever has an attempt that the account has to wait for")
  func onlyWaits() {
    var generator = SeededGenerator(seed: 8)
    var state = AttemptState(record: identifier(1))
    var time = Self.start
    for _ in 0..<20_000 {
      time += .random(in: -100...600, using: &generator)
      let client = UInt32.random(in: 0..<4, using: &generator)
      let plain = state.standing(Self.policy, now: time)
      switch state.begin(Self.policy, now: time, .init(client: client)) {
      case .counted(let next):
        #expect(plain == .open)
        state = next
      case .refused: break
      case .repeated: Issue.record("nothing was typed")
      }
      if Int.random(in: 0..<40, using: &generator) == 0 { state = state.unlocked() }
    }
  }
}
