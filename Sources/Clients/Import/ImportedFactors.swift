/// The contents of one google-authenticator file: one factor and its recovery codes.
public struct ImportedFactors: Sendable {
  /// The factor.
  public let factor: ImportableFactor

  /// The recovery codes that still work.
  public let recoveryCodes: ImportableRecoveryCodes

  /// The warnings about both.
  public let warnings: [ImportWarning]
}
