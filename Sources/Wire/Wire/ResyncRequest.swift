import MFAModel
import MFABase

/// The first of the two codes from which the helper determines how far a factor's clock is off.
package struct ResyncRequest: ~Copyable, Sendable {
  /// The factor.
  package let factor: FactorID
  /// The code as typed.
  package let code: SecretBytes

  /// Creates a request.
  package init(factor: FactorID, code: consuming SecretBytes) {
    self.factor = factor
    self.code = code
  }
}
