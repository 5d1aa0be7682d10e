#if Fleet
import Crypto
import FoundationEssentials
import MFARealm
import SwiftASN1
import X509

/// The authority of a realm, which issues the certificates of its verifiers, and those of the issuers with
/// which verifiers issue certificates to hosts.
///
/// MUST 1: an issuer of a verifier can issue no certificate that a relay accepts as one of a verifier.
/// (Tests/Fleet: `issuer of hosts`)
package struct CertificateAuthority {
  /// The certificate.
  package let certificate: Certificate
  private let key: Certificate.PrivateKey

  /// How many days the certificates are valid.
  private enum Days {
    static let authority = 3653
    static let issuer = 1826
    static let verifier = 397
  }

  /// Creates a new authority.
  package static func make(realm: String) throws -> IssuedCredentials {
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let name = try DistinguishedName {
      OrganizationName(realm)
      CommonName("mfa authority")
    }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: Validity.begin, notValidAfter: Validity.end(days: Days.authority),
      issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 1))
        Critical(KeyUsage(keyCertSign: true))
        SubjectKeyIdentifier(hash: key.publicKey)
      }, issuerPrivateKey: key)
    return IssuedCredentials(chain: [certificate], key: key)
  }

  /// Takes over a certificate and a key in PEM format.
  package init(certificate: [UInt8], key: [UInt8]) throws(RealmError) {
    do {
      self.certificate = try Certificate(pemEncoded: String(decoding: certificate, as: UTF8.self))
      self.key = try Certificate.PrivateKey(pemEncoded: String(decoding: key, as: UTF8.self))
    } catch {
      throw RealmError("the authority's certificate or key is not in PEM format")
    }
    guard self.key.publicKey == self.certificate.publicKey else {
      throw RealmError("the authority's key does not belong to its certificate")
    }
  }

  /// Issues the certificate of a verifier that is reached by these host names and IP addresses.
  package func issueVerifier(names: [String]) throws -> IssuedCredentials {
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: Validity.begin, notValidAfter: Validity.end(days: Days.verifier),
      issuer: certificate.subject,
      subject: try DistinguishedName { CommonName("mfa verifier") },
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames(try names.map { try Self.name($0) })
        SubjectKeyIdentifier(hash: key.publicKey)
      }, issuerPrivateKey: self.key)
    return IssuedCredentials(chain: [certificate, self.certificate], key: key)
  }

  /// Issues the certificate of an issuer of hosts.
  package func issueHostIssuer() throws -> IssuedCredentials {
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: Validity.begin, notValidAfter: Validity.end(days: Days.issuer),
      issuer: certificate.subject,
      subject: try DistinguishedName { CommonName("mfa issuer of hosts") },
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true))
        try ExtendedKeyUsage([.clientAuth])
        SubjectKeyIdentifier(hash: key.publicKey)
      }, issuerPrivateKey: self.key)
    return IssuedCredentials(chain: [certificate, self.certificate], key: key)
  }

  private static func name(_ text: String) throws(RealmError) -> GeneralName {
    if let bytes = NumericAddress.bytes(text) {
      return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }
    guard HostIdentity.isName(text) else {
      throw RealmError(
        "\(text) is neither a host name nor an IP address",
        hint: "write the name in lower case, as the relays will use it")
    }
    return .dnsName(text)
  }
}
#endif
