public import Factors
public import Secrets

/// What a client has to show so that the helper learns how far a factor's clock is off: two codes
/// that follow each other.
public struct ResyncRequest: ~Copyable, Sendable {
  /// The factor.
  public let factor: FactorID
  /// The first code as it was typed.
  public let first: SecretBytes
  /// The one after it, as it was typed.
  public let second: SecretBytes

  /// Puts a request together.
  public init(factor: FactorID, first: consuming SecretBytes, second: consuming SecretBytes) {
    self.factor = factor
    self.first = first
    self.second = second
  }
}
