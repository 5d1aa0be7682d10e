#if Fleet
import SwiftASN1
import X509

/// Certificates that the other end of a connection presented, its own first.
package struct CertificateChain {
  private let certificates: [Certificate]

  /// What a certificate is used for.
  package enum Purpose {
    /// The certificate of a host.
    case host
    /// The certificate of a verifier that is reached by this address.
    case verifier(FleetAddress)
  }

  /// Takes over certificates that were not verified.
  package init(_ certificates: [Certificate]) { self.certificates = certificates }

  /// Returns the certificate with this fingerprint, or nil.
  package func certificate(with fingerprint: String) throws -> Certificate? {
    try certificates.first { try $0.fingerprint == fingerprint }
  }

  /// Returns whether the first certificate is valid now for the purpose, and one of the authority's.
  package func isValid(for purpose: Purpose, authority: [Certificate]) async -> Bool {
    guard let own = certificates.first, Self.permits(own, purpose) else { return false }
    var verifier = Verifier(rootCertificates: CertificateStore(authority)) {
      RFC5280Policy()
      Self.identity(purpose)
    }
    let others = CertificateStore(certificates.dropFirst())
    switch await verifier.validate(leaf: own, intermediates: others) {
    case .validCertificate: return true
    case .couldNotValidate: return false
    }
  }

  private static func permits(_ certificate: Certificate, _ purpose: Purpose) -> Bool {
    do {
      guard let usage = try certificate.extensions.extendedKeyUsage else { return false }
      switch purpose {
      case .host: return usage.contains(.clientAuth)
      case .verifier: return usage.contains(.serverAuth)
      }
    } catch {
      return false
    }
  }

  @PolicyBuilder
  private static func identity(_ purpose: Purpose) -> some VerifierPolicy {
    switch purpose {
    case .host: AnyHostPolicy()
    case .verifier(let address):
      ServerIdentityPolicy(
        serverHostname: address.isNumeric ? nil : address.host,
        serverIP: address.isNumeric ? address.host : nil)
    }
  }
}

/// The policy for a host, whose name its certificate tells.
private struct AnyHostPolicy: VerifierPolicy {
  var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { [] }

  mutating func chainMeetsPolicyRequirements(
    chain: UnverifiedCertificateChain
  ) -> PolicyEvaluationResult {
    .meetsPolicy
  }
}
#endif
