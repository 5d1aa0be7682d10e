#if Fleet
import Crypto
import FoundationEssentials
import MFARealm
import SwiftASN1
import X509

/// The issuer with which a verifier issues certificates to hosts that the decision service has admitted.
///
/// MUST 1: a certificate is issued only for a key that the host proved to have. (Tests/Fleet: `join`)
/// MUST 2: name, serial number and days are never those of the request.
package struct HostIssuer: Sendable {
  /// The certificate of the issuer, followed by that of the authority.
  private let chain: [Certificate]
  private let key: Certificate.PrivateKey

  /// The longest signing request in bytes.
  private static var longestRequest: Int { 4096 }

  /// The days for which a certificate may be valid.
  private static var days: ClosedRange<UInt16> { 1...90 }

  /// A certificate that waits for the decision service.
  package struct Draft: Sendable {
    fileprivate let publicKey: Certificate.PublicKey
    fileprivate let number: Certificate.SerialNumber

    /// The serial number that the certificate will have.
    package var serial: [UInt8] { Array(number.bytes) }
  }

  /// Takes over a file with the chain and the key.
  package init(pem: [UInt8], path: String) throws(RealmError) {
    let credentials = try IssuedCredentials(pem: pem, path: path)
    chain = credentials.chain
    key = credentials.key
  }

  /// Checks a signing request (PKCS #10, DER), and chooses a serial number.
  package func draft(der request: [UInt8]) throws(RealmError) -> Draft {
    do {
      guard request.count <= Self.longestRequest else { throw RealmError("") }
      let parsed = try CertificateSigningRequest(derEncoded: request)
      guard P256.Signing.PublicKey(parsed.publicKey) != nil,
        parsed.publicKey.isValidSignature(parsed.signature, for: parsed)
      else { throw RealmError("") }
      return Draft(publicKey: parsed.publicKey, number: Certificate.SerialNumber())
    } catch {
      throw RealmError("the signing request is not valid")
    }
  }

  /// Issues the certificate. Returns the certificate, followed by the certificates of its issuers (DER).
  package func certificates(
    for draft: Draft, host: String, days: UInt16
  ) throws -> [[UInt8]] {
    guard HostIdentity.isName(host), Self.days.contains(days), let issuer = chain.first else {
      throw RealmError("the decision service returned an invalid name or time")
    }
    let certificate = try Certificate(
      version: .v3, serialNumber: draft.number, publicKey: draft.publicKey,
      notValidBefore: Validity.begin, notValidAfter: Validity.end(days: Int(days)),
      issuer: issuer.subject, subject: try DistinguishedName { CommonName("mfa host") },
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.clientAuth])
        SubjectAlternativeNames([.dnsName(host)])
      }, issuerPrivateKey: key)
    return try ([certificate] + chain).map { Array(try $0.der) }
  }
}
#endif
