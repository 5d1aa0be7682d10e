import CTestSupport

extension Deadline {
  /// Looks until something holds, or the moment has come; whether it does.
  public func waits(until holds: () throws -> Bool) rethrows -> Bool {
    while try !holds() {
      guard !isOver else { return false }
      _ = ctest_readable(-1, -1, 5)
    }
    return true
  }
}
