#if Fleet
import FoundationEssentials
import GRPCCore
import MFARealmTransport
import MFABase
import X509

/// Renews the certificate of this host when a third of its time is left.
///
/// MUST 1: the certificate in the file always has its key: both are replaced by one rename. (Tests/Fleet:
/// `renewal`)
struct CertificateRenewal: Sendable {
  let verifiers: VerifierPool
  let credentials: RealmCredentials
  let metrics: RelayMetrics

  /// The part of the time that is left when the certificate is renewed.
  private static var part: Double { 1.0 / 3 }
  /// How often the time is compared, in seconds. The clock of the machine may be set.
  private static var interval: Double { 3600 }
  /// How long to wait after a failure, in seconds.
  private static var retry: Double { 60 }

  /// Renews the certificate whenever it is time, until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      var wait = Self.interval
      do {
        let left = try secondsLeft()
        if left <= 0 {
          try await renew()
          metrics.renewals.add(for: "renewed")
        } else {
          wait = min(wait, left)
        }
      } catch {
        metrics.renewals.add(for: "failed")
        Log.writeError(in: "relay", reason: "certificate-not-renewed")
        wait = Self.retry
      }
      do {
        try await Task.sleep(for: .seconds(wait * Double.random(in: 0.9...1.1)))
      } catch {
        return
      }
    }
  }

  /// Returns the seconds until the certificate is to be renewed.
  private func secondsLeft() throws -> Double {
    guard let own = try IssuedCredentials(file: credentials.files.own).chain.first else { return 0 }
    let time = own.notValidAfter.timeIntervalSince(own.notValidBefore)
    return own.notValidAfter.timeIntervalSinceNow - time * Self.part
  }

  private func renew() async throws {
    let request = try HostCertificateRequest()
    let certificates = try await verifiers.call(.renew, [request.request])
    let authority = try CertificateFile.certificates(at: credentials.files.authority)
    let renewed = try await request.credentials(certificates, authority: authority)
    try RealmFile(credentials.files.own).write(try renewed.pem())
    try credentials.reload()
    try verifiers.reconnect()
  }
}
#endif
