public import Factors
public import Secrets

/// A code, and the factor that it is said to come from.
public struct CodeRequest: ~Copyable, Sendable {
  /// The one factor whose codes count, or nil when those of all do.
  public let factor: FactorID?
  /// The code as it was typed.
  public let code: SecretBytes

  /// Puts a request together.
  public init(factor: FactorID?, code: consuming SecretBytes) {
    self.factor = factor
    self.code = code
  }
}
