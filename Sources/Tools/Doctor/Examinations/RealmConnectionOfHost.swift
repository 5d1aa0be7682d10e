import MFAAdmin
import MFABase
import MFARealm

/// Checks that a host of a realm reaches a verifier, how long its certificate is valid, what the verifier says about
/// the database, and whether the host can decide during an outage.
enum RealmConnectionOfHost: Examination {
  /// How long before its end a certificate is reported, in seconds. The relay renews it ten days before its end.
  private static let shortTime: Int64 = 5 * 86_400

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    switch snapshot.host.realmStatus() {
    case .none: return []
    case .fails(let problem):
      let relay = RelayReport.read(on: snapshot.host)
      return [failure(problem, relay)] + outage(relay)
    case .answers(let inspection, let time):
      return certificate(inspection.certificateEnd, time) + database(inspection.findings)
        + outage(RelayReport.read(on: snapshot.host))
    }
  }

  private static func failure(_ problem: RealmProblem, _ relay: RelayReport?) -> Finding {
    let code =
      switch problem {
      case .noRelay, .silentRelay, .untrustedRelay: "relay-stopped"
      case .refused(.hostRefused, _): "host-refused"
      default: "no-verifier"
      }
    return Finding(
      severity: .error, code: code, place: "\(InstalledPath.residentRootSocket)",
      message: "\(consequence(relay)): \(problem.message)",
      hint: hint(problem))
  }

  /// What a problem means for users.
  private static func consequence(_ relay: RelayReport?) -> String {
    guard let relay, relay.isOffline, relay.isQueueSound, relay.permits > 0 else {
      return "every sign-in that needs a code is denied"
    }
    let users = relay.permits == 1 ? "1 user" : "\(relay.permits) users"
    return "sign-ins that need a code are denied, except what the realm permits \(users) during "
      + "an outage"
  }

  /// Whether the files for an outage can be used. The relay replaces them when a verifier answers.
  private static func outage(_ relay: RelayReport?) -> [Finding] {
    guard let relay else { return [] }
    var damage: [(code: String, message: String)] = []
    if !relay.isQueueSound {
      damage.append(
        (
          "offline-queue-damaged",
          "the record of sign-ins during an outage was changed: all of them are denied"
        ))
    }
    if !relay.arePermitsSound {
      damage.append(
        (
          "offline-permits-damaged",
          "the permits for an outage cannot be read: all sign-ins are denied then"
        ))
    }
    return damage.map { code, message in
      Finding(
        severity: .error, code: code, place: place, message: message,
        hint:
          "the relay begins anew when a verifier answers; see who changed the file: mfa-fleet(8), OUTAGES"
      )
    }
  }

  /// The file that names the folder with what the host keeps for an outage.
  private static let place = "/etc/mfa/fleet.conf"

  private static func hint(_ problem: RealmProblem) -> String {
    // The hint of this problem names mfa-admin doctor.
    guard case .refused(.noVerifier, _) = problem else { return problem.hint }
    return "see which verifier fails and why: journalctl -t mfa-fleet; check that the verifiers run"
  }

  private static func certificate(_ end: Int64, _ time: Int64) -> [Finding] {
    guard end > 0 else { return [] }
    let (left, overflow) = end.subtractingReportingOverflow(time)
    guard !overflow, left < shortTime else { return [] }
    return [
      Finding(
        severity: .warning, code: "certificate-ends", place: place,
        message:
          "the certificate of this host ends \(Timestamp(end)?.full ?? "soon"), and was not renewed",
        hint: "see why: journalctl -t mfa-fleet; or join again with a new ticket: mfa-fleet(8)")
    ]
  }

  private static func database(_ sentences: [[UInt8]]) -> [Finding] {
    sentences.map { sentence in
      Finding(
        severity: .warning, code: "realm-database", place: "the database of the realm",
        message: VisibleText.escaping(sentence),
        hint:
          "mfa-verifier(8), SETTING UP POSTGRESQL; on a verifier: runuser -u mfa -- mfa-verifier check"
      )
    }
  }
}
