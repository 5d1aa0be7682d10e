#if Fleet
import MFAFleetMetrics
import MFAFleetTransport

/// The configuration of the relay of a host.
package struct RelayConfiguration: Sendable {
  let verifiers: [FleetAddress]
  let credentials: FleetCredentials.Files
  let metrics: MetricsAddress?

  /// The section of the configuration file.
  package static var section: FleetConfiguration.Section {
    FleetConfiguration.Section(
      "relay", required: FleetCredentials.Files.keys.union(["verifiers"]),
      optional: [MetricsAddress.key])
  }

  /// Reads the section.
  package init(_ configuration: FleetConfiguration) throws(FleetError) {
    verifiers = try configuration.addresses("verifiers")
    credentials = try FleetCredentials.Files(configuration)
    metrics = try MetricsAddress(configuration)
  }
}
#endif
