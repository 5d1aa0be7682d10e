#if Fleet
import MFARealmTransport
import MFARealm
import Metrics

/// The metrics of a network front, and those of its decision service.
///
/// MUST 1: no label has the name of a host or of a user. (Tests/Fleet: `metrics`)
struct FrontMetrics: Sendable {
  private let registry: MetricRegistry

  /// How a request for a decision ended.
  enum End: String, CaseIterable, Sendable {
    /// The decision service answered.
    case answered
    /// There was no free place.
    case noPlace = "no-place"
    /// The decision service did not answer.
    case failed
  }

  /// A port of the front.
  enum Port: String, CaseIterable, Sendable {
    /// For hosts with a certificate.
    case hosts
    /// For hosts with a ticket.
    case join
  }

  private enum Name {
    static let open = "mfa_front_decisions"
    static let ended = "mfa_front_decisions_total"
    static let places = "mfa_front_places"
    static let step = "mfa_front_decision_seconds"
    static let openConnections = "mfa_front_connections"
    static let connections = "mfa_front_connections_total"
    static let refusedConnections = "mfa_front_refused_connections_total"
    static let certificateEnd = "mfa_front_certificate_end_timestamp_seconds"
    static let decisions = "mfa_decision_up"
  }

  init(places: Int, certificateEnd: Double) {
    let ports = Port.allCases.map(\.rawValue)
    registry = MetricRegistry([
      MetricDefinition(Name.open, .gauge, "Requests for a decision that are being answered."),
      MetricDefinition(
        Name.ended, .counter, "Requests for a decision, by how they ended.", label: "end",
        values: End.allCases.map(\.rawValue)),
      MetricDefinition(Name.places, .gauge, "Places for decisions."),
      MetricDefinition(
        Name.step, MetricDefinition.seconds,
        "Time that the decision service took for a decision."),
      MetricDefinition(
        Name.openConnections, .gauge, "Connections that are open.", label: "port", values: ports),
      MetricDefinition(
        Name.connections, .counter, "Connections whose handshake was completed.", label: "port",
        values: ports),
      MetricDefinition(
        Name.refusedConnections, .counter,
        "Connections that were closed because there were too many.", label: "port", values: ports),
      MetricDefinition(
        Name.certificateEnd, .gauge,
        "When the certificate in use ends, in seconds since the epoch; 0 if unknown."),
      MetricDefinition(Name.decisions, .gauge, "Whether the decision service answers."),
    ])
    meter(Name.places).set(places)
    meter(Name.certificateEnd).set(certificateEnd)
  }

  private func counter(_ name: String, _ key: String, _ value: String) -> Counter {
    Counter(label: name, dimensions: [(key, value)], factory: registry)
  }

  private func meter(_ name: String, _ dimensions: [(String, String)] = []) -> Meter {
    Meter(label: name, dimensions: dimensions, factory: registry)
  }

  func begin() { meter(Name.open).increment() }

  func end() { meter(Name.open).decrement() }

  func ended(_ end: End) { counter(Name.ended, "end", end.rawValue).increment() }

  func step(_ time: Duration) { Timer(label: Name.step, factory: registry).record(duration: time) }

  func connected(_ port: Port) { counter(Name.connections, "port", port.rawValue).increment() }

  func refusedConnection(_ port: Port) {
    counter(Name.refusedConnections, "port", port.rawValue).increment()
  }

  func set(_ port: Port, openConnections: Int) {
    meter(Name.openConnections, [("port", port.rawValue)]).set(openConnections)
  }

  /// Returns the present values, with those of the decision service.
  func families(_ decisions: DecisionService) async -> [MetricFamily] {
    let numbers: DecisionNumbers?
    do {
      numbers = try await decisions.numbers()
    } catch {
      numbers = nil
    }
    meter(Name.decisions).set(numbers == nil ? 0 : 1)
    return registry.families + (numbers.map { $0.families } ?? [])
  }
}
#endif
