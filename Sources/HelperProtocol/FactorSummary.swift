public import Factors
public import OneTimePassword

/// What a person may see of a factor: everything but its secret.
public struct FactorSummary: Equatable, Sendable {
  /// What names it for good.
  public let id: FactorID
  /// What the person calls it.
  public let displayName: DisplayName
  /// When it was enrolled, in seconds since the epoch.
  public let enrolledAt: Int64
  /// How its codes are made.
  public let parameters: TOTPParameters

  /// Puts a summary together.
  public init(
    id: FactorID, displayName: DisplayName, enrolledAt: Int64, parameters: TOTPParameters
  ) {
    self.id = id
    self.displayName = displayName
    self.enrolledAt = enrolledAt
    self.parameters = parameters
  }
}
