import MFAModel

/// A code that a sign-in accepted and used up.
package enum UsedCode: Equatable, Sendable {
  /// A code of a factor, or of an unknown factor if it is nil.
  case factor(FactorID?)
  /// One of the user's recovery codes. `left` is the number of codes that are left.
  case recoveryCode(left: UInt8)
  /// One use of an administrator's bypass code, which can be used `usesLeft` more times.
  case bypassCode(usesLeft: UInt8)

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var (number, factor, left): (UInt8, FactorID?, UInt8)
    switch self {
    case .factor(let id): (number, factor, left) = (1, id, 0)
    case .recoveryCode(let codes): (number, factor, left) = (2, nil, codes)
    case .bypassCode(let uses): (number, factor, left) = (3, nil, uses)
    }
    try coder.number(&number)
    try coder.identifier(&factor)
    try coder.number(&left)
    switch (number, factor, left) {
    case (1, _, 0): self = .factor(factor)
    case (2, nil, _): self = .recoveryCode(left: left)
    case (3, nil, _): self = .bypassCode(usesLeft: left)
    case _: throw .malformed
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
