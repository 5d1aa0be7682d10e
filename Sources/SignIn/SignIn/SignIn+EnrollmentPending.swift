import MFAWire
import MFAStore
import MFAAttempt
import MFAModel
import MFAPAMStack
import MFABase

// Users who must enrol, in the `auth` line.
extension SignIn {
  /// Lets a user who must enrol continue to the `account` line, where the user enrols after the
  /// first factor has been proven. This requires a stack that certainly reaches that line and
  /// denies when the line denies. In any other stack, the user is asked for a code and denied.
  func mustEnroll(
    _ account: Account, _ store: Machine.Store, _ resolved: Resolved
  ) throws(Pause) -> SignInResult {
    if let record = try recordWithBypassCode(account, store) {
      return try proveBypassCode(
        CodeCheck(account: account, store: store, record: record, places: [], resolved: resolved))
    }
    guard identity.actsAsRoot else {
      let result = SignInResult.denied(.enrollmentRequired(.notAuthenticatedHere))
      try askAndDeny(result, resolved)
      return result
    }
    let line = accountLine()
    if let obstacle = resolved.settings.obstacleToEnrolling {
      let result = SignInResult.denied(.enrollmentRequired(obstacle))
      try askAndDeny(result, resolved)
      return result
    }
    guard case .certain = line else {
      let result = SignInResult.denied(.enrollmentRequired(.accountLine(line)))
      try askAndDeny(result, resolved)
      return result
    }
    application.note(.enrollment, of: account.name)
    return try pass(.enrollmentPending, resolved)
  }

  /// Returns whether the service's stack is certain to reach the `account` line. The stack is read
  /// for every user unless enrolment is self-service, so that the time taken does not reveal which
  /// users are enrolled.
  @inline(never)
  func accountLine() -> AccountLine {
    AccountLine(
      of: "pam_mfa.so", service: request.service, authArguments: request.arguments,
      isCalledByRoot: isCalledByRoot, from: host.stacks)
  }

  /// Returns the record of a user without a factor but with a valid bypass code, or nil.
  private func recordWithBypassCode(
    _ account: Account, _ store: Machine.Store
  ) throws(Pause) -> FactorRecord? {
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

  /// Asks a user without a factor for the bypass code that an administrator created. Once the code
  /// is accepted, the `account` line allows the sign-in.
  private func proveBypassCode(
    _ check: CodeCheck<Machine.Store>
  ) throws(Pause) -> SignInResult {
    let result = try proveCode(check)
    guard case .allowed(.code(.bypassCode)) = result else { return result }
    application.note(.bypass, of: check.account.name)
    return result
  }

  /// Enrols a user who must have a factor, in the `account` line.
  func enrollInAccountLine(
    _ account: Account, _ store: Machine.Store, _ resolved: Resolved
  ) throws(Pause) -> SignInResult {
    guard resolved.state == .enabled else {
      return .denied(.enrollmentRequired(.onlyObserved))
    }
    guard !application.isNoted(.bypass, of: account.name) else {
      return .allowed(.enrolled)
    }
    // A user's own process could write the note itself.
    guard identity.actsAsRoot, application.isNoted(.enrollment, of: account.name) else {
      return .denied(.enrollmentRequired(.notAuthenticatedHere))
    }
    if let obstacle = resolved.settings.obstacleToEnrolling {
      return .denied(.enrollmentRequired(obstacle))
    }
    return try SignInEnrollment(
      signIn: self, resolved: resolved, account: account, store: store
    ).run()
  }
}
