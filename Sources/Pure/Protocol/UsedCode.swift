public import MFAFactors

/// A code that a sign-in accepted and used up.
public enum UsedCode: Equatable, Sendable {
  /// A code of a factor, or of an unknown factor if it is nil.
  case factor(FactorID?)
  /// One of the user's recovery codes.
  case recoveryCode
  /// One use of an administrator's bypass code.
  case bypassCode

  /// Creates a code from the two fields of a message, or nil if they do not belong together.
  init?(number: UInt8, factor: FactorID?) {
    switch (number, factor) {
    case (1, _): self = .factor(factor)
    case (2, nil): self = .recoveryCode
    case (3, nil): self = .bypassCode
    case _: return nil
    }
  }

  /// The number in a message.
  var number: UInt8 {
    switch self {
    case .factor: 1
    case .recoveryCode: 2
    case .bypassCode: 3
    }
  }

  /// The factor whose code was used, if it is known.
  public var factor: FactorID? {
    switch self {
    case .factor(let factor): factor
    case .recoveryCode, .bypassCode: nil
    }
  }
}
