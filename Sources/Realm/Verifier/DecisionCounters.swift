import MFARealm
import MFABase

/// The numbers that all processes of a decision service count together, in memory that they share.
///
/// MUST 1: a number does not fall when its lower half overflows. (`DecisionCountersTests.carries`)
struct DecisionCounters {
  /// Two halves for each number, the lower one first.
  private let halves: SharedNumbers

  /// The index of the first number of distributions.
  private static var timings: Int { DecisionCounter.allCases.count }
  private static var count: Int {
    timings &+ DecisionTiming.allCases.count &* DecisionTiming.width
  }

  /// Creates the memory. Returns nil if there is none.
  init?() {
    guard let halves = SharedNumbers(count: Self.count &* 2) else { return nil }
    self.halves = halves
  }

  /// Adds 1 to a counter.
  func add(_ counter: DecisionCounter) { add(1, at: Int(counter.rawValue)) }

  /// Adds the time of a call, in microseconds.
  func add(_ timing: DecisionTiming, microseconds: UInt64) {
    let start = Self.timings &+ Int(timing.rawValue) &* DecisionTiming.width
    let bounds = DecisionTiming.bounds
    add(1, at: start &+ (bounds.firstIndex { microseconds <= $0 } ?? bounds.count))
    add(UInt32(clamping: microseconds), at: start &+ DecisionTiming.width &- 1)
  }

  private func add(_ number: UInt32, at index: Int) {
    let sum = halves.add(Int32(bitPattern: number), at: index &* 2)
    if sum < number { halves.add(1, at: index &* 2 &+ 1) }
  }

  private func number(at index: Int) -> UInt64 {
    while true {
      let upper = halves[index &* 2 &+ 1]
      let lower = halves[index &* 2]
      // Another process may have carried in between.
      if halves[index &* 2 &+ 1] == upper { return UInt64(upper) << 32 | UInt64(lower) }
    }
  }

  /// The present numbers.
  var numbers: DecisionNumbers {
    DecisionNumbers(
      counters: (0..<Self.timings).map { number(at: $0) },
      timings: (Self.timings..<Self.count).map { number(at: $0) })
  }
}
