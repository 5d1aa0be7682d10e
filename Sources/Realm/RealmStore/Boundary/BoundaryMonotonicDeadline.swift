import MFACPOSIX

/// A moment of the monotonic clock at which a call gives up.
struct MonotonicDeadline: Sendable {
  private let end: Int64

  /// Creates a deadline.
  init(after duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let limit = nanoseconds.overflow ? Int64.max : nanoseconds.partialValue
    let (sum, overflow) = Self.now().addingReportingOverflow(limit)
    let (exact, rest) = sum.addingReportingOverflow(attoseconds / 1_000_000_000)
    end = overflow || rest ? .max : exact
  }

  /// The remaining milliseconds, rounded up; 0 if the deadline has passed.
  var milliseconds: Int32 {
    let (left, overflow) = end.subtractingReportingOverflow(Self.now())
    guard !overflow, left > 0 else { return 0 }
    return Int32(clamping: (left - 1) / 1_000_000 + 1)
  }

  /// Returns the nanoseconds of the monotonic clock. A clock that cannot be read ends every wait.
  private static func now() -> Int64 {
    var time = timespec()
    // SAFETY: the call writes `time`, which outlives it.
    guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return .max }
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
