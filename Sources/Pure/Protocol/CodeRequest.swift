public import MFAFactors
public import MFASecrets

/// A code and, optionally, the factor that it belongs to.
public struct CodeRequest: ~Copyable, Sendable {
  /// The only factor whose codes are accepted, or nil to accept the codes of every factor.
  public let factor: FactorID?
  /// The code as typed.
  public let code: SecretBytes

  /// Creates a request.
  public init(factor: FactorID?, code: consuming SecretBytes) {
    self.factor = factor
    self.code = code
  }
}
