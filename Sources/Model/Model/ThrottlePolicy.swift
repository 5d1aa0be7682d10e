/// The response to consecutive failures: none at first, then increasing waits, and finally a lock
/// of the factors (NIST SP 800-63B-4, section 3.2.2).
///
/// MUST 1: no number of failures shortens the wait or causes a trap.
/// MUST 2: whatever the values, the policy locks the factors after at most 100 failures. The first
/// wait comes no later than the lock.
/// (`ThrottlePolicyTests`)
package struct ThrottlePolicy: Equatable, Sendable {
  /// The valid numbers of consecutive failures before a wait, or before the factors are locked.
  package static var failureRange: ClosedRange<UInt32> { 1...100 }

  /// The valid waits in seconds: up to a day.
  package static var waitRange: ClosedRange<Int64> { 1...86_400 }

  /// The number of consecutive failures that causes the first wait.
  package let waitsAfter: UInt32
  /// The first wait in seconds. Each further failure doubles the wait.
  package let firstWait: Int64
  /// The maximum wait in seconds.
  package let longestWait: Int64
  /// The number of consecutive failures that locks the factors.
  package let locksAfter: UInt32

  /// Creates a policy. A value out of range is replaced by the nearest valid one. If two values
  /// contradict each other, the stricter one holds: the longer wait, the fewer failures.
  package init(
    waitsAfter: UInt32 = 5, firstWait: Int64 = 30, longestWait: Int64 = 900,
    locksAfter: UInt32 = 100
  ) {
    self.locksAfter = Self.clamped(locksAfter, to: Self.failureRange)
    self.waitsAfter = min(Self.clamped(waitsAfter, to: Self.failureRange), self.locksAfter)
    self.firstWait = Self.clamped(firstWait, to: Self.waitRange)
    self.longestWait = max(Self.clamped(longestWait, to: Self.waitRange), self.firstWait)
  }

  /// Returns the wait in seconds before the next attempt, after this many consecutive failures.
  package func wait(afterFailures failures: UInt32) -> Int64 {
    guard failures >= waitsAfter else { return 0 }
    let doublings = failures - waitsAfter
    // Seventeen doublings of one second are more than a day, the maximum wait.
    guard doublings < 17 else { return longestWait }
    return min(firstWait << Int64(doublings), longestWait)
  }

  private static func clamped<Number: Comparable>(
    _ number: Number, to range: ClosedRange<Number>
  ) -> Number {
    min(max(number, range.lowerBound), range.upperBound)
  }
}

/// Consecutive failures of one kind of attempt.
package struct FailureCount: Equatable, Sendable {
  /// The number of failures.
  package var failures: UInt32
  /// The time of the last failure, in seconds since the epoch; 0 if there was none.
  package var last: Int64

  /// Creates a count.
  package init(failures: UInt32 = 0, last: Int64 = 0) {
    self.failures = failures
    self.last = last
  }
}

/// The number of changes that one user made in the current hour. Its limit bounds how fast a user
/// can make the audit log grow.
package struct HourlyCount: Equatable, Sendable {
  /// The hour, in hours since the epoch.
  package let hour: Int64
  /// The number of changes in this hour.
  package let count: UInt16

  /// The maximum number of changes in an hour.
  package static var most: UInt16 { 30 }

  /// Creates a count.
  package init(hour: Int64 = 0, count: UInt16 = 0) {
    self.hour = hour
    self.count = count
  }

  /// Returns the count after one more change at `now` (seconds since the epoch), or nil if that
  /// would exceed `most`. Setting the clock back does not begin a new hour.
  package func adding(at now: Int64) -> HourlyCount? {
    let present = now / 3600
    guard present <= hour else { return HourlyCount(hour: present, count: 1) }
    guard count < Self.most else { return nil }
    return HourlyCount(hour: hour, count: count &+ 1)
  }

  /// Returns the number of seconds left in `hour` at `now` (seconds since the epoch).
  package func secondsLeft(at now: Int64) -> Int64 {
    let (next, overflow) = hour.addingReportingOverflow(1)
    guard !overflow, next >= now / 3600 else { return 0 }
    return max((next &- now / 3600) &* 3600 &- now % 3600, 1)
  }
}
