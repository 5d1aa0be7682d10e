#if Fleet
import Crypto
import FoundationEssentials
import MFARealm
import SwiftASN1
import X509

/// A certificate with the key that belongs to it.
package struct IssuedCredentials: Sendable {
  /// The certificate, followed by the certificates of its issuers up to the authority's.
  package let chain: [Certificate]
  /// The key.
  let key: Certificate.PrivateKey
}

extension IssuedCredentials {
  /// Takes over a file with certificates and a key.
  package init(pem: [UInt8], path: String) throws(RealmError) {
    do {
      let documents = try PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self))
      let isCertificate = { (document: PEMDocument) in
        document.discriminator == Certificate.defaultPEMDiscriminator
      }
      chain = try documents.filter(isCertificate).map { try Certificate(pemDocument: $0) }
      let keys = documents.filter { !isCertificate($0) }
      guard let own = chain.first, let document = keys.first, keys.count == 1 else {
        throw RealmError("")
      }
      key = try Certificate.PrivateKey(pemDocument: document)
      guard key.publicKey == own.publicKey else { throw RealmError("") }
    } catch {
      throw RealmError(
        "\(path) does not have a certificate and the key that belongs to it",
        hint: "both are required in PEM format")
    }
  }

  /// The certificates and the key in PEM format.
  package func pem() throws -> [UInt8] {
    try Self.pem(chain) + Array((try key.serializeAsPEM().pemString + "\n").utf8)
  }

  /// Returns certificates in PEM format.
  package static func pem(_ chain: [Certificate]) throws -> [UInt8] {
    var text = ""
    for certificate in chain { text += try certificate.serializeAsPEM().pemString + "\n" }
    return Array(text.utf8)
  }

  /// The key in PEM format.
  package func keyPEM() throws -> [UInt8] {
    Array((try key.serializeAsPEM().pemString + "\n").utf8)
  }

  /// Reads a file with certificates and a key.
  package init(file path: String) throws(RealmError) {
    try self.init(pem: try RealmFile(path).read(isSecret: true), path: path)
  }

  /// Returns when the certificate in a file ends, in seconds since the epoch, or 0 if the file cannot be read.
  package static func end(ofFile path: String) -> Double {
    do throws(RealmError) {
      return try IssuedCredentials(file: path).chain.first?.notValidAfter.timeIntervalSince1970 ?? 0
    } catch {
      return 0
    }
  }
}

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
      throw RealmError(
        "the verifier sent a certificate that is not for this host",
        hint: "use another verifier, and report this")
    }
    return IssuedCredentials(chain: chain, key: key)
  }
}
#endif
