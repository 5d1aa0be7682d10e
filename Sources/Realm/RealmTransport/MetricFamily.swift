/// A metric with its present values.
package struct MetricFamily: Equatable, Sendable {
  /// A value, with the value of the label.
  package struct Series: Equatable, Sendable {
    /// The value of the label; nil if the metric has no label.
    package let label: String?
    /// The value.
    package let value: Value

    /// Creates a series.
    package init(_ label: String?, _ value: Value) {
      self.label = label
      self.value = value
    }
  }

  /// The value of a series.
  package enum Value: Equatable, Sendable {
    case number(Double)
    /// The number of observations in each bucket, those above the last bound last, and the sum of all
    /// observations.
    case distribution(counts: [UInt64], sum: Double)
  }

  package let definition: MetricDefinition
  package let series: [Series]

  /// Creates a family.
  package init(_ definition: MetricDefinition, _ series: [Series]) {
    self.definition = definition
    self.series = series
  }

  package static func == (one: MetricFamily, other: MetricFamily) -> Bool {
    one.definition.name == other.definition.name && one.series == other.series
  }
}
