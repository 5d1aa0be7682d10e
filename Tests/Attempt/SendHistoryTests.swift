import MFAModel
import Testing

@testable import MFAAttempt

/// The decisions of SendHistory.swift.
@Suite struct SendHistoryTests {
  private static let now: Int64 = 1_800_000_000
  private static let number = SendHistory.NumberDigest(first: 1, second: 2)
  private static let signIn = SendCause(.signIn, of: 1)
  private static let other = SendHistory.NumberDigest(first: 1, second: 3)

  /// Returns a history with messages of these ages in seconds, oldest first.
  private func history(
    _ ages: [Int64], to number: SendHistory.NumberDigest = Self.number,
    results: [SendHistory.Result] = [], users: Int = 10, purpose: SendCause.Purpose = .signIn
  ) -> SendHistory {
    var history = SendHistory()
    for (index, age) in ages.enumerated() {
      let id = SendID(number: UInt64(index))
      history.add(
        id, to: number, by: SendCause(purpose, of: UInt32(users == 1 ? 0 : index % users)),
        Self.now - age)
      if index < results.count, results[index] != .sent { history.set(results[index], of: id) }
    }
    return history
  }

  struct Row: Sendable {
    let ages: [Int64]
    var limits = HostSendLimits()
    var isOther = false
    let refusal: SendLog.Refusal?
  }

  @Test(arguments: [
    Row(ages: [], refusal: nil),
    Row(ages: [40, 30, 20, 10], refusal: nil),
    Row(ages: [50, 40, 30, 20, 10], refusal: .numberHourly(seconds: 3550)),
    Row(ages: [3599, 40, 30, 20, 10], refusal: .numberHourly(seconds: 1)),
    Row(ages: [3600, 40, 30, 20, 10], refusal: nil),
    Row(ages: [60, 50, 40, 30, 20, 10], refusal: .numberHourly(seconds: 3550)),
    Row(ages: [50, 40, 30, 20, 10], isOther: true, refusal: nil),
    // A time in the future counts as recent.
    Row(ages: [-9, -9, -9, -9, -9], refusal: .numberHourly(seconds: 3600)),
    Row(
      ages: [86_399, 10_000, 9000], limits: HostSendLimits(perHostDaily: 3),
      isOther: true, refusal: .hostDaily(seconds: 1)),
    Row(
      ages: [86_400, 10_000, 9000], limits: HostSendLimits(perHostDaily: 3),
      isOther: true, refusal: nil),
    Row(
      ages: [-100_000, -100_000], limits: HostSendLimits(perHostDaily: 2),
      isOther: true, refusal: .hostDaily(seconds: 86_400)),
    Row(
      ages: [10], limits: HostSendLimits(perNumberHourly: 1),
      refusal: .numberHourly(seconds: 3590)),
  ])
  func limitIsReached(row: Row) {
    let history = history(row.ages, to: row.isOther ? Self.other : Self.number)
    #expect(
      history.refusal(Self.number, by: Self.signIn, row.limits, Self.now) == row.refusal, "\(row)")
  }

  /// The gateway was out of order: after that, users need not wait.
  @Test func messagesThatWereNotSentCountForNoLimit() {
    let failed = history(
      (0..<40).map { 1000 - $0 },
      results: [SendHistory.Result](repeating: .failed, count: 40))
    let limits = HostSendLimits(perHostDaily: 40)
    #expect(failed.refusal(Self.number, by: Self.signIn, limits, Self.now) == nil)
    // A code that may have been sent counts.
    let sent = history((0..<40).map { 1000 - $0 })
    #expect(
      sent.refusal(Self.number, by: Self.signIn, limits, Self.now)
        == .hostDaily(seconds: 86_400 - 1000))
  }

  /// Any user can request codes for a number by beginning to enrol it.
  @Test func enrolmentsLeaveCodesForSignIns() {
    let history = history([20, 10], purpose: .enrolment)
    let enrolment = SendCause(.enrolment, of: 7)
    #expect(
      history.refusal(Self.number, by: enrolment, HostSendLimits(), Self.now)
        == .numberHourly(seconds: 3580))
    #expect(history.refusal(Self.other, by: enrolment, HostSendLimits(), Self.now) == nil)
    #expect(history.refusal(Self.number, by: Self.signIn, HostSendLimits(), Self.now) == nil)
    #expect(
      self.history([20, 10]).refusal(Self.number, by: enrolment, HostSendLimits(), Self.now) == nil)
  }

  /// Two users who type no code must not stop the codes of all others.
  @Test func fewUsersDoNotStopOthers() {
    let limits = HostSendLimits()
    let ages = (0..<40).map { Int64(1000 - $0) }
    #expect(
      history(ages, to: Self.other, users: 4).breakerWait(of: .signIn, limits, Self.now) == nil)
    #expect(
      history(ages, to: Self.other, users: 5).breakerWait(of: .signIn, limits, Self.now) != nil)
    #expect(history(ages, to: Self.other, users: 4).status(limits, Self.now).signIns.examined == 16)
  }

  /// Users who enrol numbers of others, and type no code, stop enrolments only.
  @Test func enrolmentsHaveABreakerOfTheirOwn() {
    let limits = HostSendLimits()
    let enrolment = SendCause(.enrolment, of: 7)
    let history = history(
      (0..<40).map { 1000 - $0 }, to: Self.other, users: 5, purpose: .enrolment)
    #expect(
      history.refusal(Self.number, by: enrolment, limits, Self.now) == .breaker(seconds: 2639))
    #expect(history.refusal(Self.number, by: Self.signIn, limits, Self.now) == nil)
    let notice = SendCause(.notice, of: 7)
    #expect(history.refusal(Self.number, by: notice, limits, Self.now) == nil)
    let status = history.status(limits, Self.now)
    #expect(status.signIns == SendLog.Breaker(examined: 0, returned: 0, seconds: nil))
    #expect(status.enrolments == SendLog.Breaker(examined: 20, returned: 0, seconds: 2639))
    // And codes for sign-ins that do not come back stop no enrolment.
    let other = self.history((0..<40).map { 1000 - $0 }, to: Self.other, users: 5)
    #expect(other.refusal(Self.number, by: enrolment, limits, Self.now) == nil)
    #expect(other.refusal(Self.number, by: notice, limits, Self.now) == .breaker(seconds: 2639))
    // A message of the other kind does not make a breaker wait longer.
    var both = history
    both.add(SendID(number: 99), to: Self.number, by: Self.signIn, Self.now)
    #expect(both.refusal(Self.other, by: enrolment, limits, Self.now) == .breaker(seconds: 2639))
  }

  private func refusal(
    _ history: SendHistory, _ limits: HostSendLimits = HostSendLimits()
  ) -> SendLog.Refusal? {
    history.refusal(Self.number, by: Self.signIn, limits, Self.now)
  }

  /// Returns a history in which `returned` of 20 codes came back, the last one `age` seconds ago.
  private func twenty(returned: Int, age: Int64 = 600) -> SendHistory {
    history(
      (0..<20).map { age + 19 - $0 }, to: Self.other,
      results: [SendHistory.Result](repeating: .returned, count: returned))
  }

  @Test func breakerStopsWhenTooFewCodesComeBack() {
    // 20 percent of 20 are 4.
    #expect(refusal(twenty(returned: 4)) == nil)
    #expect(refusal(twenty(returned: 3)) == .breaker(seconds: 3000))
    #expect(refusal(twenty(returned: 0, age: 3599)) == .breaker(seconds: 1))
    #expect(refusal(twenty(returned: 0, age: 3600)) == nil)
    #expect(refusal(twenty(returned: 0), HostSendLimits(breakerPercent: 0)) == nil)
    #expect(
      refusal(twenty(returned: 17), HostSendLimits(breakerPercent: 90))
        == .breaker(seconds: 3000))
  }

  /// Users have 10 minutes to type a code.
  @Test func breakerIgnoresRecentMessages() {
    #expect(
      twenty(returned: 0, age: 599).breakerWait(of: .signIn, HostSendLimits(), Self.now) == nil)
  }

  @Test func breakerNeedsTwentyMessages() {
    let nineteen = history((0..<19).map { 1000 - $0 })
    #expect(nineteen.breakerWait(of: .signIn, HostSendLimits(), Self.now) == nil)
  }

  /// A gateway that is out of order does not count against the users.
  @Test func breakerIgnoresMessagesThatWereNotSent() {
    let failed = history(
      (0..<40).map { 1000 - $0 },
      results: [SendHistory.Result](repeating: .failed, count: 40))
    #expect(failed.breakerWait(of: .signIn, HostSendLimits(), Self.now) == nil)
    #expect(failed.status(HostSendLimits(), Self.now).failed == 40)
  }

  /// Only the last 20 messages count.
  @Test func breakerForgetsEarlierMessages() {
    let results =
      [SendHistory.Result](repeating: .sent, count: 30)
      + [SendHistory.Result](repeating: .returned, count: 20)
    let history = history((0..<50).map { 1000 - $0 }, results: results)
    #expect(history.breakerWait(of: .signIn, HostSendLimits(), Self.now) == nil)
  }

  @Test func administratorResetsTheBreaker() {
    var history = twenty(returned: 0)
    history.resume(Self.now)
    #expect(history.refusal(Self.number, by: Self.signIn, HostSendLimits(), Self.now) == nil)
    #expect(history.status(HostSendLimits(), Self.now).sent == 20)
  }

  @Test func administratorRemovesMessagesOfTheFuture() {
    var history = history([-100_000, -5, 0, 5])
    history.resume(Self.now)
    #expect(history.entries.map(\.time) == [Self.now, Self.now - 5])
  }

  @Test func returnedCodeStaysReturned() {
    var history = history([10], results: [.returned])
    history.set(.failed, of: SendID(number: 0))
    #expect(history.entries.map(\.result) == [.returned])
    history.set(.returned, of: SendID(number: 7))
    #expect(history.entries.count == 1)
  }

  @Test func extremeTimesDoNotTrap() {
    for time in [Int64.min, -1, 0, Int64.max] {
      var history = SendHistory()
      history.add(SendID(number: 1), to: Self.number, by: Self.signIn, time)
      for now in [Int64.min, 0, Int64.max] {
        _ = history.refusal(Self.number, by: Self.signIn, HostSendLimits(), now)
        _ = history.status(HostSendLimits(), now)
        history.resume(now)
      }
    }
  }

  // MARK: Bytes

  @Test func historyIsReadBack() throws {
    let most = Int(HostSendLimits.hostDailyRange.upperBound)
    for count in [0, 1, most, most + 5] {
      var history = history((0..<count).map { Int64($0) }, results: [.returned, .failed])
      history.resume(Self.now)
      #expect(history.entries.count == min(count, most))
      let bytes = history.bytes
      #expect(bytes.count == SendHistory.length)
      #expect(SendHistory(bytes.span) == history)
    }
  }

  @Test func invalidBytesAreRefused() {
    let bytes = history([10, 5]).bytes
    #expect(SendHistory(Array(bytes.dropLast()).span) == nil)
    #expect(SendHistory((bytes + [0]).span) == nil)
    for (place, value) in [
      (8, 0xFF), (bytes.count - 1, 1), (12 + 37, 4), (12 + 36, 3),
    ] as [(Int, UInt8)] {
      var changed = bytes
      changed[place] = value
      #expect(SendHistory(changed.span) == nil, "\(place)")
    }
  }
}
