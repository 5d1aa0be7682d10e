import Testing

@testable import MFARealmTransport

@Suite("The text of metrics")
struct MetricTextTests {
  @Test("numbers have a label if the metric has one")
  func numbers() {
    let plain = MetricFamily(
      MetricDefinition("mfa_open", .gauge, "Open \\ things.\n"),
      [MetricFamily.Series(nil, .number(2))])
    let labelled = MetricFamily(
      MetricDefinition("mfa_ends_total", .counter, "Ends.", label: "end", values: ["a", "b\"c"]),
      [
        MetricFamily.Series("a", .number(0.5)),
        MetricFamily.Series("b\"c", .number(12_345_678_901_234)),
      ])
    #expect(
      MetricText.text(of: [plain, labelled]) == """
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
    let family = MetricFamily(
      MetricDefinition(
        "mfa_time_seconds", .histogram(bounds: [0.5, 1]), "Time.", label: "call",
        values: ["load"]),
      [MetricFamily.Series("load", .distribution(counts: [1, 2, 3], sum: 7.25))])
    #expect(
      MetricText.text(of: [family]) == """
        # HELP mfa_time_seconds Time.
        # TYPE mfa_time_seconds histogram
        mfa_time_seconds_bucket{call="load",le="0.5"} 1
        mfa_time_seconds_bucket{call="load",le="1"} 3
        mfa_time_seconds_bucket{call="load",le="+Inf"} 6
        mfa_time_seconds_sum{call="load"} 7.25
        mfa_time_seconds_count{call="load"} 6

        """)
  }
}
