import MFAAdmin
import MFAModel
import MFASignIn

extension Readiness.Obstacle {
  /// Creates the obstacle that policy, the user's record or its standing is to a sign-in, or nil if there
  /// is none. Other errors are not an obstacle by policy: `Explanation` reports them for a service.
  init?(_ result: SignInResult, _ settings: Settings?) {
    switch result {
    case .allowed, .passed(.switchedOff), .passed(.notEnrolled), .passed(.offered),
      .passed(.leftToNextLines), .denied(.unknownUser):
      return nil
    case .passed(.enrollmentPending), .denied(.enrollmentRequired):
      self = settings?.enrollment == .offered ? .offerOver : .notEnrolled
    case .denied(.code(.throttled(let seconds))): self = .throttled(seconds: seconds)
    case .denied(.code(.locked)): self = .locked
    case .denied(.code): return nil
    case .denied(.failed(.store(let error))): self = .unusable(RecordProblem(error))
    case .denied(.failed): return nil
    }
  }
}
