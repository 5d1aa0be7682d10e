#if Fleet
import Crypto
import SwiftASN1
import X509

extension Certificate {
  /// The SHA-256 hash of the certificate, in hexadecimal digits.
  package var fingerprint: String {
    get throws {
      SHA256.hash(data: try der).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
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
#endif
