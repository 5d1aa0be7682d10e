import MFAPAMStack
import MFAStore
import MFAAttempt
import MFAModel
import MFABase

/// The decision about a sign-in, with its reason.
package enum SignInResult: Sendable {
  /// The second factor was proven, or is not needed again.
  case allowed(AllowedReason)
  /// Policy does not require a second factor from this user now.
  case passed(PassedReason)
  case denied(DeniedReason)

  /// Why a sign-in is allowed.
  package enum AllowedReason: Sendable {
    case code(Attempt.Accepted)
    /// Nothing was asked, because a code was accepted `age` seconds ago from the same address or
    /// session.
    case remembered(age: Int64)
    /// The user has a factor, or used a bypass code in place of one. Only the `account` line has
    /// this reason.
    case enrolled
    /// The prepared break-glass code was accepted, because the store cannot be used.
    case breakGlass(FactorStoreError)
    /// The line has the argument `program_password`, and this password of the user was typed.
    case programPassword(Grant)
    /// The user enrolled a factor in this sign-in and confirmed it with a code.
    case enrolledNow(Factor, AuditLogCheckpoint?)
  }

  /// Why a sign-in needs no second factor now.
  package enum PassedReason: Sendable {
    /// Multi-factor authentication is switched off for this sign-in.
    case switchedOff
    /// The user has no factor and does not need one.
    case notEnrolled
    /// The user has no factor and may put enrolment off for a while.
    case offered(Offer)
    /// The user has no factor, must have one, and will enrol it in the `account` line.
    case enrollmentPending
    /// The lines that follow decide. The line has the argument `after_key`, and sshd has verified no
    /// key, or policy requires no code from this user; or it has the argument `program_password`, and no
    /// program password was typed.
    case leftToNextLines
  }

  /// Why a sign-in is denied.
  package enum DeniedReason: Sendable {
    case code(Attempt.Rejected)
    /// The system has no account with this name.
    case unknownUser
    /// A program password was typed that does not sign this user in here.
    case programPassword(Attempt.ProgramPasswordRefusal)
    /// The user has no factor, must have one, and could not enrol it in this sign-in.
    case enrollmentRequired(EnrollmentObstacle)
    /// The `account` line has the argument `require_code`, and no `auth` line accepted a code in this sign-in. Policy
    /// requires one of the user, who has a factor if `isEnrolled`.
    case codeRequired(isEnrolled: Bool)
    /// The sign-in failed because of an error.
    case failed(Failure)
  }

  /// How long enrolment may still be put off.
  package struct Offer: Equatable, Sendable {
    /// The number of further sign-ins without a factor, or nil if their number is not limited.
    package let signInsLeft: Int64?
    /// The last day in UTC, as `2027-01-31`, or nil if there is no last day.
    package let lastDay: [UInt8]?
    /// Whether the user has read the offer.
    package let isShown: Bool

    /// Creates an offer.
    package init(signInsLeft: Int64?, lastDay: [UInt8]?, isShown: Bool = false) {
      self.signInsLeft = signInsLeft
      self.lastDay = lastDay
      self.isShown = isShown
    }
  }

  /// Why a sign-in failed because of an error.
  package enum Failure: Sendable {
    case arguments(ModuleOptions.Refusal)
    case configuration(ConfigurationError)
    case account(SystemError)
    case clock(SystemError)
    case store(FactorStoreError)
    /// A program that runs as an ordinary user asks about another user's account.
    case othersAccount
    /// sshd has verified nothing, and no other `auth` line of its service could deny the sign-in.
    case firstFactorMissing
  }
}

extension SignInResult {
  /// Converts the result of an attempt.
  package init(_ result: Attempt.Result) {
    switch result {
    case .accepted(let accepted): self = .allowed(.code(accepted))
    // The last factor was removed after the user was asked for its code.
    case .rejected(.notEnrolled): self = .failed(.store(.damaged(.record)))
    case .rejected(let rejected): self = .denied(.code(rejected))
    }
  }

  /// Denies because an answer cannot be a code.
  static func notACode(_ reason: Attempt.NotACode) -> SignInResult {
    .denied(.code(.notACode(reason)))
  }

  /// Denies because of an error.
  static func failed(_ failure: Failure) -> SignInResult { .denied(.failed(failure)) }

  /// Whether the answer was counted as an attempt: it may be a code, and is not the same as a moment ago.
  var isCounted: Bool {
    switch self {
    case .denied(.code(.notACode)), .denied(.code(.typeNotAllowed)), .denied(.code(.repeated)):
      false
    case .allowed, .passed, .denied: true
    }
  }

  /// Whether the result is a denial.
  var isDenied: Bool {
    guard case .denied = self else { return false }
    return true
  }

  /// Whether no code is verified for a while.
  var mustWait: Bool {
    guard case .denied(.code(let rejected)) = self else { return false }
    return rejected.mustWait
  }

  /// Whether a code, recovery code or bypass code was accepted.
  var isAccepted: Bool {
    switch self {
    case .allowed(.code), .allowed(.breakGlass), .allowed(.programPassword): true
    case .allowed, .passed, .denied: false
    }
  }
}
