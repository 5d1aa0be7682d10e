#if Fleet
import FoundationEssentials
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import MFABase
import MFARealm
import MFARealmTransport
import NIOCore
import NIOSSL
import Synchronization
import X509

/// The admission of this host to a realm.
///
/// MUST 1: the ticket is sent only to a verifier of the authority with the given fingerprint. (Tests/Fleet:
/// `join`)
package final class HostAdmission: Sendable {
  private let verifier: RealmAddress
  private let fingerprint: String
  /// The certificate of the authority, after it was presented.
  private let authority = Mutex<Certificate?>(nil)

  /// How long the verifier may take.
  private static var patience: Duration { .seconds(20) }

  /// What a host gets.
  package struct Result: Sendable {
    /// The certificate and the key of the host.
    package let credentials: IssuedCredentials
    /// The certificate of the authority.
    package let authority: Certificate
  }

  /// Creates a value. Throws if the fingerprint is no SHA-256 hash in hexadecimal digits, with or without
  /// colons.
  package init(_ verifier: RealmAddress, fingerprint: String) throws(RealmError) {
    self.verifier = verifier
    let digits = fingerprint.lowercased().filter { $0 != ":" }
    guard digits.utf8.count == 64, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw RealmError(
        "\(fingerprint) is no fingerprint",
        hint: "\"mfa-fleet authority create\" printed the fingerprint, 64 hexadecimal digits")
    }
    self.fingerprint = digits
  }

  /// Sends the ticket and a request for a certificate.
  package func join(ticket: consuming SecretBytes) async throws -> Result {
    let request = try HostCertificateRequest()
    let sent = [ticket.span.copied(), request.request]
    let transport = try RealmClient.Transport(
      target: verifier.target, transportSecurity: .tls(security), config: RealmClient.configuration)
    do {
      let certificates = try await withGRPCClient(transport: transport) { client in
        try await client.call(.join, sent, timeout: Self.patience)
      }
      guard let authority = authority.withLock({ $0 }) else { throw RealmError("") }
      let credentials = try await request.credentials(
        certificates, authority: [authority])
      return Result(credentials: credentials, authority: authority)
    } catch let error as RPCError {
      throw failure(error)
    }
  }

  private func failure(_ error: RPCError) -> RealmError {
    switch error.code {
    case .permissionDenied:
      RealmError(
        "the verifier refused the ticket",
        hint: "a ticket can be used once, and expires: create another one")
    case .unavailable, .deadlineExceeded, .cancelled:
      RealmError(
        "no verifier at \(verifier.text) has an authority with this fingerprint",
        hint: "check the address and the port for joining (join_listen), and the fingerprint")
    default: RealmError("the verifier refused: \(error.message)")
    }
  }

  private var security: RealmClient.Transport.TransportSecurity.TLS {
    .defaults { tls in
      tls.serverCertificateVerification = .fullVerification
      tls.trustRoots = .certificates([])
      tls.customVerificationCallback = { certificates, promise in
        promise.completeWithTask { await self.verify(certificates) }
      }
    }
  }

  private func verify(
    _ certificates: [NIOSSLCertificate]
  ) async -> NIOSSLVerificationResultWithMetadata {
    do {
      let chain = try certificates.map { try Certificate(derEncoded: try $0.toDERBytes()) }
      let presented = CertificateChain(chain)
      guard let root = try presented.certificate(with: fingerprint),
        await presented.isValid(for: .verifier(verifier), authority: [root])
      else { return .failed }
      authority.withLock { $0 = root }
      return .certificateVerified(VerificationMetadata(ValidatedCertificateChain(certificates)))
    } catch {
      return .failed
    }
  }
}
#endif
