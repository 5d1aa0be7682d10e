import MFARealm
import Testing

@testable import MFARealmTransport

@Suite("The configuration of a realm")
struct RealmConfigurationTests {
  private static let relay = RealmConfiguration.Section(
    "relay", required: ["verifiers"], optional: ["number"])
  private static let other = RealmConfiguration.Section("verifier", required: ["listen"])

  private static func read(_ text: String) throws(RealmError) -> RealmConfiguration {
    try RealmConfiguration(text, path: "f", section: relay, others: [other])
  }

  /// Returns the text of the error.
  private static func error(_ text: String) -> String? {
    do throws(RealmError) {
      let configuration = try read(text)
      _ = try configuration.addresses("verifiers")
      _ = try configuration.number("number", in: 1...10)
      return nil
    } catch {
      return error.text
    }
  }

  @Test("keys, comments and the sections of other programs")
  func valid() throws {
    let configuration = try Self.read(
      """
      # A comment.
      [verifier]
      listen = x:1

        [relay]
      verifiers =  a.example.org:7443 , [::1]:1,127.0.0.1:65535
      number=7
      """)
    #expect(
      try configuration.addresses("verifiers").map(\.text) == [
        "a.example.org:7443", "[::1]:1", "127.0.0.1:65535",
      ])
    #expect(try configuration.number("number", in: 1...10) == 7)
    #expect(configuration.text("other") == nil)
  }

  @Test(
    "an error names the line",
    arguments: [
      (1, "[relay]\nverifiers = a:1\nx = 1", "f:3: unknown key x in [relay]"),
      (2, "[relay]\nlisten = a:1", "f:2: unknown key listen in [relay]"),
      (3, "[relay]\nverifiers = a:1\nverifiers = b:1", "f:3: verifiers is set twice"),
      (4, "[relay]\nverifiers =", "f:2: verifiers has no value"),
      (5, "verifiers = a:1", "f:1: neither a section nor a key with a value"),
      (6, "[relay]\nverifiers", "f:2: neither a section nor a key with a value"),
      (7, "[relais]", "f:1: unknown section [relais]"),
      (8, "[relay]\nverifiers = a:1\n[relay]", "f:3: a second section [relay]"),
      (9, "[verifier]\nlisten = a:1", "f: [relay] has no verifiers"),
      (
        10, "[relay]\nverifiers = a:1\nnumber = 11",
        "f:3: number is not a whole number from 1 to 10"
      ),
      (11, "[relay]\nverifiers = a", "f:2: verifiers is not HOST:PORT, or has an address twice"),
      (
        12, "[relay]\nverifiers = a:1, a:1",
        "f:2: verifiers is not HOST:PORT, or has an address twice"
      ),
      (13, "[relay]\nverifiers = a:0", "f:2: verifiers is not HOST:PORT, or has an address twice"),
      (
        14, "[relay]\nverifiers = a b:1",
        "f:2: verifiers is not HOST:PORT, or has an address twice"
      ),
    ])
  func invalid(row: Int, text: String, error: String) {
    #expect(Self.error(text) == error, "row \(row)")
  }

  @Test(
    "IP addresses have 4 or 16 bytes",
    arguments: [
      ("127.0.0.1", [127, 0, 0, 1] as [UInt8]?),
      ("::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
      ("localhost", nil),
    ])
  func numericAddresses(text: String, bytes: [UInt8]?) {
    #expect(NumericAddress.bytes(text) == bytes)
  }
}
