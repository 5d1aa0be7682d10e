import MFABase
import MFACrypto
import MFAModel

extension LocalFactorStore {
  /// Seals a continuation under the key in /etc/mfa.
  package func seal(
    continuation: Span<UInt8>, binding: [UInt8]
  ) throws(FactorStoreError) -> [UInt8] {
    var key = try key()
    return try cryptographic { () throws(CryptographyError) in
      try key.seal(continuation: continuation, binding: binding)
    }
  }

  /// Opens a continuation.
  package func open(
    continuation: [UInt8], binding: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes? {
    var key = try key()
    return try cryptographic { () throws(CryptographyError) in
      try key.open(continuation: continuation, binding: binding)
    }
  }
}
