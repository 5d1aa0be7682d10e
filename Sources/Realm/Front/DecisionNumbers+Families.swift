import MFARealmTransport
import MFARealm

extension DecisionNumbers {
  /// The numbers as metrics.
  package var families: [MetricFamily] {
    [
      family(
        "mfa_decision_requests_total", "Requests, by how they ended.", label: "end"
      ) { if case .requests(let end) = $0 { end } else { nil } },
      family(
        "mfa_decision_results_total", "Results of sign-ins, as in the log.", label: "result"
      ) { if case .results(let result) = $0 { result } else { nil } },
      family(
        "mfa_decision_engine_errors_total", "Calls of the database that failed.", label: "error"
      ) { if case .engineErrors(let error) = $0 { error } else { nil } },
      family("mfa_decision_hosts_total", "Events of hosts.", label: "event") {
        if case .hosts(let event) = $0 { event } else { nil }
      },
      family(
        "mfa_decision_clock_ahead_total",
        "Loads at which the clock of the verifier was ahead of the database's.", label: "effect"
      ) { if case .clock(let effect) = $0 { effect } else { nil } },
      engine,
    ]
  }

  private func family(
    _ name: String, _ help: String, label: String,
    _ value: (DecisionCounter.Place) -> String?
  ) -> MetricFamily {
    let counters = DecisionCounter.allCases.compactMap { counter in
      value(counter.place).map { ($0, self[counter]) }
    }
    return MetricFamily(
      MetricDefinition(name, .counter, help, label: label, values: counters.map(\.0)),
      counters.map { MetricFamily.Series($0, .number(Double($1))) })
  }

  private var engine: MetricFamily {
    let definition = MetricDefinition(
      "mfa_decision_engine_seconds",
      .histogram(bounds: DecisionTiming.bounds.map { Double($0) / 1_000_000 }),
      "Time of calls of the database.", label: "call",
      values: DecisionTiming.allCases.map(\.name))
    return MetricFamily(
      definition,
      DecisionTiming.allCases.map { timing in
        let (counts, sum) = distribution(timing)
        return MetricFamily.Series(
          timing.name, .distribution(counts: counts, sum: Double(sum) / 1_000_000))
      })
  }
}
