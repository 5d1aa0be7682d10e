public import MFAFactors
public import MFASecrets

/// The first of the two codes from which the helper determines how far a factor's clock is off.
public struct ResyncRequest: ~Copyable, Sendable {
  /// The factor.
  public let factor: FactorID
  /// The code as typed.
  public let code: SecretBytes

  /// Creates a request.
  public init(factor: FactorID, code: consuming SecretBytes) {
    self.factor = factor
    self.code = code
  }
}
