#if Fleet
import Metrics
import Synchronization

/// The metrics of a program, behind the interface of swift-metrics.
///
/// MUST 1: only metrics that were defined are counted, with the values of labels that were defined, so that
/// neither a user nor a host can add series or put a name into one. (Tests/Fleet: `metrics`)
package final class MetricRegistry: MetricsFactory {
  private let definitions: [MetricDefinition]
  /// One cell for each value of a metric's label, in the order of the definition; one cell if it has no label.
  private let cells: [String: [MetricCell]]

  /// Creates a registry in which all numbers are 0.
  package init(_ definitions: [MetricDefinition]) {
    self.definitions = definitions
    cells = Dictionary(
      definitions.map { definition in
        let count = definition.label == nil ? 1 : definition.values.count
        return (definition.name, (0..<count).map { _ in MetricCell(definition.kind) })
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The present values.
  package var families: [MetricFamily] {
    definitions.map { definition in
      let labels = definition.label == nil ? [nil] : definition.values.map { Optional($0) }
      return MetricFamily(
        definition,
        zip(labels, cells[definition.name] ?? []).map { MetricFamily.Series($0, $1.value) })
    }
  }

  private func cell(_ name: String, _ dimensions: [(String, String)]) -> MetricCell {
    guard let definition = definitions.first(where: { $0.name == name }),
      let cells = cells[name]
    else { return MetricCell(.counter) }
    guard let key = definition.label else {
      return dimensions.isEmpty ? cells[0] : MetricCell(definition.kind)
    }
    guard dimensions.count == 1, dimensions[0].0 == key,
      let index = definition.values.firstIndex(of: dimensions[0].1)
    else { return MetricCell(definition.kind) }
    return cells[index]
  }

  /// Returns a counter. One that is not defined is not exported.
  package func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler {
    cell(label, dimensions)
  }

  /// Returns a gauge. One that is not defined is not exported.
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    cell(label, dimensions)
  }

  /// Returns a distribution. One that is not defined is not exported.
  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    cell(label, dimensions)
  }

  /// Returns a distribution of seconds. One that is not defined is not exported.
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    cell(label, dimensions)
  }

  /// Does nothing: the metrics live as long as the program.
  package func destroyCounter(_ handler: any CounterHandler) {}
  /// Does nothing: the metrics live as long as the program.
  package func destroyMeter(_ handler: any MeterHandler) {}
  /// Does nothing: the metrics live as long as the program.
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Does nothing: the metrics live as long as the program.
  package func destroyTimer(_ handler: any TimerHandler) {}
}

/// The numbers of one series.
private final class MetricCell: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  private let bounds: [Double]
  private let state: Mutex<State>

  private struct State {
    var number = 0.0
    var counts: [UInt64]
  }

  init(_ kind: MetricDefinition.Kind) {
    if case .histogram(let bounds) = kind { self.bounds = bounds } else { bounds = [] }
    let count = bounds.isEmpty ? 0 : bounds.count + 1
    state = Mutex(State(counts: [UInt64](repeating: 0, count: count)))
  }

  var value: MetricFamily.Value {
    state.withLock { state in
      state.counts.isEmpty
        ? .number(state.number) : .distribution(counts: state.counts, sum: state.number)
    }
  }

  private func add(_ number: Double) { state.withLock { $0.number += number } }

  private func observe(_ number: Double) {
    let index = bounds.firstIndex { number <= $0 } ?? bounds.count
    state.withLock { state in
      state.number += number
      guard state.counts.indices.contains(index) else { return }
      state.counts[index] &+= 1
    }
  }

  func increment(by amount: Int64) { add(Double(amount)) }
  func reset() { state.withLock { $0.number = 0 } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { state.withLock { $0.number = value } }
  func increment(by amount: Double) { add(amount) }
  func decrement(by amount: Double) { add(-amount) }
  func record(_ value: Int64) { observe(Double(value)) }
  func record(_ value: Double) { observe(value) }
  func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}
#endif
