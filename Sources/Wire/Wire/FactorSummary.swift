import MFAModel

/// The data of a factor that its user may see: everything but the secret.
package struct FactorSummary: Equatable, Sendable {
  /// The factor's permanent id.
  package let id: FactorID
  /// The name that the user gave the factor.
  package let displayName: DisplayName
  /// The time of enrolment, in seconds since the epoch.
  package let enrolledAt: Int64
  /// The type of factor.
  package let kind: Kind

  /// The type of factor, with what its user may see.
  package enum Kind: Equatable, Sendable {
    /// An authenticator app, with the parameters of its codes.
    case totp(TOTPParameters)
    /// A phone, with its masked number and the time from which codes can be sent to it, in seconds
    /// since the epoch.
    case phone(MaskedPhoneNumber, usableFrom: Int64)
  }

  /// Creates a summary.
  package init(id: FactorID, displayName: DisplayName, enrolledAt: Int64, kind: Kind) {
    self.id = id
    self.displayName = displayName
    self.enrolledAt = enrolledAt
    self.kind = kind
  }

  /// Creates a summary of a stored factor.
  package init(_ factor: Factor) {
    let kind: Kind =
      switch factor.kind {
      case .totp(let parameters, _): .totp(parameters)
      case .phone(let number, let time, _): .phone(number, usableFrom: time)
      }
    self.init(
      id: factor.id, displayName: factor.displayName, enrolledAt: factor.enrolledAt, kind: kind)
  }

  /// The number of digits of the factor's codes.
  package var codeLength: CodeLength {
    switch kind {
    case .totp(let parameters): parameters.codeLength
    case .phone: .six
    }
  }
}
