#if Fleet
import X509

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
#endif
