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
