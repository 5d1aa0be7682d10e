public import FactorStore
public import Factors
public import System

/// What a sign-in came to, whatever policy makes of it.
public enum Outcome: Sendable {
  /// A code was right and fresh. The factor is nil where it is not known here whose it was.
  case accepted(FactorID?)
  /// Nothing was asked: a code that was right so many seconds ago, from the same place, is enough.
  case remembered(age: Int64)
  /// A recovery code was right, and is used up.
  case recovered(Attempt.Recovery)
  /// A bypass code of an administrator's was right.
  case bypassed(Grant, LedgerMark?)
  /// The user has a factor, or a bypass code stood in for one: what the account phase wants to know.
  case enrolled
  /// The user has no factor, and need have none.
  case notEnrolled
  /// The user has no factor, and may put enrolling one off for a while.
  case offered(Offer)
  /// The user has no factor, must have one, and will enrol it in the `account` line.
  case enrollmentPending
  /// The user has enrolled a factor in this sign-in, with a code that was right.
  case enrolledNow(Factor, LedgerMark?)
  /// The user has no factor, must have one, and could not enrol it in this sign-in.
  case enrollmentRequired(EnrollmentObstacle)
  /// The second factor is switched off here.
  case switchedOff
  /// A code was wrong. `wait` is in seconds, 0 for none.
  case wrong(wait: Int64)
  /// A code was right and not fresh.
  case replayed(FactorID?, wait: Int64)
  /// Nothing was compared: there were too many failures.
  case throttled(seconds: Int64)
  /// Nothing was compared: the factors are disabled.
  case disabled
  /// The answer cannot be a code.
  case notACode(NotACode)
  /// The system knows no such user.
  case unknownUser
  /// Something went wrong.
  case failed(Failure)

  /// How long enrolling may still be put off.
  public struct Offer: Equatable, Sendable {
    /// For so many further sign-ins; nil where no number ends it.
    public let signInsLeft: Int64?
    /// Up to this day, in UTC, as `2027-01-31`; nil where no day ends it.
    public let lastDay: [UInt8]?

    /// Puts both together.
    public init(signInsLeft: Int64?, lastDay: [UInt8]?) {
      self.signInsLeft = signInsLeft
      self.lastDay = lastDay
    }
  }

  /// Why an answer cannot be a code.
  public enum NotACode: Sendable {
    /// It is something else: empty, a password, too few digits.
    case somethingElse
    /// It is a number, and no factor that was listed has it.
    case noSuchFactor
    case tooLong
    /// There was no answer.
    case none
    /// sshd gave its own answer in place of the person's, because it will not let this user in.
    case withheldBySSHD
  }

  /// What went wrong.
  public enum Failure: Error, Sendable {
    case arguments(ModuleOptions.Refusal)
    case configuration(ConfigurationFile.Failure)
    case account(SystemError)
    case clock(SystemError)
    case store(FactorStoreError)
    /// The helper, which was to be asked instead of the store.
    case helper(HelperTrouble)
    /// The password could not be handed on.
    case forwarding
  }
}

extension Outcome {
  /// Whether a code was right and fresh.
  var isAccepted: Bool {
    switch self {
    case .accepted, .recovered, .bypassed: true
    case .remembered, .enrolled, .notEnrolled, .offered, .enrollmentPending, .enrolledNow,
      .enrollmentRequired, .switchedOff, .wrong, .replayed, .throttled, .disabled, .notACode,
      .unknownUser, .failed:
      false
    }
  }

  /// What a guess came to, as a sign-in sees it.
  public init(_ result: Attempt.Result) {
    switch result {
    case .accepted(let factor): self = .accepted(factor.id)
    case .recovered(let recovery): self = .recovered(recovery)
    case .bypassed(let grant, let mark): self = .bypassed(grant, mark)
    case .wrong(let wait): self = .wrong(wait: wait)
    case .replayed(let factor, let wait): self = .replayed(factor.id, wait: wait)
    case .refused(.waiting(let seconds)): self = .throttled(seconds: seconds)
    case .refused(.disabled): self = .disabled
    // Nothing is refused while the standing is open; if it were, it is a denial.
    case .refused(.open): self = .disabled
    case .notACode: self = .notACode(.somethingElse)
    // The factor went while the person was being asked: who had one is not let in without.
    case .notEnrolled: self = .failed(.store(.damaged(.record)))
    }
  }
}
