#if Fleet
import Crypto
import FoundationEssentials
import MFABase
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
    case verifier(RealmAddress)
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

extension Certificate {
  /// The SHA-256 hash of the certificate, in hexadecimal digits.
  package var fingerprint: String {
    get throws {
      String(decoding: Hexadecimal.text(of: Array(SHA256.hash(data: try der))), as: UTF8.self)
    }
  }

  /// The certificate in DER format.
  package var der: [UInt8] {
    get throws {
      var serializer = DER.Serializer()
      try serializer.serialize(self)
      return serializer.serializedBytes
    }
  }
}

extension Certificate {
  /// The first name or address for which the certificate is issued; nil if it has none.
  package var firstName: String? {
    do {
      for alternative in try extensions.subjectAlternativeNames ?? SubjectAlternativeNames([]) {
        switch alternative {
        case .dnsName(let name): return name
        case .ipAddress(let address):
          let bytes = Array(address.bytes)
          guard bytes.count == 4 else { continue }
          return bytes.map { "\($0)" }.joined(separator: ".")
        default: continue
        }
      }
      return nil
    } catch {
      return nil
    }
  }
}

/// Files with certificates in PEM format.
package enum CertificateFile {
  /// Reads all certificates of a file.
  package static func certificates(at path: String) throws -> [Certificate] {
    let text = String(decoding: try RealmFile(path).read(), as: UTF8.self)
    return try PEMDocument.parseMultiple(pemString: text).map { try Certificate(pemDocument: $0) }
  }
}

/// The times of certificates.
enum Validity {
  /// How far the clocks of two machines may differ, in seconds.
  private static var tolerance: Double { 300 }
  private static var day: Double { 86_400 }

  /// The beginning of a certificate that is issued now.
  static var begin: Date { Date.now.addingTimeInterval(-tolerance) }

  /// Returns the end of a certificate that is issued now.
  static func end(days: Int) -> Date { Date.now.addingTimeInterval(Double(days) * day) }
}
#endif
