import Synchronization

/// The sign-ins of a command: those that are still to be made, and the results of the others.
final class LoadTally: Sendable {
  private let count: Int
  private let state = Mutex(State())

  private struct State {
    var begun = 0
    var times: [Double] = []
    var verdicts: [Int: Int] = [:]
  }

  init(_ count: Int) { self.count = count }

  /// Returns the number of the next sign-in, or nil if all have begun.
  func next() -> Int? {
    state.withLock { state in
      guard state.begun < count else { return nil }
      defer { state.begun += 1 }
      return state.begun
    }
  }

  /// Adds a verdict and how long it took.
  func add(_ verdict: Int, seconds: Double) {
    state.withLock { state in
      state.times.append(seconds)
      state.verdicts[verdict, default: 0] += 1
    }
  }

  /// The times in ascending order, and the number of each verdict.
  var results: (times: [Double], verdicts: [Int: Int]) {
    state.withLock { ($0.times.sorted(), $0.verdicts) }
  }
}
