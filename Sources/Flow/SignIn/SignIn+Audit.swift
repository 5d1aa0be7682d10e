import MFAAuthentication
import MFABytes
import MFAPolicy
import MFASystem

// Records of sign-ins in the kernel's audit trail.
extension SignIn {
  /// Writes the decision about a code to the audit trail. Writes nothing if no code was verified.
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
  /// The operation in the audit trail. An outcome that changes the record has a name of its own.
  var auditedOperation: StaticString {
    switch self {
    case .attempted(let attempt): attempt.auditedOperation
    case .enrolledNow: "mfa:enrolled"
    case .remembered, .enrolled, .notEnrolled, .offered, .enrollmentPending, .enrollmentRequired,
      .switchedOff, .notACode, .unknownUser, .failed:
      "mfa:code"
    }
  }

  /// Whether a code was accepted. False also for an attempt that was refused because of earlier
  /// failures; nil if there was no attempt.
  var judgement: Bool? {
    switch self {
    case .attempted(let attempt): attempt.isSuccess
    case .enrolledNow: true
    case .remembered, .enrolled, .notEnrolled, .offered, .enrollmentPending, .enrollmentRequired,
      .switchedOff, .notACode, .unknownUser, .failed:
      nil
    }
  }
}
