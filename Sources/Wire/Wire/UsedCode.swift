import MFAModel

/// A code that a sign-in accepted and used up.
package enum UsedCode: Equatable, Sendable {
  /// A code of a factor, or of an unknown factor if it is nil.
  case factor(FactorID?)
  /// One of the user's recovery codes. `left` is the number of codes that are left.
  case recoveryCode(left: UInt8)
  /// One use of an administrator's bypass code, which can be used `usesLeft` more times.
  case bypassCode(usesLeft: UInt8)

  /// Creates a code from the fields of a message, or nil if they do not belong together.
  init?(number: UInt8, factor: FactorID?, left: UInt8) {
    switch (number, factor, left) {
    case (1, _, 0): self = .factor(factor)
    case (2, nil, _): self = .recoveryCode(left: left)
    case (3, nil, _): self = .bypassCode(usesLeft: left)
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

  /// The number of recovery codes, or of uses of the bypass code, that are left.
  var left: UInt8 {
    switch self {
    case .factor: 0
    case .recoveryCode(let left), .bypassCode(let left): left
    }
  }

  /// The factor whose code was used, if it is known.
  package var factor: FactorID? {
    switch self {
    case .factor(let factor): factor
    case .recoveryCode, .bypassCode: nil
    }
  }
}
