/// What a metric is. A program defines all its metrics before it counts anything, so that each of them is
/// exported from the beginning.
package struct MetricDefinition: Sendable {
  /// The kinds of metrics.
  package enum Kind: Equatable, Sendable {
    /// A number that only grows.
    case counter
    /// A number that grows and shrinks.
    case gauge
    /// A distribution. `bounds` are the upper bounds of its buckets in ascending order, without infinity.
    case histogram(bounds: [Double])
  }

  /// The name, as Prometheus has it.
  package let name: String
  /// A sentence that explains the metric.
  package let help: String
  /// The kind.
  package let kind: Kind
  /// The key of the label, or nil if the metric has no label.
  package let label: String?
  /// The possible values of the label. Other values are not counted.
  package let values: [String]

  /// Creates a definition of a metric without a label.
  package init(_ name: String, _ kind: Kind, _ help: String) {
    self.init(name, kind, help, label: nil, values: [])
  }

  /// Creates a definition of a metric with one label.
  package init(_ name: String, _ kind: Kind, _ help: String, label: String?, values: [String]) {
    self.name = name
    self.kind = kind
    self.help = help
    self.label = label
    self.values = values
  }

  /// The bounds for times of one sign-in, in seconds.
  package static var seconds: Kind {
    .histogram(bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])
  }
}
