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
