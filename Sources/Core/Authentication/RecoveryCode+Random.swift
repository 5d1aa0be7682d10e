public import MFACrypto
public import MFAOneTimePassword
import MFASecrets

extension RecoveryCode {
  /// Returns a new code from 80 random bits.
  public static func random() throws(CryptographyError) -> RecoveryCode {
    let bytes = try SecretBytes.random(count: length)
    guard let code = RecoveryCode(bytes: bytes) else {
      throw CryptographyError(operation: .random)
    }
    return code
  }
}
