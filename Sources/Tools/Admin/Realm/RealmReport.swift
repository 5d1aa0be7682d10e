import MFARealm

/// The hosts, the verifiers and the database of a realm, as text and as JSON.
package struct RealmReport {
  private let hosts: [AdministeredHost]
  private let realm: AdministeredRealm

  /// Creates a report.
  package init(_ hosts: [AdministeredHost], _ realm: AdministeredRealm) {
    self.hosts = hosts
    self.realm = realm
  }

  // MARK: Text

  /// Returns the table of hosts, whose lines each end with a line feed.
  package static func table(of hosts: [AdministeredHost]) -> String {
    TextTable(
      [["HOST", "GROUPS", "STATE", "VERSION", "SEEN (UTC)", "CERTIFICATE UNTIL", "FAILURES"]]
        + hosts.map { host in
          [
            VisibleText.escaping(host.name), groups(host).joined(separator: ","), state(host),
            text(host.version), time(host.seenAt), time(host.certificateEnd),
            "\(host.failures) of \(host.mostFailures)",
          ]
        }
    ).text()
  }

  /// The whole report.
  package var text: String {
    Self.table(of: hosts) + "\n" + Self.verifiers(of: realm) + "\n" + database
      + "epoch     \(realm.epoch), since \(Timestamp(realm.fence)?.full ?? "an unknown time")\n"
  }

  /// Returns the table of verifiers, whose lines each end with a line feed.
  package static func verifiers(of realm: AdministeredRealm) -> String {
    TextTable(
      [["VERIFIER", "VERSION", "SEEN (UTC)"]]
        + realm.verifiers.map {
          [VisibleText.escaping($0.name), text($0.version), time($0.seenAt)]
        }
    ).text()
  }

  private var database: String {
    guard !realm.primary.isEmpty else { return "database  its engine does not tell its servers\n" }
    var text = "database  primary \(VisibleText.escaping(realm.primary))"
    for member in realm.members { text += "; \(VisibleText.escaping(member))" }
    if let lag = realm.lag { text += "; lag \(lag) bytes" }
    return text + "\n"
  }

  private static func groups(_ host: AdministeredHost) -> [String] {
    host.groups.map { VisibleText.escaping($0) }
  }

  private static func state(_ host: AdministeredHost) -> String {
    host.revokedAt == 0 ? "joined" : "revoked"
  }

  private static func text(_ version: [UInt8]) -> String {
    version.isEmpty ? "-" : VisibleText.escaping(version)
  }

  private static func time(_ seconds: Int64) -> String {
    seconds == 0 ? "-" : Timestamp(seconds)?.short ?? "-"
  }

  // MARK: JSON

  /// Returns a host as JSON. Member names are stable across versions.
  package static func json(_ host: AdministeredHost) -> JSON {
    .object([
      ("host", .string(String(decoding: host.name, as: UTF8.self))),
      ("groups", .array(host.groups.map { .string(String(decoding: $0, as: UTF8.self)) })),
      ("state", .string(state(host))),
      ("joined", timeJSON(host.joinedAt)),
      ("version", host.version.isEmpty ? .null : .string(text(host.version))),
      ("seen", timeJSON(host.seenAt)),
      ("certificateEnd", timeJSON(host.certificateEnd)),
      ("failures", .number(Int64(host.failures))),
      ("failuresHourly", .number(Int64(host.mostFailures))),
    ])
  }

  private static func timeJSON(_ seconds: Int64) -> JSON {
    seconds == 0 ? .null : JSON(Timestamp(seconds)?.iso8601)
  }

  /// The whole report as JSON. Member names are stable across versions.
  package var json: JSON {
    .object([
      ("hosts", .array(hosts.map { Self.json($0) })),
      (
        "verifiers",
        .array(
          realm.verifiers.map { verifier in
            .object([
              ("verifier", .string(String(decoding: verifier.name, as: UTF8.self))),
              ("version", .string(Self.text(verifier.version))),
              ("seen", Self.timeJSON(verifier.seenAt)),
            ])
          })
      ),
      (
        "database",
        .object([
          (
            "primary",
            realm.primary.isEmpty
              ? .null : .string(String(decoding: realm.primary, as: UTF8.self))
          ),
          (
            "others",
            .array(realm.members.map { .string(String(decoding: $0, as: UTF8.self)) })
          ),
          ("lagBytes", realm.lag.map { .number(Int64(clamping: $0)) } ?? .null),
        ])
      ),
      ("epoch", .number(Int64(clamping: realm.epoch))),
      ("epochBegan", Self.timeJSON(realm.fence)),
    ])
  }
}
