/// What a decision service has counted since it was started.
///
/// Both lists may be shorter or longer than those of this version, if the other program has another version.
package struct DecisionNumbers: Equatable, Sendable {
  /// The counters, at the raw values of `DecisionCounter`.
  package var counters: [UInt64]
  /// The distributions, `DecisionTiming.width` numbers each, in the order of `DecisionTiming`.
  package var timings: [UInt64]

  /// The largest number of elements of each list in a packet.
  static var longest: UInt16 { 1024 }

  /// Creates a value.
  package init(counters: [UInt64], timings: [UInt64]) {
    self.counters = counters
    self.timings = timings
  }

  /// Returns a counter; 0 if the service does not count it.
  package subscript(counter: DecisionCounter) -> UInt64 {
    let index = Int(counter.rawValue)
    return counters.indices.contains(index) ? counters[index] : 0
  }

  /// Returns the numbers of observations in each bucket, and the sum of all observations in microseconds.
  package func distribution(_ timing: DecisionTiming) -> (counts: [UInt64], sum: UInt64) {
    let start = Int(timing.rawValue) &* DecisionTiming.width
    let numbers = (0..<DecisionTiming.width).map { offset in
      timings.indices.contains(start &+ offset) ? timings[start &+ offset] : 0
    }
    return (Array(numbers.dropLast()), numbers.last ?? 0)
  }
}
