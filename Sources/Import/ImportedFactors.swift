/// What one file of google-authenticator holds: one factor and its recovery codes.
public struct ImportedFactors: Sendable {
  /// The factor.
  public let factor: ImportableFactor

  /// The recovery codes that still work.
  public let recoveryCodes: ImportableRecoveryCodes

  /// What somebody should know about both.
  public let warnings: [ImportWarning]
}
