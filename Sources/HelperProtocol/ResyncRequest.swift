public import Factors
public import Secrets

/// The first of the two codes from which the helper learns how far a factor's clock is off.
public struct ResyncRequest: ~Copyable, Sendable {
  /// The factor.
  public let factor: FactorID
  /// The code as it was typed.
  public let code: SecretBytes

  /// Puts a request together.
  public init(factor: FactorID, code: consuming SecretBytes) {
    self.factor = factor
    self.code = code
  }
}
