import MFAWire
import MFABase
import MFACMFA
import MFAAttempt
import MFAModel
import MFAPAMStack

// What depends on sshd: how a sign-in ends, and how long it may take.
extension SignIn {
  /// The verdict that ends a sign-in in which no further code would be verified. A program that is not known to end after
  /// PAM_MAXTRIES may ask again; the module then denies again.
  ///
  /// OpenSSH 9.2 and 10 withdraw keyboard-interactive and password authentication after PAM_MAXTRIES.
  /// If no other method is left, OpenSSH's client goes on to ask for passwords that cannot succeed.
  /// After PAM_ACCT_EXPIRED, they do not start PAM again for keyboard-interactive authentication: the
  /// client's further requests fail without a question, and the third one ends the connection.
  /// Password authentication stays available, so this result is used only if PAM_MAXTRIES might leave
  /// no method. If another method has succeeded, AuthenticationMethods requires this one too.
  var ending: Verdict {
    guard SessionService(request.service) == .sshd else {
      return ServiceProgram(of: request.service).endsAfterMaximumTries ? .tooManyAttempts : .deny
    }
    guard let methods = application.earlierMethods, methods.isEmpty else { return .endSignIn }
    return host.secureShell.leavesOtherMethod ? .tooManyAttempts : .endSignIn
  }

  /// Returns the result of a line with `after_key`, above the lines that ask for the password. It
  /// decides only if it asks for a code, or need not ask again, after a key.
  func authenticationAfterKey(_ resolved: Resolved) throws(Pause) -> SignInResult {
    guard resolved.failure != nil || (resolved.state == .enabled && isKeyVerified) else {
      return .passed(.leftToNextLines)
    }
    let result = try authenticationOfUser(resolved)
    guard case .passed = result else { return result }
    return .passed(.leftToNextLines)
  }

  /// The `auth` lines of sshd, or nil for another service, or if they cannot be read. They are read for
  /// every user, so that the time taken does not reveal which users are enrolled.
  var secureShellStack: ServiceStack? {
    guard SessionService(request.service) == .sshd else { return nil }
    do throws(StackRefusal) {
      return try ServiceStack(.auth, of: request.service, from: host.stacks)
    } catch {
      return nil
    }
  }

  /// Returns the result of the line, or a failure if the result needs no proof of the user, sshd has
  /// verified nothing before (SSH_AUTH_INFO_0), and no other line could deny.
  @inline(never)
  func refusingUnproven(
    _ result: SignInResult, _ resolved: Resolved, _ stack: ServiceStack?
  ) -> SignInResult {
    guard let stack, let code = result.codeWithoutProof(state: resolved.state),
      UnprovenSignIn(
        at: request.service, moduleReturns: code, isCalledByRoot: isCalledByRoot
      ).isAdmitted(by: stack),
      application.earlierMethods?.isEmpty == true
    else { return result }
    return .failed(.firstFactorMissing)
  }

  /// Whether sshd has verified a key in this connection. It reports each method that succeeded in one
  /// line, as `publickey ssh-ed25519 AAAA...` (SSH_AUTH_INFO_0; sshd_config(5), ExposeAuthInfo).
  private var isKeyVerified: Bool {
    guard SessionService(request.service) == .sshd, let methods = application.earlierMethods
    else {
      return false
    }
    let name: StaticString = "publickey "
    let start = name.bytes
    return methods.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: start) }
  }
}

extension SignIn {
  /// Returns how many seconds are left before sshd ends the sign-in (LoginGraceTime), at least 0.
  /// Returns nil if there is no limit, or if the limit or the start is unknown, or for another
  /// service.
  func secondsLeft() throws(Pause) -> Int64? {
    guard SessionService(request.service) == .sshd, let limit = host.secureShell.graceTime else {
      return nil
    }
    guard application.facts != nil else { throw .facts }
    // sshd begins a session for each connection.
    guard let session, let start = ProcessInstance.start(in: session.identity),
      let now = host.sinceBoot
    else { return nil }
    let elapsed = now &- start
    guard elapsed >= 0 else { return nil }
    return max(limit &- elapsed, 0)
  }
}

extension SignInResult {
  /// What the module returns although the user has proven nothing to it, or nil if the user has, or if
  /// the module denies.
  fileprivate func codeWithoutProof(state: Configuration.State) -> PAMReturnCode? {
    if case .allowed(.remembered) = self { return .success }
    guard !isAccepted else { return nil }
    return Verdict(self, state: state) == .pass ? .ignore : nil
  }
}
