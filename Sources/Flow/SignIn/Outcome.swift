public import MFAAuditLog
import MFAAuthentication
import MFAConfiguration
public import MFAFactors
public import MFAStoreFiles
public import MFASystem

/// The result of a sign-in, before policy is applied.
public enum Outcome: Sendable {
  /// A code was verified, or the attempt was refused.
  case attempted(AttemptOutcome)
  /// Nothing was asked, because a code was accepted `age` seconds ago from the same address or
  /// session.
  case remembered(age: Int64)
  /// The user has a factor, or used a bypass code in place of one. Only the `account` line has this
  /// outcome.
  case enrolled
  /// The user has no factor and does not need one.
  case notEnrolled
  /// The user has no factor and may put enrolment off for a while.
  case offered(Offer)
  /// The user has no factor, must have one, and will enrol it in the `account` line.
  case enrollmentPending
  /// The user enrolled a factor in this sign-in and confirmed it with a code.
  case enrolledNow(Factor, AuditLogCheckpoint?)
  /// The user has no factor, must have one, and could not enrol it in this sign-in.
  case enrollmentRequired(EnrollmentObstacle)
  /// Multi-factor authentication is switched off for this sign-in.
  case switchedOff
  /// The answer cannot be a code.
  case notACode(NotACode)
  /// The system has no account with this name.
  case unknownUser
  /// The sign-in failed because of an error.
  case failed(Failure)

  /// How long enrolment may still be put off.
  public struct Offer: Equatable, Sendable {
    /// The number of further sign-ins without a factor, or nil if their number is not limited.
    public let signInsLeft: Int64?
    /// The last day in UTC, as `2027-01-31`, or nil if there is no last day.
    public let lastDay: [UInt8]?

    /// Creates an offer.
    public init(signInsLeft: Int64?, lastDay: [UInt8]?) {
      self.signInsLeft = signInsLeft
      self.lastDay = lastDay
    }
  }

  /// Why an answer cannot be a code.
  public enum NotACode: Sendable {
    /// The answer is something else: empty, a password, too few digits.
    case somethingElse
    /// The answer is a number that no listed factor has.
    case noSuchFactor
    case tooLong
    /// There was no answer.
    case none
    /// sshd replaced the user's answer with its own, because it will deny the sign-in.
    case withheldBySSHD
  }

  /// Why a sign-in failed because of an error.
  public enum Failure: Error, Sendable {
    case arguments(ModuleOptions.Refusal)
    case configuration(ConfigurationFile.Failure)
    case account(SystemError)
    case clock(SystemError)
    case store(FactorStoreError)
    /// The helper, which is used if the store may not be opened, could not verify the code.
    case helper(HelperError)
    /// The password or a note could not be passed on.
    case forwarding
  }
}

extension Outcome {
  /// Whether a code, recovery code or bypass code was accepted.
  var isAccepted: Bool {
    guard case .attempted(let attempt) = self else { return false }
    return attempt.isSuccess
  }

  /// Converts the result of an attempt.
  public init(_ result: Attempt.Result) {
    if let attempt = AttemptOutcome(result) {
      self = .attempted(attempt)
    } else if case .notACode = result {
      self = .notACode(.somethingElse)
    } else {
      // The factor was removed after the user was asked for its code. Such a sign-in is denied.
      self = .failed(.store(.damaged(.record)))
    }
  }
}
