import MFARealm

/// Where a program answers with its metrics: a port that only this machine reaches, or a socket in the file
/// system.
///
/// MUST 1: an address that other machines may reach is refused. (`MetricsAddressTests.refused`)
package enum MetricsAddress: Equatable, Sendable {
  case loopback(RealmAddress)
  case socket(path: String)

  /// The longest path of a socket in bytes (unix(7)).
  private static var longestPath: Int { 107 }

  /// Parses `127.0.0.1:PORT`, `[::1]:PORT` or `unix:PATH`. Returns nil for any other text.
  package init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst("unix:".count))
      guard path.hasPrefix("/"), path.utf8.count <= Self.longestPath else { return nil }
      self = .socket(path: path)
      return
    }
    guard let address = RealmAddress(text), Self.isLoopback(address.host) else { return nil }
    self = .loopback(address)
  }

  /// Reads the key `metrics` of a section. Returns nil if it is not set.
  package init?(_ configuration: RealmConfiguration) throws(RealmError) {
    guard let text = configuration.text(Self.key) else { return nil }
    guard let address = MetricsAddress(text) else {
      throw configuration.error(
        about: Self.key,
        "\(Self.key) = \(text) is neither an address of this machine alone nor a path",
        hint: "for example: metrics = 127.0.0.1:9464, or metrics = unix:/run/mfa-metrics/relay")
    }
    self = address
  }

  /// The key of a configuration file.
  package static var key: String { "metrics" }

  private static func isLoopback(_ host: String) -> Bool {
    guard let bytes = NumericAddress.bytes(host) else { return false }
    return bytes.count == 4
      ? bytes.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }
}
