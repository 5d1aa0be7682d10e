import Policy
import Secrets
import System

// Sign-ins in the kernel's audit trail.
extension SignIn {
  /// Has the trail say what became of a code; an answer that was not judged is none of its business.
  func audit(_ outcome: Outcome, _ account: Account?) {
    guard let account, let succeeded = outcome.judgement else { return }
    var kind = Audit.Kind.authentication
    if case .enrolledNow = outcome { kind = .management }
    let address = request.remoteHost.flatMap { IPAddress($0.span) == nil ? nil : $0 }
    application.audit(
      kind, outcome.auditedOperation.bytes, account.name, address, request.terminal, succeeded)
  }
}

extension Outcome {
  /// What the trail calls it. A code that is used up changes the record, so it has a name of its own.
  public var auditedOperation: StaticString {
    switch self {
    case .recovered: "mfa:recovery-code"
    case .bypassed: "mfa:bypass-code"
    case .enrolledNow: "mfa:enrolled"
    case .accepted, .wrong, .replayed, .throttled, .disabled, .remembered, .enrolled, .notEnrolled,
      .offered, .enrollmentPending, .enrollmentRequired, .switchedOff, .notACode, .unknownUser,
      .failed:
      "mfa:code"
    }
  }

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
