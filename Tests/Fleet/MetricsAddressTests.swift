@testable import MFARealmTransport
import MFARealm
import Testing

/// MUST 1 of MetricsAddress.swift.
@Suite("The address for metrics")
struct MetricsAddressTests {
  @Test(
    "addresses of this machine alone are accepted",
    arguments: ["127.0.0.1:9464", "127.9.9.9:1", "[::1]:9464", "unix:/run/mfa/metrics"])
  func accepted(text: String) { #expect(MetricsAddress(text) != nil) }

  @Test(
    "any other address is refused",
    arguments: [
      "0.0.0.0:9464", "192.0.2.1:9464", "128.0.0.1:1", "[::]:9464", "[2001:db8::1]:9464",
      "[::ffff:192.0.2.1]:1", "localhost:9464", "9464", "", "unix:", "unix:metrics",
      "unix:/" + String(repeating: "a", count: 107),
    ])
  func refused(text: String) { #expect(MetricsAddress(text) == nil) }

  @Test("the error names the line, and says what is possible")
  func error() throws {
    let section = RealmConfiguration.Section("relay", required: [], optional: ["metrics"])
    let configuration = try RealmConfiguration(
      "[relay]\nmetrics = :9464\n", path: "f", section: section, others: [])
    #expect {
      try MetricsAddress(configuration)
    } throws: { error in
      guard let error = error as? RealmError else { return false }
      return error.text.hasPrefix("f:2: metrics = :9464 ")
        && error.hint?.contains("metrics = 127.0.0.1:9464") == true
    }
  }
}
