import MFAModel
import MFABase

/// A code and, optionally, the factor that it belongs to.
package struct CodeRequest: ~Copyable, Sendable {
  /// The only factor whose codes are accepted, or nil to accept the codes of every factor.
  package let factor: FactorID?
  /// The code as typed.
  package let code: SecretBytes

  /// Creates a request.
  package init(factor: FactorID?, code: consuming SecretBytes) {
    self.factor = factor
    self.code = code
  }
}
