#if Fleet
import SwiftASN1
import X509

/// A certificate with the key that belongs to it.
package struct IssuedCredentials: Sendable {
  /// The certificate, followed by the certificates of its issuers up to the authority's.
  package let chain: [Certificate]
  /// The key.
  let key: Certificate.PrivateKey

  init(chain: [Certificate], key: Certificate.PrivateKey) {
    self.chain = chain
    self.key = key
  }

  /// Takes over a file with certificates and a key.
  package init(pem: [UInt8], path: String) throws(FleetError) {
    do {
      let documents = try PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self))
      let isCertificate = { (document: PEMDocument) in
        document.discriminator == Certificate.defaultPEMDiscriminator
      }
      chain = try documents.filter(isCertificate).map { try Certificate(pemDocument: $0) }
      let keys = documents.filter { !isCertificate($0) }
      guard let own = chain.first, let document = keys.first, keys.count == 1 else {
        throw FleetError("")
      }
      key = try Certificate.PrivateKey(pemDocument: document)
      guard key.publicKey == own.publicKey else { throw FleetError("") }
    } catch {
      throw FleetError(
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
}
#endif
