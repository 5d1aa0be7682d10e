/// The calls of the database whose time the decision service measures. A raw value is the index of the
/// distribution in an encoded reply: new cases are added at the end.
package enum DecisionTiming: UInt8, CaseIterable, Sendable {
  case load, commit

  /// The upper bounds of the buckets in microseconds, without infinity.
  package static var bounds: [UInt64] {
    [250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000]
  }

  /// The number of numbers of a distribution: the buckets, the one without an upper bound, and the sum in
  /// microseconds.
  package static var width: Int { bounds.count &+ 2 }

  /// The name of the call.
  package var name: String {
    switch self {
    case .load: "load"
    case .commit: "commit"
    }
  }
}
