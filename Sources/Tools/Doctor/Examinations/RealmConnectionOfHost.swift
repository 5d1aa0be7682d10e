import MFAAdminCore
import MFAAdminOutput
import MFABytes
import MFAFleetProtocol

/// Checks that a host of a realm reaches a verifier, how long its certificate is valid, and what the verifier
/// says about the database.
enum RealmConnectionOfHost: Examination {
  /// How long before its end a certificate is reported, in seconds. The relay renews it ten days before its end.
  private static let shortTime: Int64 = 5 * 86_400

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    switch snapshot.host.realmStatus() {
    case .none: return []
    case .fails(let problem): return [failure(problem)]
    case .answers(let inspection, let time):
      return certificate(inspection.certificateEnd, time) + database(inspection.findings)
    }
  }

  private static func failure(_ problem: RealmProblem) -> Finding {
    let code =
      switch problem {
      case .noRelay, .silentRelay, .untrustedRelay: "relay-stopped"
      case .refused(.hostRefused, _): "host-refused"
      default: "no-verifier"
      }
    return Finding(
      severity: .error, code: code, place: "\(InstalledPath.residentRootSocket)",
      message: "every sign-in that needs a code is denied: \(problem.message)",
      hint: hint(problem))
  }

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
        severity: .warning, code: "certificate-ends", place: "/etc/mfa/fleet.conf",
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
