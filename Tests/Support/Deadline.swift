import MFACTestSupport

/// A moment at which a test stops waiting.
///
/// Deadlines are generous, because other tests keep the processors busy. They end a test that hangs; they never
/// assert how fast something is.
package struct Deadline: Sendable {
  private let end: Int64

  /// Returns a deadline `seconds` from now.
  package static func after(seconds: Int) -> Deadline {
    Deadline(end: ctest_milliseconds() + Int64(seconds) * 1000)
  }

  /// 2 minutes from now.
  package static var usual: Deadline { after(seconds: 120) }

  /// 5 minutes from now: for what takes seconds even if nothing else runs.
  package static var long: Deadline { after(seconds: 300) }

  /// The remaining milliseconds, at least 0.
  var millisecondsLeft: Int32 {
    Int32(clamping: max(end - ctest_milliseconds(), 0))
  }

  /// Whether the deadline has passed.
  package var isOver: Bool { millisecondsLeft == 0 }
}

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
