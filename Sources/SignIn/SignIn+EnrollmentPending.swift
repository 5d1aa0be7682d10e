import FactorStore
import Factors
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
    _ options: ModuleOptions, _ settings: Settings, _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> Outcome {
    if let record = try bypassable(account, store) {
      return try bypassing(options, settings, account, store, record)
    }
    let line = accountLine()
    guard case .certain = line else {
      try askInVain(options, settings, store)
      return .enrollmentRequired(.accountLine(line))
    }
    // Without the note the `account` line denies.
    guard application.note(.enrollment, of: account.name) else { throw .forwarding }
    return try passing(.enrollmentPending, options, settings, store)
  }

  /// What the service's stack says of the `account` line.
  @inline(never)
  func accountLine() -> AccountLine {
    AccountLine(
      of: "pam_mfa.so", service: request.service, authArguments: request.arguments,
      isCalledByRoot: host.isCalledByRoot, from: host.stacks)
  }

  /// What is kept for somebody without a factor to whom a bypass code was granted.
  private func bypassable(
    _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> FactorRecord? {
    let now = try now()
    do throws(FactorStoreError) {
      guard let kept = try store.existingEntry(of: account)?.kept,
        kept.grants.contains(where: { $0.kind == .bypass && $0.isGood(at: now) })
      else { return nil }
      return kept
    } catch {
      throw .store(error)
    }
  }

  /// An administrator answers for somebody without a factor: the code is asked for, and the `account`
  /// line lets pass who gave it.
  private func bypassing(
    _ options: ModuleOptions, _ settings: Settings, _ account: Account, _ store: Machine.Store,
    _ record: FactorRecord
  ) throws(Outcome.Failure) -> Outcome {
    let outcome = try proveCode(options, settings, account, .store(store, record, []))
    guard case .bypassed = outcome else { return outcome }
    guard application.note(.bypass, of: account.name) else { throw .forwarding }
    return outcome
  }

  /// Somebody who must enrol, in the `account` line.
  func enrollNow(
    _ settings: Settings, _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> Outcome {
    guard settings.state == .enabled else { return .enrollmentRequired(.onlyObserved) }
    guard !application.isNoted(.bypass, of: account.name) else { return .enrolled }
    guard application.isNoted(.enrollment, of: account.name) else {
      return .enrollmentRequired(.notAuthenticatedHere)
    }
    return try SignInEnrollment(
      host: host, application: application, account: account, source: request.source,
      service: request.service,
      settings: settings, store: store
    ).run()
  }
}
