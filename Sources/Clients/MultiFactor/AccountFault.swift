import MFAMessages
import MFAWire

/// Why an account may not be used, although the password may be right.
public enum AccountFault: CaseIterable, Equatable, Sendable {
  /// The account is locked after too many wrong passwords (pam_faillock).
  case locked
  /// The account has expired.
  case expired
  /// The password has expired.
  case passwordExpired
  /// No user can sign in to this host now (nologin(5)).
  case noSignIns
  /// The host does not allow the account for another reason.
  case notAllowed

  init(_ refusal: AccountRefusal) {
    self =
      switch refusal {
      case .locked: .locked
      case .expired: .expired
      case .passwordExpired: .passwordExpired
      case .noSignIns: .noSignIns
      case .notAllowed: .notAllowed
      }
  }

  var message: FailureMessage {
    switch self {
    case .locked: .accountLocked
    case .expired: .accountExpired
    case .passwordExpired: .passwordExpired
    case .noSignIns: .noSignIns
    case .notAllowed: .accountNotAllowed
    }
  }
}
