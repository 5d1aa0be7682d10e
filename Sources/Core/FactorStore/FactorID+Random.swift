public import MFACrypto
public import MFAFactors

extension FactorID {
  /// Returns a new identifier: 16 random bytes.
  public static func generate() throws(CryptographyError) -> FactorID {
    guard let id = FactorID(bytes: try randomBytes(count: length)) else {
      throw CryptographyError(operation: .random)
    }
    return id
  }
}
