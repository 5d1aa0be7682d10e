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
