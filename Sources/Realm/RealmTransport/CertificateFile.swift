#if Fleet
import SwiftASN1
import X509

/// Files with certificates in PEM format.
package enum CertificateFile {
  /// Reads all certificates of a file.
  package static func certificates(at path: String) throws -> [Certificate] {
    let text = String(decoding: try FleetFile(path).read(), as: UTF8.self)
    return try PEMDocument.parseMultiple(pemString: text).map { try Certificate(pemDocument: $0) }
  }
}
#endif
