/// How failures in a row are answered: first with nothing, then with growing waits, and in the end
/// by disabling the factors (NIST SP 800-63B-4, section 3.2.2).
///
/// MUST 1: no number of failures makes the wait shorter, and none makes it trap.
/// MUST 2: whatever it is made of, it disables the factors after 100 failures at most, and makes
/// people wait before that.
/// (`ThrottlePolicyTests`)
public struct ThrottlePolicy: Equatable, Sendable {
  /// How many failures in a row may be allowed, before a wait or before the factors are disabled.
  public static var failureRange: ClosedRange<UInt32> { 1...100 }

  /// How long a wait may be, in seconds: up to a day.
  public static var waitRange: ClosedRange<Int64> { 1...86_400 }

  /// The number of failures in a row that is answered with the first wait.
  public let waitsAfter: UInt32
  /// The first wait in seconds; each further failure doubles it.
  public let firstWait: Int64
  /// The wait in seconds that is never exceeded.
  public let longestWait: Int64
  /// The number of failures in a row that disables the factors.
  public let disablesAfter: UInt32

  /// A policy of these values. What is out of its range is brought into it; of two values that
  /// contradict one another, the stricter holds: the longer wait, the fewer failures.
  public init(
    waitsAfter: UInt32 = 5, firstWait: Int64 = 30, longestWait: Int64 = 900,
    disablesAfter: UInt32 = 100
  ) {
    self.disablesAfter = Self.clamped(disablesAfter, to: Self.failureRange)
    self.waitsAfter = min(Self.clamped(waitsAfter, to: Self.failureRange), self.disablesAfter)
    self.firstWait = Self.clamped(firstWait, to: Self.waitRange)
    self.longestWait = max(Self.clamped(longestWait, to: Self.waitRange), self.firstWait)
  }

  /// The wait in seconds before a further attempt, after this many failures in a row.
  public func wait(afterFailures failures: UInt32) -> Int64 {
    guard failures >= waitsAfter else { return 0 }
    let doublings = failures - waitsAfter
    // Seventeen doublings of a second are more than a day, the longest wait there is.
    guard doublings < 17 else { return longestWait }
    return min(firstWait << Int64(doublings), longestWait)
  }

  private static func clamped<Number: Comparable>(
    _ number: Number, to range: ClosedRange<Number>
  ) -> Number {
    min(max(number, range.lowerBound), range.upperBound)
  }
}
