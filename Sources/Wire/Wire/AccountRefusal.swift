/// Why an account may not be used, although the password may be right.
package enum AccountRefusal: UInt8, CaseIterable, Equatable, Sendable {
  /// pam_faillock has locked the account after too many wrong passwords.
  case locked = 1
  /// The account has expired.
  case expired = 2
  /// The password has expired.
  case passwordExpired = 3
  /// Only root may sign in to this host now (nologin(5)).
  case noSignIns = 4
  /// PAM refuses the account for another reason.
  case notAllowed = 5
}

/// What became of a proof of an account.
package enum ProofResult: Equatable, Sendable {
  case proven
  /// The password, or another answer that PAM asked for, was wrong.
  case wrong
  /// The user gave no answer, so that nothing was verified.
  case noAnswer
  /// The account may not be used.
  case refused(AccountRefusal)

  /// The number in a message to the resident service.
  package var number: UInt8 {
    switch self {
    case .wrong: 0
    case .proven: 1
    case .noAnswer: 2
    case .refused(let refusal): 16 &+ refusal.rawValue
    }
  }

  /// Creates the result from the number in a message. Returns nil for any other number.
  package init?(number: UInt8) {
    switch number {
    case 0: self = .wrong
    case 1: self = .proven
    case 2: self = .noAnswer
    case 16...:
      guard let refusal = AccountRefusal(rawValue: number &- 16) else { return nil }
      self = .refused(refusal)
    default: return nil
    }
  }
}
