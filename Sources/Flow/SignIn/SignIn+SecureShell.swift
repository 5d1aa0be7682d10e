import MFAApplication
import MFAConfiguration
import MFAFactors
import MFAPAMStack
import MFASystem

// What depends on sshd: how a sign-in ends, and how long it may take.
extension SignIn {
  /// The verdict that ends a sign-in in which no further code would be verified.
  ///
  /// OpenSSH 9.2 and 10 withdraw keyboard-interactive and password authentication after PAM_MAXTRIES.
  /// If no other method is left, OpenSSH's client goes on to ask for passwords that cannot succeed.
  /// After PAM_ACCT_EXPIRED, they do not start PAM again for keyboard-interactive authentication: the
  /// client's further requests fail without a question, and the third one ends the connection.
  /// Password authentication stays available, so this result is used only if PAM_MAXTRIES might leave
  /// no method. If another method has succeeded, AuthenticationMethods requires this one too.
  var ending: Verdict {
    guard SessionService(request.service) == .sshd else { return .tooManyAttempts }
    guard let methods = application.earlierMethods(), methods.isEmpty else { return .endSignIn }
    return host.secureShell.leavesOtherMethod ? .tooManyAttempts : .endSignIn
  }
}

extension Host {
  /// Returns how many seconds are left before sshd ends the sign-in (LoginGraceTime), at least 0.
  /// Returns nil if there is no limit, or if the limit or the start is unknown, or for another
  /// service.
  func secondsLeft(in service: [UInt8]) -> Int64? {
    guard SessionService(service) == .sshd, let limit = secureShell.graceTime,
      // sshd begins a session for each connection.
      let session, let start = ProcessInstance.start(in: session.identity), let now = sinceBoot
    else { return nil }
    let elapsed = now &- start
    guard elapsed >= 0 else { return nil }
    return max(limit &- elapsed, 0)
  }
}
