import PAMStack
import Policy
import System

// Those who must enrol, in the `auth` line.
extension SignIn {
  /// Somebody who must enrol goes on to the `account` line, which has them enrol once the first
  /// factor is proven; but only where the service's stack is certain to come to that line, and to
  /// deny when it denies. Anywhere else they are asked in vain.
  ///
  /// Nobody else pays for the look at the stack.
  func mustEnroll(
    _ options: ModuleOptions, _ account: Account
  ) throws(Outcome.Failure) -> Outcome {
    let line = AccountLine(
      of: "pam_mfa.so", service: request.service, authArguments: request.arguments,
      from: host.stacks)
    guard case .certain = line else {
      askInVain(options)
      return .enrollmentRequired(.accountLine(line))
    }
    // Without the note the `account` line denies.
    guard application.noteEnrollment(of: account.name) else { throw .forwarding }
    return try passing(.enrollmentPending, options)
  }

  /// Somebody who must enrol, in the `account` line.
  func enrollNow(
    _ settings: Settings, _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> Outcome {
    guard settings.state == .enabled else { return .enrollmentRequired(.onlyObserved) }
    guard application.isEnrollmentNoted(of: account.name) else {
      return .enrollmentRequired(.notAuthenticatedHere)
    }
    return try SignInEnrollment(
      host: host, application: application, account: account, source: request.source,
      settings: settings, store: store
    ).run()
  }
}
