/// Consecutive failures of one kind of attempt.
public struct FailureCount: Equatable, Sendable {
  /// How many there were.
  public var failures: UInt32
  /// When the last one was, in seconds since the epoch; 0 before the first one.
  public var last: Int64

  /// Creates a count.
  public init(failures: UInt32 = 0, last: Int64 = 0) {
    self.failures = failures
    self.last = last
  }
}
