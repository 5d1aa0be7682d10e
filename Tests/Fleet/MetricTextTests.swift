import Testing

@testable import MFARealmTransport

@Suite("The text of metrics")
struct MetricTextTests {
  @Test("numbers have a label if the metric has one")
  func numbers() {
    let plain = Metric("mfa_open", .gauge, "Open \\ things.\n")
    plain.add(3)
    plain.add(-1)
    let labelled = Metric("mfa_ends_total", .counter, "Ends.", label: "end", values: ["a", "b\"c"])
    labelled.set(0.5, for: "a")
    labelled.set(12_345_678_901_234, for: "b\"c")
    #expect(
      plain.text + labelled.text == """
        # HELP mfa_open Open \\\\ things.\\n
        # TYPE mfa_open gauge
        mfa_open 2
        # HELP mfa_ends_total Ends.
        # TYPE mfa_ends_total counter
        mfa_ends_total{end="a"} 0.5
        mfa_ends_total{end="b\\"c"} 12345678901234

        """)
  }

  @Test("the buckets of a distribution are cumulative")
  func distribution() {
    let metric = Metric(
      "mfa_time_seconds", .histogram(bounds: [0.5, 1]), "Time.", label: "call", values: ["load"])
    metric.set(counts: [1, 2, 3], sum: 7.25, for: "load")
    #expect(
      metric.text == """
        # HELP mfa_time_seconds Time.
        # TYPE mfa_time_seconds histogram
        mfa_time_seconds_bucket{call="load",le="0.5"} 1
        mfa_time_seconds_bucket{call="load",le="1"} 3
        mfa_time_seconds_bucket{call="load",le="+Inf"} 6
        mfa_time_seconds_sum{call="load"} 7.25
        mfa_time_seconds_count{call="load"} 6

        """)
  }

  /// MUST 1 of Metric.swift.
  @Test("a value of a label that was not given at first is not counted")
  func otherValue() {
    let metric = Metric("mfa_ends_total", .counter, "Ends.", label: "end", values: ["a"])
    let before = metric.text
    metric.add(for: "b")
    metric.add()
    #expect(metric.text == before)
  }
}
