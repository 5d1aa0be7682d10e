/// The contents of one google-authenticator file: one factor and its recovery codes.
package struct ImportedFactors: Sendable {
  /// The factor.
  package let factor: ImportableFactor

  /// The recovery codes that still work.
  package let recoveryCodes: ImportableRecoveryCodes

  /// The warnings about both.
  package let warnings: [ImportWarning]
}
