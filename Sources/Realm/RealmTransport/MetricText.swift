/// The text format of Prometheus, version 0.0.4.
package enum MetricText {
  /// The media type of the format.
  package static var mediaType: String { "text/plain; version=0.0.4; charset=utf-8" }

  /// Returns the text of the families.
  package static func text(of families: [MetricFamily]) -> String {
    var text = ""
    for family in families { add(family, to: &text) }
    return text
  }

  private static func add(_ family: MetricFamily, to text: inout String) {
    let definition = family.definition
    text += "# HELP \(definition.name) \(escaped(definition.help, quotes: false))\n"
    text += "# TYPE \(definition.name) \(type(of: definition.kind))\n"
    for series in family.series {
      let label = definition.label.flatMap { key in
        series.label.map { "\(key)=\"\(escaped($0, quotes: true))\"" }
      }
      switch series.value {
      case .number(let number):
        text += "\(definition.name)\(labels([label])) \(decimal(number))\n"
      case .distribution(let counts, let sum):
        add(definition, label, counts, sum, to: &text)
      }
    }
  }

  private static func add(
    _ definition: MetricDefinition, _ label: String?, _ counts: [UInt64], _ sum: Double,
    to text: inout String
  ) {
    guard case .histogram(let bounds) = definition.kind else { return }
    var total: UInt64 = 0
    for (bound, count) in zip(bounds.map { decimal($0) } + ["+Inf"], counts) {
      total &+= count
      text += "\(definition.name)_bucket\(labels([label, "le=\"\(bound)\""])) \(total)\n"
    }
    text += "\(definition.name)_sum\(labels([label])) \(decimal(sum))\n"
    text += "\(definition.name)_count\(labels([label])) \(total)\n"
  }

  private static func labels(_ labels: [String?]) -> String {
    let present = labels.compactMap { $0 }
    return present.isEmpty ? "" : "{\(present.joined(separator: ","))}"
  }

  private static func type(of kind: MetricDefinition.Kind) -> String {
    switch kind {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }

  /// Returns a number, without a fraction if it is whole.
  private static func decimal(_ number: Double) -> String {
    if let whole = Int64(exactly: number) { return "\(whole)" }
    if number.isNaN { return "NaN" }
    guard number.isFinite else { return number < 0 ? "-Inf" : "+Inf" }
    return "\(number)"
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
