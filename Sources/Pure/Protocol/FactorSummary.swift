public import MFAFactors
public import MFAOneTimePassword

/// The data of a factor that its user may see: everything but the secret.
public struct FactorSummary: Equatable, Sendable {
  /// The factor's permanent id.
  public let id: FactorID
  /// The name that the user gave the factor.
  public let displayName: DisplayName
  /// The time of enrolment, in seconds since the epoch.
  public let enrolledAt: Int64
  /// The parameters of its codes.
  public let parameters: TOTPParameters

  /// Creates a summary.
  public init(
    id: FactorID, displayName: DisplayName, enrolledAt: Int64, parameters: TOTPParameters
  ) {
    self.id = id
    self.displayName = displayName
    self.enrolledAt = enrolledAt
    self.parameters = parameters
  }
}
