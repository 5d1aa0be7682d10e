#if Fleet
import FoundationEssentials
import MFARealmTransport
import MFARealm
import Synchronization

/// The hosts that checked this verifier, which the front reports to the decision service.
///
/// MUST 1: a host is reported at most once in an hour, unless its version or its certificate changes, so that
/// the database is not written to at each check. (Tests/Fleet: `seen hosts`)
/// MUST 2: at most `mostReports` are on their way at the same time, so that hosts that connect at the same
/// moment leave the decision service to sign-ins. The others are reported at a later check. (Tests/Fleet:
/// `slow reports`)
/// MUST 3: a check does not wait for a report, because a host whose check takes too long no longer uses this
/// verifier. (Tests/Fleet: `slow reports`)
final class SeenHosts: Sendable {
  /// The name of this verifier.
  private let verifier: String
  private let state = Mutex(State())

  private struct State {
    var reported: [String: Report] = [:]
    /// The number of reports that are on their way.
    var reports = 0
  }

  private typealias Report = (version: String, serial: [UInt8], time: ContinuousClock.Instant)

  /// How long a report stands. The decision service compares again, for all verifiers.
  private static var lifetime: Duration { .seconds(3600) }
  private static var mostReports: Int { 4 }

  init(verifier: String) { self.verifier = verifier }

  /// Reports a host, if that is due, and does not wait for the answer.
  func note(
    _ host: HostIdentity, version: String, certificateEnd: Date, _ decisions: DecisionService
  ) {
    guard version.utf8.count <= SeenHost.longestVersion,
      begin(host, version)
    else { return }
    let seen = SeenHost(
      host: Array(host.name.utf8), serial: host.serial, version: Array(version.utf8),
      certificateEnd: Int64(certificateEnd.timeIntervalSince1970), verifier: Array(verifier.utf8))
    Task { await report(seen, decisions) }
  }

  private func report(_ seen: SeenHost, _ decisions: DecisionService) async {
    defer { state.withLock { $0.reports -= 1 } }
    do {
      if case .alive = try await decisions.reply(to: .seen(seen)) { return }
    } catch {
      // The decision service is older, or does not answer. The next hour's report tries again.
    }
  }

  /// Returns whether a report is due and may be sent now.
  private func begin(_ host: HostIdentity, _ version: String) -> Bool {
    state.withLock { state in
      guard state.reports < Self.mostReports else { return false }
      if let last = state.reported[host.name], last.version == version, last.serial == host.serial,
        last.time + Self.lifetime > .now
      {
        return false
      }
      state.reported[host.name] = (version, host.serial, .now)
      state.reports += 1
      return true
    }
  }
}
#endif
