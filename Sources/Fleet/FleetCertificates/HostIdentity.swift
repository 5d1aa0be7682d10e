#if Fleet
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

  /// The longest name in bytes.
  package static let longestName = 253

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

  /// Returns whether a text can be the name of a host: labels of lower-case letters, digits and hyphens,
  /// separated by dots.
  package static func isName(_ text: String) -> Bool {
    guard (1...longestName).contains(text.utf8.count) else { return false }
    return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
    }
  }
}
#endif
