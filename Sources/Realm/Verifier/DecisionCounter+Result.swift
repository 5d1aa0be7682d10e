import MFAAttempt
import MFACMFA
import MFARealm
import MFASignIn
import MFAStore

extension DecisionCounter {
  /// The counter of a verdict.
  init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .deny: .denied
      case .allow: .allowed
      case .pass: .passed
      case .tooManyAttempts: .tooManyAttempts
      case .endSignIn: .endedSignIn
      }
  }

  /// The counter of a result, or nil if the result is not logged either.
  init?(_ result: SignInResult) {
    switch result {
    case .allowed(let reason): self.init(reason)
    case .passed(.notEnrolled), .passed(.offered): self = .notEnrolled
    case .passed(.enrollmentPending): self = .enrollmentPending
    case .passed(.switchedOff), .passed(.leftToNextLines): return nil
    case .denied(.code(let rejected)): self.init(rejected)
    case .denied(.unknownUser): self = .unknownUser
    case .denied(.enrollmentRequired): self = .enrollmentRequired
    case .denied(.failed(.store(.engine(.budgetUsedUp)))): self = .hostBudget
    case .denied(.failed): self = .error
    }
  }

  private init?(_ reason: SignInResult.AllowedReason) {
    switch reason {
    case .code(.factor): self = .accepted
    case .code(.recoveryCode): self = .recoveryCode
    case .code(.bypassCode): self = .bypassCode
    case .remembered: self = .remembered
    case .enrolledNow: self = .enrolled
    // A verifier has no break-glass code.
    case .enrolled, .breakGlass: return nil
    }
  }

  private init(_ rejected: Attempt.Rejected) {
    switch rejected {
    case .wrong, .lockedNow(nil), .repeated(.rejected): self = .wrong
    case .replayed, .lockedNow, .repeated(.used): self = .replayed
    case .throttled: self = .throttled
    case .locked: self = .locked
    case .notACode: self = .notACode
    case .notEnrolled: self = .error
    }
  }
}

extension SignInResult {
  /// Whether the sign-in moves the factors of a renamed user to the present name: the user proved to
  /// have a factor or a recovery code that was enrolled under the name before.
  var movesFactors: Bool {
    switch self {
    case .allowed(.code(.factor)), .allowed(.code(.recoveryCode)): true
    case .allowed, .passed, .denied: false
    }
  }
}
