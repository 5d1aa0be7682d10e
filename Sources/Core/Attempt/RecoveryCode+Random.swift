import MFACrypto
import MFAModel
import MFABase

extension RecoveryCode {
  /// Returns a new code from 80 random bits.
  package static func random() throws(CryptographyError) -> RecoveryCode {
    let bytes = try SecretBytes.random(count: length)
    guard let code = RecoveryCode(bytes: bytes) else {
      throw CryptographyError(operation: .random)
    }
    return code
  }
}
