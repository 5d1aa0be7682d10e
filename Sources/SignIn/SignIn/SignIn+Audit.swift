import MFAWire
import MFAAttempt
import MFABase
import MFAModel

// Records of sign-ins in the kernel's audit trail.
extension SignIn {
  /// Writes the decision about a code to the audit trail. Writes nothing if no code was verified.
  func audit(_ result: SignInResult, _ account: Account?) {
    guard let account, let succeeded = result.auditedSuccess else { return }
    var kind = Audit.Kind.authentication
    if case .allowed(.enrolledNow) = result { kind = .management }
    let address = request.remoteHost.flatMap { IPAddress($0.span) == nil ? nil : $0 }
    application.audit(
      Audit.Record(
        kind: kind, operation: result.auditedOperation.bytes, account: account.name,
        address: address, terminal: request.terminal, succeeded: succeeded))
  }
}

extension SignInResult {
  /// The operation in the audit trail. A result that changes the record has a name of its own.
  var auditedOperation: StaticString {
    switch self {
    case .allowed(.code(let accepted)): Attempt.Result.accepted(accepted).auditedOperation
    case .allowed(.enrolledNow): "mfa:enrolled"
    case .allowed(.breakGlass): "mfa:break-glass"
    case .allowed, .passed, .denied: "mfa:code"
    }
  }

  /// Whether a code was accepted, or nil if there was no attempt.
  var auditedSuccess: Bool? {
    switch self {
    case .allowed(.code), .allowed(.enrolledNow), .allowed(.breakGlass): true
    case .denied(.code(let rejected)): Attempt.Result.rejected(rejected).auditedSuccess
    case .allowed, .passed, .denied: nil
    }
  }
}
