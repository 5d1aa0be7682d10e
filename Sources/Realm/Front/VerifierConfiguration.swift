#if Fleet
import MFARealm
import MFARealmTransport

/// The configuration of the network front of a verifier.
package struct VerifierConfiguration: Sendable {
  let listen: RealmAddress
  let joinListen: RealmAddress?
  let service: String
  let credentials: RealmCredentials.Files
  let issuer: String?
  let limits: FrontLimits
  let metrics: MetricsAddress?

  /// The section of the configuration file.
  package static var section: RealmConfiguration.Section {
    RealmConfiguration.Section(
      "verifier", required: RealmCredentials.Files.keys.union(["listen", "service"]),
      optional: ["join_listen", "issuer", "conversations", "connections", MetricsAddress.key])
  }

  /// Reads the section.
  package init(_ configuration: RealmConfiguration) throws(RealmError) {
    guard let listen = try configuration.address("listen") else {
      throw RealmError("[verifier] has no listen")
    }
    self.listen = listen
    joinListen = try configuration.address("join_listen")
    service = try configuration.required("service")
    credentials = try RealmCredentials.Files(configuration)
    issuer = configuration.text("issuer")
    guard joinListen == nil || issuer != nil else {
      throw configuration.error(
        about: "join_listen", "[verifier] has join_listen and no issuer",
        hint: "mfa-fleet authority issue-verifier --hosts; see mfa-fleet.conf(5)")
    }
    var limits = FrontLimits()
    if let number = try configuration.number("conversations", in: 2...4096) {
      limits.conversations = number
    }
    if let number = try configuration.number("connections", in: 2...100_000) {
      limits.hosts.most = number
    }
    self.limits = limits
    metrics = try MetricsAddress(configuration)
  }

  /// Reads the issuer of hosts. Returns nil if this verifier issues no certificates.
  func readIssuer() throws(RealmError) -> HostIssuer? {
    guard let issuer else { return nil }
    return try HostIssuer(pem: try RealmFile(issuer).read(isSecret: true), path: issuer)
  }
}
#endif
