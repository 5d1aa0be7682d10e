import Synchronization

/// A metric of a program, with a number for each value of its label. A program creates all its metrics before it
/// counts anything, so that each of them is exported from the beginning.
///
/// MUST 1: only the values of the label that were given at first are counted, so that neither a user nor a host can
/// add series or put a name into one. (Tests/Fleet: `metrics`)
package final class Metric: Sendable {
  /// The kinds of metrics.
  package enum Kind: Sendable {
    /// A number that only grows.
    case counter
    /// A number that grows and shrinks.
    case gauge
    /// A distribution. `bounds` are the upper bounds of its buckets in ascending order, without infinity.
    case histogram(bounds: [Double])
  }

  private let name: String
  private let help: String
  private let kind: Kind
  /// The key of the label, or nil if the metric has no label.
  private let label: String?
  /// The values of the label; nil for the only series of a metric without a label.
  private let values: [String?]
  private let series: Mutex<[Series]>

  private struct Series {
    /// The number, or the sum of all observations of a distribution.
    var number = 0.0
    /// The number of observations in each bucket, those above the last bound last.
    var counts: [UInt64]
  }

  /// The bounds for times of one sign-in, in seconds.
  package static var seconds: Kind {
    .histogram(bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])
  }

  /// Creates a metric, all of whose numbers are 0. `name` is the name in Prometheus, and `help` a sentence that
  /// explains the metric.
  package init(
    _ name: String, _ kind: Kind, _ help: String, label: String? = nil, values: [String] = []
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.label = label
    self.values = label == nil ? [nil] : values
    var counts: [UInt64] = []
    if case .histogram(let bounds) = kind { counts = Array(repeating: 0, count: bounds.count + 1) }
    series = Mutex(Array(repeating: Series(counts: counts), count: self.values.count))
  }

  // MARK: Counting

  private func change(_ value: String?, _ body: (inout Series) -> Void) {
    guard let index = values.firstIndex(of: value) else { return }
    series.withLock { body(&$0[index]) }
  }

  /// Adds to a number.
  package func add(_ number: Double = 1, for value: String? = nil) {
    change(value) { $0.number += number }
  }

  /// Sets a number.
  package func set(_ number: Double, for value: String? = nil) {
    change(value) { $0.number = number }
  }

  /// Sets a flag: 1 or 0.
  package func set(_ flag: Bool, for value: String? = nil) { set(flag ? 1 : 0, for: value) }

  /// Adds the time since `begin` to a distribution of seconds without a label.
  package func observe(since begin: ContinuousClock.Instant) {
    guard case .histogram(let bounds) = kind else { return }
    let time = (ContinuousClock.now - begin) / .seconds(1)
    change(nil) { series in
      series.number += time
      series.counts[bounds.firstIndex { time <= $0 } ?? bounds.count] &+= 1
    }
  }

  /// Sets the number of observations in each bucket, and the sum of all observations.
  package func set(counts: [UInt64], sum: Double, for value: String) {
    change(value) { $0 = Series(number: sum, counts: counts) }
  }

  // MARK: The text format

  /// The media type of `text`.
  static var mediaType: String { "text/plain; version=0.0.4; charset=utf-8" }

  /// The present values in the text format of Prometheus, version 0.0.4.
  package var text: String {
    var text = "# HELP \(name) \(Self.escaped(help, quotes: false))\n"
    text += "# TYPE \(name) \(type)\n"
    for (value, series) in zip(values, series.withLock { $0 }) {
      let label = label.flatMap { key in
        value.map { "\(key)=\"\(Self.escaped($0, quotes: true))\"" }
      }
      guard case .histogram(let bounds) = kind else {
        text += "\(name)\(Self.labels([label])) \(Self.decimal(series.number))\n"
        continue
      }
      var total: UInt64 = 0
      for (bound, count) in zip(bounds.map { Self.decimal($0) } + ["+Inf"], series.counts) {
        total &+= count
        text += "\(name)_bucket\(Self.labels([label, "le=\"\(bound)\""])) \(total)\n"
      }
      text += "\(name)_sum\(Self.labels([label])) \(Self.decimal(series.number))\n"
      text += "\(name)_count\(Self.labels([label])) \(total)\n"
    }
    return text
  }

  private var type: String {
    switch kind {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }

  private static func labels(_ labels: [String?]) -> String {
    let present = labels.compactMap { $0 }
    return present.isEmpty ? "" : "{\(present.joined(separator: ","))}"
  }

  /// Returns a number, without a fraction if it is whole.
  private static func decimal(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
