#if Fleet
import MFARealm
import MFARealmTransport

/// The metrics of a network front, and those of its decision service.
///
/// MUST 1: no label has the name of a host or of a user. (Tests/Fleet: `metrics`)
struct FrontMetrics: Sendable {
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

  private static let ports = Port.allCases.map(\.rawValue)

  let open = Metric(
    "mfa_front_decisions", .gauge, "Requests for a decision that are being answered.")
  private let ended = Metric(
    "mfa_front_decisions_total", .counter, "Requests for a decision, by how they ended.",
    label: "end", values: End.allCases.map(\.rawValue))
  private let places = Metric("mfa_front_places", .gauge, "Places for decisions.")
  let time = Metric(
    "mfa_front_decision_seconds", Metric.seconds,
    "Time that the decision service took for a decision.")
  let openConnections = Metric(
    "mfa_front_connections", .gauge, "Connections that are open.", label: "port", values: ports)
  let connections = Metric(
    "mfa_front_connections_total", .counter, "Connections whose handshake was completed.",
    label: "port", values: ports)
  let refusedConnections = Metric(
    "mfa_front_refused_connections_total", .counter,
    "Connections that were closed because there were too many.", label: "port", values: ports)
  private let certificateEnd = Metric(
    "mfa_front_certificate_end_timestamp_seconds", .gauge,
    "When the certificate in use ends, in seconds since the epoch; 0 if unknown.")
  private let isServiceUp = Metric(
    "mfa_decision_up", .gauge, "Whether the decision service answers.")

  init(places: Int, certificateEnd: Double) {
    self.places.set(Double(places))
    self.certificateEnd.set(certificateEnd)
  }

  func ended(_ end: End) { ended.add(for: end.rawValue) }

  /// Returns all metrics, with those of the decision service.
  func all(_ decisions: DecisionService) async -> [Metric] {
    let numbers: DecisionNumbers?
    do {
      numbers = try await decisions.numbers()
    } catch {
      numbers = nil
    }
    isServiceUp.set(numbers != nil)
    let own = [
      open, ended, places, time, openConnections, connections, refusedConnections, certificateEnd,
      isServiceUp,
    ]
    return own + (numbers?.metrics ?? [])
  }
}
#endif
