import MFARealm
import MFARealmTransport

extension DecisionNumbers {
  /// The numbers as metrics.
  package var metrics: [Metric] {
    [
      counters("mfa_decision_requests_total", "Requests, by how they ended.", label: "end"),
      counters(
        "mfa_decision_results_total", "Results of sign-ins, as in the log.", label: "result"),
      counters(
        "mfa_decision_engine_errors_total", "Calls of the database that failed.", label: "error"),
      counters("mfa_decision_hosts_total", "Events of hosts.", label: "event"),
      counters(
        "mfa_decision_clock_ahead_total",
        "Loads at which the clock of the verifier was ahead of the database's.", label: "effect"),
      engine,
    ]
  }

  private func counters(_ name: String, _ help: String, label: String) -> Metric {
    let counters = DecisionCounter.allCases.filter { $0.label.key == label }
    let metric = Metric(
      name, .counter, help, label: label, values: counters.map { $0.label.value })
    for counter in counters { metric.set(Double(self[counter]), for: counter.label.value) }
    return metric
  }

  private var engine: Metric {
    let metric = Metric(
      "mfa_decision_engine_seconds",
      .histogram(bounds: DecisionTiming.bounds.map { Double($0) / 1_000_000 }),
      "Time of calls of the database.", label: "call",
      values: DecisionTiming.allCases.map(\.name))
    for timing in DecisionTiming.allCases {
      let (counts, sum) = distribution(timing)
      metric.set(counts: counts, sum: Double(sum) / 1_000_000, for: timing.name)
    }
    return metric
  }
}
