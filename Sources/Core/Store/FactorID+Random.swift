import MFACrypto
import MFAModel

extension FactorID {
  /// Returns a new identifier: 16 random bytes.
  package static func generate() throws(CryptographyError) -> FactorID {
    guard let id = FactorID(bytes: try randomBytes(count: length)) else {
      throw CryptographyError(operation: .random)
    }
    return id
  }
}
