import MFABase
import MFAModel

/// The messages to phones of the last 24 hours, as numbers, and the decisions about further ones.
///
/// A time in the future, after the clock was set back, counts as recent.
struct SendHistory: Equatable {
  /// What became of a message.
  enum Result: UInt8 {
    /// The gateway accepted it, or is still at work.
    case sent = 0
    /// The user typed its code.
    case returned = 1
    /// The gateway did not send it.
    case failed = 2
    /// It has no code: a message about a change, or a test of an administrator.
    case notice = 3
  }

  /// A message.
  struct Entry: Equatable {
    let time: Int64
    let id: SendID
    /// The first half of the keyed digest of the phone number.
    let number: NumberDigest
    /// Why the message was sent.
    let cause: SendCause
    var result: Result
  }

  /// A part of the keyed digest of a phone number: 16 bytes.
  struct NumberDigest: Equatable {
    let first: UInt64
    let second: UInt64
  }

  static var hour: Int64 { 3600 }
  static var day: Int64 { 86_400 }
  /// The number of messages that the breaker looks at.
  static var breakerCount: Int { 20 }
  /// The largest number of these that one user can have caused. Without it, two users could stop the
  /// messages to all others by requesting codes that they do not type.
  static var breakerShare: Int { 4 }
  /// How long users have to type a code before the breaker looks at it, in seconds.
  static var breakerAge: Int64 { 600 }

  /// The messages, oldest first unless the clock was set back.
  private(set) var entries: [Entry] = []
  /// The time when an administrator resumed sending.
  private(set) var resumedAt: Int64 = 0

  init() {}

  // MARK: Changes

  /// Removes messages that are older than a day.
  mutating func removeOld(_ now: Int64) {
    entries = entries.filter { Self.age(of: $0.time, now) < Self.day }
  }

  /// Adds a message, which `refusal` has not refused.
  mutating func add(
    _ id: SendID, to number: NumberDigest, by cause: SendCause, _ now: Int64
  ) {
    removeOld(now)
    // No limit is higher. Messages that were not sent count for no limit, and make room first.
    while entries.count >= Int(HostSendLimits.hostDailyRange.upperBound) {
      entries.remove(at: entries.firstIndex { $0.result == .failed } ?? 0)
    }
    entries.append(Entry(time: now, id: id, number: number, cause: cause, result: .sent))
  }

  /// Records what became of a message. A code that was typed stays typed.
  mutating func set(_ result: Result, of id: SendID) {
    for index in entries.indices where entries[index].id == id && entries[index].result != .returned
    {
      entries[index].result = result
    }
  }

  /// Resets the breaker, and removes messages that seem to have been sent in the future.
  mutating func resume(_ now: Int64) {
    resumedAt = now
    entries = entries.filter { $0.time <= now }
  }

  // MARK: Decisions

  /// Returns why no further message can be sent to a number, or nil if it can.
  ///
  /// Messages that were not sent count for no limit. Codes that confirm a number have only a share of
  /// the number's limit: any user can request them for any number, and must not use up the codes that
  /// the number's user needs for sign-ins.
  func refusal(
    _ number: NumberDigest, by cause: SendCause, _ limits: HostSendLimits, _ now: Int64
  ) -> SendLog.Refusal? {
    if let wait = wait(most: limits.perHostDaily, in: Self.day, now, { _ in true }) {
      return .hostDaily(seconds: wait)
    }
    if let wait = breakerWait(of: cause.purpose, limits, now) { return .breaker(seconds: wait) }
    let isThis = { (entry: Entry) in entry.number == number }
    if let wait = wait(most: limits.perNumberHourly, in: Self.hour, now, isThis) {
      return .numberHourly(seconds: wait)
    }
    guard cause.purpose == .enrolment else { return nil }
    let isEnrolment = { (entry: Entry) in
      entry.number == number && entry.cause.purpose == .enrolment
    }
    let share = limits.enrolmentsPerNumberHourly
    return wait(most: share, in: Self.hour, now, isEnrolment).map { .numberHourly(seconds: $0) }
  }

  /// Returns how many seconds remain until fewer than `most` of these messages are younger than
  /// `period`, or nil if that is the case.
  private func wait(
    most: UInt32, in period: Int64, _ now: Int64, _ counts: (Entry) -> Bool
  ) -> Int64? {
    var ages: [Int64] = []
    for entry in entries where entry.result != .failed && counts(entry) {
      let age = Self.age(of: entry.time, now)
      if age < period { ages.append(age) }
    }
    let most = Int(most)
    guard ages.count >= most, most > 0 else { return nil }
    // The age of the message number `most`, counted from the youngest. A sort would bring its checks
    // into the code of sign-ins.
    var age: Int64 = -1
    while ages.count(where: { $0 <= age }) < most {
      var next = Int64.max
      for other in ages where other > age { next = min(next, other) }
      age = next
    }
    return period &- age
  }

  /// Returns whether the same breaker stops messages for both purposes. Codes that confirm a number have a
  /// breaker of their own: any user can request them for the numbers of others, and must not stop codes
  /// for sign-ins.
  private static func isSameBreaker(
    _ first: SendCause.Purpose, _ second: SendCause.Purpose
  ) -> Bool {
    (first == .enrolment) == (second == .enrolment)
  }

  /// The messages that a breaker looks at, newest first: the last ones that are old enough, were
  /// sent, and were not forgiven by an administrator, at most `breakerShare` of each user.
  private func examined(of purpose: SendCause.Purpose, _ now: Int64) -> [Entry] {
    var examined: [Entry] = []
    for entry in entries.reversed() where examined.count < Self.breakerCount {
      guard Self.isSameBreaker(entry.cause.purpose, purpose), entry.result != .failed,
        entry.result != .notice, entry.time > resumedAt,
        Self.age(of: entry.time, now) >= Self.breakerAge,
        examined.count(where: { $0.cause.user == entry.cause.user }) < Self.breakerShare
      else { continue }
      examined.append(entry)
    }
    return examined
  }

  /// Returns how many seconds remain until a message can be sent although too few came back, or nil
  /// if enough came back.
  func breakerWait(
    of purpose: SendCause.Purpose, _ limits: HostSendLimits, _ now: Int64
  ) -> Int64? {
    let examined = examined(of: purpose, now)
    guard limits.breakerPercent > 0, examined.count >= Self.breakerCount else { return nil }
    let returned = examined.count { $0.result == .returned }
    guard returned &* 100 < Int(limits.breakerPercent) &* examined.count else { return nil }
    var youngest = Int64.max
    for entry in entries where Self.isSameBreaker(entry.cause.purpose, purpose) {
      youngest = min(youngest, Self.age(of: entry.time, now))
    }
    return youngest < Self.hour ? Self.hour &- youngest : nil
  }

  /// Returns the numbers for administrators.
  func status(_ limits: HostSendLimits, _ now: Int64) -> SendLog.Status {
    let day = entries.filter { Self.age(of: $0.time, now) < Self.day }
    return SendLog.Status(
      sent: day.count, returned: day.count { $0.result == .returned },
      failed: day.count { $0.result == .failed },
      signIns: breaker(of: .signIn, limits, now), enrolments: breaker(of: .enrolment, limits, now))
  }

  private func breaker(
    of purpose: SendCause.Purpose, _ limits: HostSendLimits, _ now: Int64
  ) -> SendLog.Breaker {
    let examined = examined(of: purpose, now)
    return SendLog.Breaker(
      examined: examined.count, returned: examined.count { $0.result == .returned },
      seconds: breakerWait(of: purpose, limits, now))
  }

  /// Returns the seconds since `time`: 0 if that is in the future, or if the difference overflows.
  private static func age(of time: Int64, _ now: Int64) -> Int64 {
    let (age, overflow) = now.subtractingReportingOverflow(time)
    return overflow ? 0 : max(age, 0)
  }

  // MARK: Bytes

  private static var entryLength: Int { 38 }
  private static var headLength: Int { 12 }
  /// The length of the encoded history in bytes, which does not depend on the number of messages.
  static var length: Int {
    headLength &+ entryLength &* Int(HostSendLimits.hostDailyRange.upperBound)
  }

  /// The encoded history.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(resumedAt)
    writer.write(UInt32(truncatingIfNeeded: entries.count))
    for entry in entries {
      writer.write(entry.time)
      writer.write(entry.id.number)
      writer.write(entry.number.first)
      writer.write(entry.number.second)
      writer.write(entry.cause.user)
      writer.write(entry.cause.purpose.rawValue)
      writer.write(entry.result.rawValue)
    }
    writer.pad(to: Self.length)
    return writer.bytes
  }

  /// Reads an encoded history. Returns nil if it is invalid.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    var reader = ByteReader(bytes)
    guard let resumedAt = reader.read(Int64.self), let count = reader.read(UInt32.self),
      count <= HostSendLimits.hostDailyRange.upperBound
    else { return nil }
    self.resumedAt = resumedAt
    for _ in 0..<count {
      guard let time = reader.read(Int64.self), let id = reader.read(UInt64.self),
        let first = reader.read(UInt64.self), let second = reader.read(UInt64.self),
        let user = reader.read(UInt32.self),
        let purpose = reader.read(UInt8.self).flatMap({ SendCause.Purpose(rawValue: $0) }),
        let result = reader.read(UInt8.self).flatMap({ Result(rawValue: $0) })
      else { return nil }
      entries.append(
        Entry(
          time: time, id: SendID(number: id), number: NumberDigest(first: first, second: second),
          cause: SendCause(purpose, of: user), result: result))
    }
    guard reader.isRestZero else { return nil }
  }
}
