#if Fleet
import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// A new key of a host, and the request for its certificate.
package struct HostCertificateRequest: Sendable {
  private let key: Certificate.PrivateKey
  /// The request (PKCS #10, DER).
  package let request: [UInt8]

  /// Creates a key and a request.
  package init() throws {
    key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let request = try CertificateSigningRequest(
      version: .v1, subject: try DistinguishedName { CommonName("mfa host") }, privateKey: key,
      attributes: CertificateSigningRequest.Attributes(), signatureAlgorithm: .ecdsaWithSHA256)
    var serializer = DER.Serializer()
    try serializer.serialize(request)
    self.request = serializer.serializedBytes
  }

  /// Checks the certificates that answer the request (DER). Throws if the first one is not for this key
  /// and for one host, or if it is not one of the authority's.
  package func credentials(
    _ certificates: [[UInt8]], authority: [Certificate]
  ) async throws -> IssuedCredentials {
    let chain = try certificates.map { try Certificate(derEncoded: $0) }
    guard let own = chain.first, own.publicKey == key.publicKey, HostIdentity(own) != nil,
      await CertificateChain(chain).isValid(for: .host, authority: authority)
    else {
      throw FleetError(
        "the verifier sent a certificate that is not for this host",
        hint: "use another verifier, and report this")
    }
    return IssuedCredentials(chain: chain, key: key)
  }
}
#endif
