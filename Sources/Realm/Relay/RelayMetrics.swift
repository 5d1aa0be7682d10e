#if Fleet
import MFARealm
import MFARealmTransport

/// The metrics of a relay.
///
/// MUST 1: the only labels are the verifiers of the configuration and words of this file. (Tests/Fleet: `metrics`)
struct RelayMetrics: Sendable {
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

  let open = Metric("mfa_relay_requests", .gauge, "Requests to a verifier that are open.")
  let ended = Metric(
    "mfa_relay_requests_total", .counter, "Requests that have ended, by how they ended.",
    label: "end", values: End.allCases.map(\.rawValue))
  let answer = Metric(
    "mfa_relay_answer_seconds", Metric.seconds,
    "Time until a verifier answered, in all attempts together.")
  let isOnline = Metric("mfa_relay_online", .gauge, "Whether any verifier works.")
  private let phase = Metric(
    "mfa_relay_state", .gauge, "Which state the relay is in: 1 for the present one.",
    label: "state", values: RelayState.Phase.allCases.map(\.rawValue))
  private let permits = Metric(
    "mfa_relay_offline_permits", .gauge,
    "Users about whom this host may decide while no verifier answers.")
  private let records = Metric(
    "mfa_relay_offline_records", .gauge,
    "Records of sign-ins during an outage that no verifier has yet.")
  private let areFilesSound = Metric(
    "mfa_relay_offline_sound", .gauge,
    "1 if the files for an outage are as the relay wrote them, or if it keeps none.")
  let healthy: Metric
  let connections: Metric
  let unanswered: Metric
  let renewals = Metric(
    "mfa_relay_renewals_total", .counter, "Renewals of the certificate of this host.",
    label: "result", values: ["renewed", "failed"])
  let certificateEnd = Metric(
    "mfa_relay_certificate_end_timestamp_seconds", .gauge,
    "When the certificate of this host ends, in seconds since the epoch; 0 if unknown.")

  init(_ verifiers: [RealmAddress]) {
    let verifiers = verifiers.map(\.text)
    healthy = Metric(
      "mfa_relay_verifier_up", .gauge,
      "Whether the last check of a verifier, or request to it, succeeded.", label: "verifier",
      values: verifiers)
    connections = Metric(
      "mfa_relay_connections_total", .counter, "Connections to a verifier that were opened.",
      label: "verifier", values: verifiers)
    unanswered = Metric(
      "mfa_relay_unanswered_total", .counter, "Requests that a verifier did not answer.",
      label: "verifier", values: verifiers)
  }

  /// All metrics, in the order in which they are exported.
  var all: [Metric] {
    [
      open, ended, answer, isOnline, phase, permits, records, areFilesSound, healthy, connections,
      unanswered, renewals, certificateEnd,
    ]
  }

  func set(_ phase: RelayState.Phase) {
    for each in RelayState.Phase.allCases { self.phase.set(each == phase, for: each.rawValue) }
  }

  /// Sets the condition of the files for an outage; nil if the relay keeps none.
  func set(_ condition: OfflineStore.Condition?) {
    permits.set(Double(condition?.permits ?? 0))
    records.set(Double(condition?.records ?? 0))
    areFilesSound.set(condition.map { $0.isQueueSound && $0.arePermitsSound } ?? true)
  }
}
#endif
