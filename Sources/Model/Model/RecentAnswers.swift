import MFABase

/// The answers that a user typed last, as keyed digests, and what became of them.
///
/// An application that sends a stored code again, or a user who types one code in several windows, must
/// not keep the user waiting. An answer that certainly is no further guess is therefore refused without
/// being compared, and without being counted.
///
/// MUST 1: without the host's key, a digest reveals nothing about the code.
/// (`LocalFactorStoreTests.failedCodeDigest`)
/// MUST 2: an entry only refuses: no entry has an answer compared that would not be counted.
/// (`RecentAnswersTests.onlyRefuses`, `ThrottleModelTests.bounded`)
/// MUST 3: a wrong answer is compared again as soon as a clock that is ahead could have made it right:
/// when the time step changes. Each further time that it is wrong, twice as long passes, at most
/// `longestRefusal`. (`RecentAnswersTests.cases`)
/// MUST 4: the number of entries is bounded, and the oldest is removed first.
/// (`RecentAnswersTests.bounded`)
package struct RecentAnswers: Equatable, Sendable {
  /// A code that was typed.
  package struct Entry: Equatable, Sendable {
    /// The first eight bytes of a keyed digest of the code, which is bound to the user's record.
    package let digest: UInt64
    /// When the code was counted or accepted, in seconds since the epoch.
    package let time: UInt32
    /// `TypedAnswer.scope` of the comparison.
    package let scope: UInt32
    /// How often the code was wrong in a row; 0 if it was accepted.
    package let rejections: UInt8
    /// Whether a code that is accepted later can show that this one was of a wrong clock.
    package var mayShowClock: Bool

    /// Creates an entry.
    package init(
      digest: UInt64, time: Int64, scope: UInt32 = 0, rejections: UInt8 = 1,
      mayShowClock: Bool = false
    ) {
      self.digest = digest
      self.time = UInt32(clamping: time)
      self.scope = scope
      self.rejections = min(rejections, Self.maximumRejections)
      self.mayShowClock = mayShowClock && rejections > 0
    }

    /// The largest stored number of rejections. Further ones do not change the refusal.
    static var maximumRejections: UInt8 { 0x7F }
  }

  /// Why an answer is refused without a comparison.
  package enum Repetition: Equatable, Sendable {
    /// The code was accepted, and its time step has not left the window.
    case used
    /// The same answer was wrong a moment ago.
    case rejected
  }

  /// The codes, oldest first.
  package private(set) var entries: [Entry] = []

  /// The maximum number of entries.
  package static var maximumCount: Int { 8 }

  /// The longest time in seconds for which a wrong answer is refused: 30 days. A program that sends one
  /// stored answer for ever causes a failure in a month, and never locks the factors.
  package static var longestRefusal: Int64 { 30 * 86_400 }

  /// Creates an empty list.
  package init() {}

  /// Returns why `answer` is refused at `now` (seconds since the epoch), or nil if it must be counted
  /// and compared. A time in the future counts as `now`.
  package func repetition(of answer: TypedAnswer, at now: Int64) -> Repetition? {
    let isUsed = entries.contains { entry in
      entry.rejections == 0 && answer.codes.contains(entry.digest)
        && Self.age(of: entry, at: now) < answer.usedFor
    }
    if isUsed { return .used }
    // Each of the codes was compared with the same factors, and was wrong.
    let isRejected = answer.codes.allSatisfy { code in
      entries.contains { entry in
        entry.digest == code && entry.scope == answer.scope && entry.rejections > 0
          && Self.refuses(entry, answer, at: now)
      }
    }
    return isRejected && !answer.codes.isEmpty ? .rejected : nil
  }

  private static func age(of entry: Entry, at now: Int64) -> Int64 {
    let (age, overflow) = now.subtractingReportingOverflow(Int64(entry.time))
    return overflow ? 0 : max(age, 0)
  }

  private static func refuses(_ entry: Entry, _ answer: TypedAnswer, at now: Int64) -> Bool {
    let age = age(of: entry, at: now)
    guard entry.rejections > 1 else {
      return age == 0 || answer.hasSameSteps(Int64(entry.time), now)
    }
    // 2^18 periods of 15 seconds are longer than `longestRefusal`.
    let doublings = Int64(min(entry.rejections &- 1, 18))
    return age < min(answer.period << doublings, longestRefusal)
  }

  /// Adds an answer that is counted at `now` as wrong. Only the first of its codes may show a wrong
  /// clock.
  mutating func reject(_ answer: TypedAnswer, at now: Int64) {
    for (index, code) in answer.codes.enumerated().reversed() {
      let earlier = entries.first { $0.digest == code && $0.scope == answer.scope }
      add(
        Entry(
          digest: code, time: now, scope: answer.scope,
          rejections: (earlier?.rejections ?? 0) &+ 1,
          mayShowClock: index == 0 && answer.mayShowClock))
    }
  }

  /// Adds a code that was accepted at `now`.
  mutating func accept(_ code: UInt64, of answer: TypedAnswer, at now: Int64) {
    entries = entries.filter { $0.digest != code }
    add(Entry(digest: code, time: now, scope: answer.scope, rejections: 0))
  }

  private mutating func add(_ entry: Entry) {
    let others = entries.filter { $0.digest != entry.digest || $0.scope != entry.scope }
    entries = others.count < Self.maximumCount ? others : Array(others.dropFirst())
    entries.append(entry)
  }

  /// Removes the wrong answers, because codes that were wrong can be right from now on.
  mutating func removeRejected() { entries = entries.filter { $0.rejections == 0 } }

  /// The last wrong code that may show a wrong clock.
  package var clockHint: Entry? { entries.last { $0.mayShowClock } }

  /// Records that no earlier code shows a wrong clock from now on.
  mutating func removeClockHints() {
    for index in entries.indices { entries[index].mayShowClock = false }
  }

  // MARK: Binary form

  func encode(to writer: inout ByteWriter) {
    writer.write(UInt8(truncatingIfNeeded: entries.count))
    for entry in entries {
      writer.write(entry.digest)
      writer.write(entry.time)
      writer.write(entry.scope)
      writer.write(entry.rejections | (entry.mayShowClock ? 0x80 : 0))
    }
  }

  /// Parses the binary form. Returns nil if it is invalid.
  init?(_ reader: inout ByteReader) {
    guard let count = reader.read(UInt8.self), count <= Self.maximumCount else { return nil }
    for _ in 0..<count {
      guard let digest = reader.read(UInt64.self), let time = reader.read(UInt32.self),
        let scope = reader.read(UInt32.self), let flags = reader.read(UInt8.self), flags != 0x80,
        !entries.contains(where: { $0.digest == digest && $0.scope == scope })
      else { return nil }
      entries.append(
        Entry(
          digest: digest, time: Int64(time), scope: scope, rejections: flags & 0x7F,
          mayShowClock: flags & 0x80 != 0))
    }
  }
}

/// An answer before it is compared: keyed digests of the codes that it may be, and what else determines
/// whether it is right.
package struct TypedAnswer: Sendable {
  /// Digests of the codes that are compared, at most one for each number of digits.
  package let codes: [UInt64]
  /// A hash of everything that determines the result of the comparison, except the time: the record,
  /// the accepted factors and the size of the window. It need not be secret.
  package let scope: UInt32
  /// Whether the first code is one of an authenticator app.
  package let mayShowClock: Bool
  /// The factors that the answer is compared with.
  private let factors: [Factor]
  private let adjacentIntervals: UInt8

  /// Creates an answer.
  package init(
    _ codes: [UInt64], scope: UInt32 = 0, mayShowClock: Bool = true, factors: [Factor] = [],
    adjacentIntervals: UInt8 = 0
  ) {
    self.codes = codes
    self.scope = scope
    self.mayShowClock = mayShowClock
    self.factors = factors
    self.adjacentIntervals = adjacentIntervals
  }

  /// The length of the shortest time step in seconds.
  var period: Int64 { factors.compactMap { $0.parameters.map { Int64($0.period) } }.min() ?? 30 }

  /// Returns whether all factors are at the same time step at both times, so that the same codes are
  /// accepted.
  func hasSameSteps(_ first: Int64, _ second: Int64) -> Bool {
    guard factors.contains(where: { $0.parameters != nil }) else {
      return first / period == second / period
    }
    return factors.allSatisfy { factor in
      guard let parameters = factor.parameters else { return true }
      return parameters.step(at: factor.clock(at: first))
        == parameters.step(at: factor.clock(at: second))
    }
  }

  /// How long a code can be in the window after it was accepted, in seconds. A code that was sent is
  /// valid for `SentCodes.lifetime`.
  var usedFor: Int64 {
    factors.map { factor in
      guard let parameters = factor.parameters else { return SentCodes.lifetime }
      return (2 * Int64(adjacentIntervals) + 1) * Int64(parameters.period)
    }.max() ?? SentCodes.lifetime
  }
}

/// The sources of the last attempts after a wait.
///
/// An attacker who asks without a pause would take each turn after a wait, and the owner none. A source
/// that took turns waits longer than others, by its share of the last turns, so that other sources
/// can try a code in the meantime.
///
/// MUST 1: no source waits less than the account, nor more than twice as long.
/// (`RecentTurnsTests.waits`, `ThrottleModelTests.bounded`)
package struct RecentTurns: Equatable, Sendable {
  /// Keyed digests of the sources, oldest first.
  package private(set) var sources: [UInt32] = []

  /// The maximum number of turns that are kept. More sources than that can take every turn.
  package static var maximumCount: Int { 8 }

  /// Creates an empty list.
  package init() {}

  /// Returns the wait of a source in seconds, if the account has to wait for `seconds`.
  func wait(of source: UInt32, _ seconds: Int64) -> Int64 {
    guard !sources.isEmpty else { return seconds }
    let own = Int64(sources.count { $0 == source })
    return seconds &+ seconds &* own / Int64(sources.count)
  }

  /// Adds a turn.
  mutating func add(_ source: UInt32) {
    sources = sources.count < Self.maximumCount ? sources : Array(sources.dropFirst())
    sources.append(source)
  }

  // MARK: Binary form

  func encode(to writer: inout ByteWriter) {
    writer.write(UInt8(truncatingIfNeeded: sources.count))
    for source in sources { writer.write(source) }
  }

  /// Parses the binary form. Returns nil if it is invalid.
  init?(_ reader: inout ByteReader) {
    guard let count = reader.read(UInt8.self), count <= Self.maximumCount else { return nil }
    for _ in 0..<count {
      guard let source = reader.read(UInt32.self) else { return nil }
      sources.append(source)
    }
  }
}
