import Policy
import Secrets
import System

// Sign-ins in the kernel's audit trail.
extension SignIn {
  /// Has the trail say what became of a code; an answer that was not judged is none of its business.
  func audit(_ outcome: Outcome, _ account: Account?) {
    guard let account, let succeeded = outcome.judgement else { return }
    var kind = Audit.Kind.authentication
    var operation: StaticString = "mfa:code"
    if case .enrolledNow = outcome {
      kind = .management
      operation = "mfa:enrolled"
    }
    let address = request.remoteHost.flatMap { IPAddress($0.span) == nil ? nil : $0 }
    application.audit(
      kind, operation.bytes, account.name, address, request.terminal, succeeded)
  }
}

extension Outcome {
  /// Whether a code was right; nil where none was judged, nor refused for the failures before it.
  public var judgement: Bool? {
    switch self {
    case .accepted, .recovered, .bypassed, .enrolledNow: true
    case .wrong, .replayed, .throttled, .disabled: false
    case .remembered, .enrolled, .notEnrolled, .offered, .enrollmentPending, .enrollmentRequired,
      .switchedOff, .notACode, .unknownUser, .failed:
      nil
    }
  }
}
