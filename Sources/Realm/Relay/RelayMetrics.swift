#if Fleet
import MFARealmTransport
import MFARealm
import Metrics

/// The metrics of a relay.
///
/// MUST 1: the only labels are the verifiers of the configuration and words of this file. (Tests/Fleet: `metrics`)
struct RelayMetrics: Sendable {
  private let registry: MetricRegistry

  /// How a request ended.
  enum End: String, CaseIterable, Sendable {
    /// A verifier answered.
    case answered
    /// No verifier answered, so that a sign-in was denied.
    case noVerifier = "no-verifier"
    /// No verifier answered, and the relay decided by what the realm allows then.
    case offline
    /// There were too many requests.
    case busy
    /// The request was malformed, or did not arrive.
    case malformed
  }

  private enum Name {
    static let open = "mfa_relay_requests"
    static let ended = "mfa_relay_requests_total"
    static let answer = "mfa_relay_answer_seconds"
    static let online = "mfa_relay_online"
    static let phase = "mfa_relay_state"
    static let permits = "mfa_relay_offline_permits"
    static let records = "mfa_relay_offline_records"
    static let sound = "mfa_relay_offline_sound"
    static let healthy = "mfa_relay_verifier_up"
    static let connections = "mfa_relay_connections_total"
    static let unanswered = "mfa_relay_unanswered_total"
    static let renewals = "mfa_relay_renewals_total"
    static let certificateEnd = "mfa_relay_certificate_end_timestamp_seconds"
  }

  init(_ verifiers: [RealmAddress]) {
    let verifiers = verifiers.map(\.text)
    registry = MetricRegistry([
      MetricDefinition(Name.open, .gauge, "Requests to a verifier that are open."),
      MetricDefinition(
        Name.ended, .counter, "Requests that have ended, by how they ended.", label: "end",
        values: End.allCases.map(\.rawValue)),
      MetricDefinition(
        Name.answer, MetricDefinition.seconds,
        "Time until a verifier answered, in all attempts together."),
      MetricDefinition(Name.online, .gauge, "Whether any verifier works."),
      MetricDefinition(
        Name.phase, .gauge, "Which state the relay is in: 1 for the present one.", label: "state",
        values: RelayState.Phase.allCases.map(\.rawValue)),
      MetricDefinition(
        Name.permits, .gauge, "Users about whom this host may decide while no verifier answers."),
      MetricDefinition(
        Name.records, .gauge, "Records of sign-ins during an outage that no verifier has yet."),
      MetricDefinition(
        Name.sound, .gauge,
        "1 if the files for an outage are as the relay wrote them, or if it keeps none."),
      MetricDefinition(
        Name.healthy, .gauge, "Whether the last check of a verifier, or request to it, succeeded.",
        label: "verifier", values: verifiers),
      MetricDefinition(
        Name.connections, .counter, "Connections to a verifier that were opened.",
        label: "verifier", values: verifiers),
      MetricDefinition(
        Name.unanswered, .counter, "Requests that a verifier did not answer.",
        label: "verifier", values: verifiers),
      MetricDefinition(
        Name.renewals, .counter, "Renewals of the certificate of this host.", label: "result",
        values: ["renewed", "failed"]),
      MetricDefinition(
        Name.certificateEnd, .gauge,
        "When the certificate of this host ends, in seconds since the epoch; 0 if unknown."),
    ])
  }

  /// The present values.
  var families: [MetricFamily] { registry.families }

  private func counter(_ name: String, _ key: String, _ value: String) -> Counter {
    Counter(label: name, dimensions: [(key, value)], factory: registry)
  }

  private func meter(_ name: String, _ dimensions: [(String, String)] = []) -> Meter {
    Meter(label: name, dimensions: dimensions, factory: registry)
  }

  func begin() { meter(Name.open).increment() }

  func end() { meter(Name.open).decrement() }

  func ended(_ end: End) { counter(Name.ended, "end", end.rawValue).increment() }

  func answered(after time: Duration) {
    Timer(label: Name.answer, factory: registry).record(duration: time)
  }

  func connected(to verifier: RealmAddress) {
    counter(Name.connections, "verifier", verifier.text).increment()
  }

  func unanswered(by verifier: RealmAddress) {
    counter(Name.unanswered, "verifier", verifier.text).increment()
  }

  func renewed(_ succeeded: Bool) {
    counter(Name.renewals, "result", succeeded ? "renewed" : "failed").increment()
  }

  func set(_ verifier: RealmAddress, isHealthy: Bool) {
    meter(Name.healthy, [("verifier", verifier.text)]).set(isHealthy ? 1 : 0)
  }

  func set(isOnline: Bool) { meter(Name.online).set(isOnline ? 1 : 0) }

  func set(_ phase: RelayState.Phase) {
    for each in RelayState.Phase.allCases {
      meter(Name.phase, [("state", each.rawValue)]).set(each == phase ? 1 : 0)
    }
  }

  /// Sets the condition of the files for an outage; nil if the relay keeps none.
  func set(_ condition: OfflineStore.Condition?) {
    meter(Name.permits).set(condition?.permits ?? 0)
    meter(Name.records).set(condition?.records ?? 0)
    let isSound = condition.map { $0.isQueueSound && $0.arePermitsSound } ?? true
    meter(Name.sound).set(isSound ? 1 : 0)
  }

  func set(certificateEnd: Double) { meter(Name.certificateEnd).set(certificateEnd) }
}
#endif
