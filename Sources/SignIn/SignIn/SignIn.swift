import MFAWire
import MFAAttempt
import MFABase
import MFACMFA
import MFAStore
import MFAModel
import MFAMessages
import MFAPAMStack

/// The verification of the second factor at a sign-in.
///
/// MUST 1: no other code of this target than `Verdict.init` returns `allow`: for an accepted,
/// remembered, recovery or bypass code, and in the `account` line for a user who is enrolled or
/// enrols there. packaging/THREATS.md lists the places outside of this target.
/// (`Verdict.init`; `VerdictTests`, `AllowingPlacesTests`)
/// MUST 2: every error denies, unless the policy is known to be `observe`.
/// (`SignInTests.everythingFailsClosed`)
/// MUST 3: no lock is held while the user is asked. (`SignInTests.noLockAtThePrompt`)
/// MUST 4: an answer that cannot be a code is not counted as an attempt, and its text is never
/// logged. (`SignInTests.notACode`)
/// MUST 5: if a user has several names, enrolment under one of them applies to all of them.
/// (`SharedIdentityTests`)
/// MUST 6: in sshd, a user who has proven nothing, neither to sshd nor by a code, and whom no other line
/// could deny, is denied, whatever policy says. (`FirstFactorTests.guarded`)
package struct SignIn<Machine: Host, Asker: Application> {
  let request: SignInRequest
  let host: Machine
  let application: Asker

  /// Prepares a sign-in.
  package init(_ request: SignInRequest, host: Machine, application: Asker) {
    self.request = request
    self.host = host
    self.application = application
  }

  /// A sign-in with the store of this host.
  typealias Resolved = ResolvedSignIn<Machine.Store>

  /// Runs the `auth` line.
  package func authenticate() -> Verdict { authenticated().verdict }

  /// Runs the `auth` line, and returns the reason for the verdict too.
  package func authenticated() -> SignInConclusion {
    var number = application.tryNumber
    var failed = application.failedTries
    while true {
      let conclusion = authenticate(try: number, failed: failed)
      let verdict = conclusion.verdict
      guard verdict == .tryAgain || verdict == .askAgain, !application.beginsAgain else {
        return conclusion
      }
      number &+= 1
      if verdict == .tryAgain { failed &+= 1 }
    }
  }

  /// Runs the `auth` line for one code, after `failed` tries that were counted. Returns `tryAgain` or
  /// `askAgain` if the user may try another one.
  ///
  /// Each try decides anew from the current configuration and record, for every user.
  private func authenticate(try number: UInt8, failed: UInt8) -> SignInConclusion {
    let resolved = resolve()
    resolved.tryNumber = number
    resolved.failedTries = failed
    useHostLanguage(resolved)
    let stack = secureShellStack
    // The code is verified before the password, so a message would reveal which users are enrolled.
    // A program without root's privileges, such as a screen locker, serves only its own user.
    let hidesRefusals = resolved.options.forwardsPass && host.identity.actsAsRoot
    let result = refusingUnproven(authentication(resolved), resolved, stack)
    let conclusion = conclude(result, resolved, hidesRefusals: hidesRefusals)
    guard conclusion.verdict == .tooManyAttempts else { return conclusion }
    // sshd ends the sign-in after too many attempts, and only enrolled users can cause that.
    return SignInConclusion(hidesRefusals ? .deny : ending, because: conclusion.result)
  }

  /// Runs the `account` line.
  package func checkAccount() -> Verdict { accountChecked().verdict }

  /// Runs the `account` line, and returns the reason for the verdict too.
  package func accountChecked() -> SignInConclusion {
    let resolved = resolve(needsStoreForUnknownUser: false)
    useHostLanguage(resolved)
    return conclude(accountCheck(resolved), resolved, hidesRefusals: false)
  }

  // MARK: Flow

  /// Returns the result of the `auth` line.
  func authentication(_ resolved: Resolved) -> SignInResult {
    orBreakGlass(
      resolved.options.followsKey
        ? authenticationAfterKey(resolved) : authenticationOfUser(resolved), resolved)
  }

  /// Returns the result of an `auth` line, for the user and the sign-in's circumstances.
  func authenticationOfUser(_ resolved: Resolved) -> SignInResult {
    if resolved.failure == nil || resolved.account != nil {
      trace(resolved, "policy") { line in
        line.add("state", escaping: bytes(of: resolved.settings.state.name))
        line.add("adjacent_intervals", Int64(resolved.settings.adjacentIntervals))
      }
    }
    if resolved.state != .disabled, let account = resolved.account {
      trace(resolved, "account") { line in
        line.add("user", escaping: account.name)
        line.add("uid", Int64(account.uid))
      }
    }
    return result(resolved) { () throws(SignInResult.Failure) in
      guard let account = resolved.account else { return try refuseUnknownUser(resolved) }
      guard let store = resolved.store else { return try authenticateByHelper(account, resolved) }
      return try authenticate(account, store, resolved)
    }
  }

  private func authenticate(
    _ account: Account, _ store: Machine.Store, _ resolved: Resolved
  ) throws(SignInResult.Failure) -> SignInResult {
    let (options, settings) = (resolved.options, resolved.settings)
    let isHidden = options.asksForPassword || settings.enrollment != .selfService
    guard let (owner, snapshot) = try enrolled(account, store, isHidden: isHidden) else {
      guard try mayPutOff(settings, account, store) else {
        return try mustEnroll(account, store, resolved)
      }
      return try pass(.notEnrolled, resolved)
    }
    useLanguageIfProven(of: snapshot.record, account, resolved)
    if settings.enrollment != .selfService { _ = accountLine() }
    let standing = snapshot.attempts.standing(
      settings.throttle, now: try now(), client: try clientDigest(snapshot, store))
    trace(resolved, "record") { line in
      line.add("factors", Int64(snapshot.record.factors.count))
      line.add("wrong-codes", Int64(snapshot.attempts.failures))
    }
    let memory = memory(settings)
    // Throttling does not apply to a user who need not give a code, so wrong codes from others do
    // not delay the user.
    if standing != .locked,
      let age = try rememberedCode(memory, owner, snapshot, resolved)
    {
      return .allowed(.remembered(age: age))
    }
    guard standing == .open || settings.mayUnlock(snapshot.record, standing) else {
      let refusal = SignInResult.denied(.code(Attempt.Rejected(standing)))
      // The prompt that asks for the code also asks for the password, and is shown in any case.
      if options.asksForPassword {
        guard try askWithoutVerifying(refusal, resolved).isCode else {
          return .notACode(.somethingElse)
        }
      }
      return refusal
    }
    return try proveCode(
      CodeCheck(
        of: owner, by: .store(store, snapshot.record, places(memory, resolved)), in: resolved))
  }

  /// Returns the digest of the source, or nil if no source waits longer than others.
  private func clientDigest(
    _ snapshot: FactorSnapshot, _ store: Machine.Store
  ) throws(SignInResult.Failure) -> UInt32? {
    guard !snapshot.attempts.recentTurns.sources.isEmpty else { return nil }
    do throws(FactorStoreError) {
      return try store.digests(of: [client], in: snapshot.record).first?.client
    } catch {
      throw .store(error)
    }
  }

  /// Does the same work as for a user without a factor, and denies.
  private func refuseUnknownUser(
    _ resolved: Resolved
  ) throws(SignInResult.Failure) -> SignInResult {
    if let store = resolved.store {
      _ = try snapshot(store, Self.nobody)
      try imitateSnapshot(store)
    }
    try imitateOtherNames()
    if resolved.settings.enrollment != .selfService { _ = accountLine() }
    try askAndDeny(resolved)
    return .denied(.unknownUser)
  }

  /// Returns the result of the `account` line.
  private func accountCheck(_ resolved: Resolved) -> SignInResult {
    result(resolved) { () throws(SignInResult.Failure) in
      guard let account = resolved.account else { return .denied(.unknownUser) }
      guard let store = resolved.store else { return try checkAccountByHelper(account, resolved) }
      return try checkAccount(account, store, resolved)
    }
  }

  private func checkAccount(
    _ account: Account, _ store: Machine.Store, _ resolved: Resolved
  ) throws(SignInResult.Failure) -> SignInResult {
    let settings = resolved.settings
    if let (_, snapshot) = try enrolled(account, store) {
      useLanguage(of: snapshot.record, resolved)
      // If the `auth` line let the user continue in order to enrol, it has not asked for a code.
      guard application.isNoted(.enrollment, of: account.name) else { return .allowed(.enrolled) }
      return .denied(.enrollmentRequired(.enrolledMeanwhile))
    }
    // A sign-in with a bypass code has already shown the notices, and cannot confirm them.
    if settings.state != .observe, !application.isNoted(.bypass, of: account.name) {
      showPendingNotices(account, store, resolved)
    }
    switch settings.enrollment {
    case .selfService: return .passed(.notEnrolled)
    case .offered:
      if let offered = try putOff(settings.offer, account, store) { return offered }
    case .required: break
    }
    return try enrollInAccountLine(account, store, resolved)
  }

  // MARK: Results

  /// Returns the result of `line`, unless policy switches the second factor off or the sign-in
  /// could not be resolved. An error denies.
  func result(
    _ resolved: Resolved, of line: () throws(SignInResult.Failure) -> SignInResult
  ) -> SignInResult {
    if let failure = resolved.failure { return .failed(failure) }
    guard resolved.state != .disabled else { return .passed(.switchedOff) }
    do throws(SignInResult.Failure) { return try line() } catch { return .failed(error) }
  }

  /// Reports a result to the log, the audit log and the user, and returns the verdict. If
  /// `hidesRefusals`, the user gets no message about a result that is not an accepted code.
  private func conclude(
    _ result: SignInResult, _ resolved: Resolved, hidesRefusals: Bool
  ) -> SignInConclusion {
    let verdict = Verdict(result, state: resolved.state)
    // The run with the answer records and reports.
    guard !application.isSuspended, !isAbandonedRetry(result, resolved) else {
      return SignInConclusion(verdict, because: nil)
    }
    recordConfigurationChange(result, resolved)
    report(
      result, of: resolved.account, resolved, isSilent: hidesRefusals && !result.isAccepted)
    guard mayTryAgain(after: result, resolved) else {
      return SignInConclusion(verdict, because: result)
    }
    return SignInConclusion(result.isCounted ? .tryAgain : .askAgain, because: result)
  }

  /// Logs a step of the decision, if the module's arguments ask for it. The log never contains an
  /// answer or its length.
  func trace(
    _ resolved: Resolved, _ step: StaticString, _ details: (inout LogLine) -> Void
  ) {
    guard resolved.options.debug else { return }
    var line = LogLine()
    line.add("step", step)
    details(&line)
    application.log(.debug, line)
  }

  /// Shows a message in the language of the sign-in.
  func tell(_ message: SignInMessage, _ resolved: Resolved, essential: Bool) {
    tell(resolved.text(message), essential: essential)
  }

  /// Shows a text in lines that windows of every usual width show without breaking words.
  func tell(_ text: MessageText, essential: Bool) {
    application.tell(
      text.wrapped(to: MessageText.moduleColumns).string, essential: essential)
  }

  func report(
    _ result: SignInResult, of account: Account?, _ resolved: Resolved, isSilent: Bool
  ) {
    if let (priority, line) = result.logLine(request, account: account, state: resolved.state) {
      application.log(priority, line)
    }
    audit(result, account)
    guard !isSilent, resolved.state != .observe,
      let message = result.message(isRetried: mayTryAgain(after: result, resolved))
    else { return }
    let isLocked = message == .locked && resolved.settings.recoveryUnlocks
    tell(
      isLocked ? .lockedUntilRecoveryCode : message, resolved, essential: result.isEssential)
  }
}
