#if Fleet
import MFARealmTransport

/// The configuration of the relay of a host.
package struct RelayConfiguration: Sendable {
  let verifiers: [FleetAddress]
  let credentials: FleetCredentials.Files
  let metrics: MetricsAddress?
  /// The folder with what the host keeps for the time in which no verifier answers, or nil to keep nothing.
  let offlineFolder: String?
  /// The directory service that tells to which entry an account belongs, or nil if this host asks none.
  let directory: DirectoryService?

  /// The section of the configuration file.
  package static var section: FleetConfiguration.Section {
    FleetConfiguration.Section(
      "relay", required: FleetCredentials.Files.keys.union(["verifiers"]),
      optional: [MetricsAddress.key, "offline_folder", "directory", "directory_attribute"])
  }

  /// The file in which the relay says which state it is in: beside the certificate.
  package var stateFile: String {
    let folder = credentials.own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return folder.joined(separator: "/") + "/relay-state"
  }

  /// Reads the section.
  package init(_ configuration: FleetConfiguration) throws(FleetError) {
    verifiers = try configuration.addresses("verifiers")
    credentials = try FleetCredentials.Files(configuration)
    metrics = try MetricsAddress(configuration)
    offlineFolder = configuration.text("offline_folder")
    let attribute = configuration.text("directory_attribute")
    switch configuration.text("directory") {
    case "sssd": directory = DirectoryService(attribute: attribute ?? "entryUUID")
    case nil where attribute == nil: directory = nil
    case nil:
      throw configuration.error(
        about: "directory_attribute", "directory_attribute is set without directory",
        hint: "add: directory = sssd")
    case let other?:
      throw configuration.error(
        about: "directory", "directory = \(other) is not known",
        hint: "write directory = sssd, or remove the line")
    }
  }
}
#endif
