#if Fleet
import FoundationEssentials
import MFAFleetCertificates
import MFAFleetProtocol
import Synchronization

/// The hosts that checked this verifier, which the front reports to the decision service.
///
/// MUST 1: a host is reported at most once in an hour, unless its version or its certificate changes, so that
/// the database is not written to at each check. (Tests/Fleet: `seen hosts`)
final class SeenHosts: Sendable {
  /// The name of this verifier.
  private let verifier: String
  private let reported = Mutex<[String: Report]>([:])

  private struct Report {
    let version: String
    let serial: [UInt8]
    let time: ContinuousClock.Instant
  }

  /// How long a report stands. The decision service compares again, for all verifiers.
  private static var lifetime: Duration { .seconds(3600) }

  init(verifier: String) { self.verifier = verifier }

  /// Reports a host, if that is due.
  func note(
    _ host: HostIdentity, version: String, certificateEnd: Date, _ decisions: DecisionService
  ) async {
    guard version.utf8.count <= SeenHost.longestVersion,
      isDue(host, version)
    else { return }
    let seen = SeenHost(
      host: Array(host.name.utf8), serial: host.serial, version: Array(version.utf8),
      certificateEnd: Int64(certificateEnd.timeIntervalSince1970), verifier: Array(verifier.utf8))
    do {
      if case .alive = try await decisions.reply(to: .seen(seen)) { return }
    } catch {
      // The decision service is older, or does not answer. The next hour's report tries again.
    }
  }

  private func isDue(_ host: HostIdentity, _ version: String) -> Bool {
    reported.withLock { reported in
      if let last = reported[host.name], last.version == version, last.serial == host.serial,
        last.time + Self.lifetime > .now
      {
        return false
      }
      reported[host.name] = Report(version: version, serial: host.serial, time: .now)
      return true
    }
  }
}
#endif
