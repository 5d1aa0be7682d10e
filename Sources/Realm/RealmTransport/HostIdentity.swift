#if Fleet
import MFARealm
import X509

/// The host that a client certificate is for.
///
/// MUST 1: a name comes only from a certificate that was verified, and only if the certificate has exactly
/// one name. (Tests/Fleet: `two names`)
package struct HostIdentity: Equatable, Sendable {
  /// The name of the host.
  package let name: String
  /// The serial number of the certificate.
  package let serial: [UInt8]

  /// Reads a certificate that was verified. Returns nil if it is not one of a host.
  package init?(_ certificate: Certificate) {
    var names: [String] = []
    do {
      guard let alternatives = try certificate.extensions.subjectAlternativeNames else {
        return nil
      }
      for alternative in alternatives {
        guard case .dnsName(let name) = alternative else { return nil }
        names.append(name)
      }
    } catch {
      return nil
    }
    guard names.count == 1, let name = names.first, Self.isName(name) else { return nil }
    self.name = name
    serial = Array(certificate.serialNumber.bytes)
    guard (1...20).contains(serial.count) else { return nil }
  }

  /// Returns whether a text can be the name of a host.
  package static func isName(_ text: String) -> Bool { RealmHostName.isValid(Array(text.utf8)) }
}
#endif
