import MFACTestSupport

extension Deadline {
  /// Polls until the condition holds or the deadline has passed. Returns whether it holds.
  package func waits(until holds: () throws -> Bool) rethrows -> Bool {
    while try !holds() {
      guard !isOver else { return false }
      _ = ctest_readable(-1, -1, 5)
    }
    return true
  }
}
