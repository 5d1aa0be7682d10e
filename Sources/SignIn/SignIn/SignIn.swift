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
/// remembered, recovery or bypass code, for a program password, and in the `account` line for a user who is enrolled or
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
///
/// A sign-in is a function from a request to a reply. It asks a question by ending with it (`Pause`); the
/// answer comes in the next request, with a sealed `Continuation`.
package struct SignIn<Machine: Host> {
  let line: ModuleLine
  let request: SignInRequest
  let host: Machine
  /// Who runs the application. Only one that acts as root is believed, and signs in other users.
  let identity: ProcessIdentity
  let application: CallingApplication

  /// What a request led to.
  package struct Step: Sendable {
    /// The reply to the module.
    package let reply: SignInReply
    /// The results, one for each try that the request ended.
    package fileprivate(set) var results: [SignInResult]
    /// The verdict, or nil before the end of the line.
    package let verdict: Verdict?
  }

  /// Prepares the reply to a request of an application that runs with this identity.
  package init(_ call: consuming SignInCall, host: Machine, identity: ProcessIdentity) {
    line = call.line
    request = call.request
    self.host = host
    self.identity = identity
    application = CallingApplication(call, actsAsRoot: identity.actsAsRoot)
  }

  /// A sign-in with the store of this host.
  typealias Resolved = ResolvedSignIn<Machine.Store>

  /// Returns the reply.
  package func step() -> Step {
    switch line {
    case .auth: return authenticated()
    case .account:
      return concluded { resolved throws(Pause) in
        conclude(try accountCheck(resolved), resolved, hidesRefusals: false)
      }
    case .session:
      return concluded { resolved throws(Pause) in
        beginSession(resolved)
        return Conclusion(.deny, because: nil)
      }
    }
  }

  /// Whether root started the application. False if another user started it and gains root's
  /// privileges through it, as with `su`.
  var isCalledByRoot: Bool { identity.user == 0 }

  /// Replies to the `auth` line: tries codes until a question is asked or there is a verdict. Each try
  /// decides anew from the current configuration and record, for every user.
  private func authenticated() -> Step {
    var next: Continuation?
    var results: [SignInResult] = []
    while true {
      var isFinal = true
      var step = concluded { resolved throws(Pause) in
        if let next { resolved.continuation = next }
        let conclusion = try authenticate(resolved)
        guard mayTryAgain(after: conclusion.result, resolved) else { return conclusion }
        var continuation = resolved.continuation
        continuation.nextTry(isCounted: conclusion.result?.isCounted ?? false)
        next = continuation
        isFinal = false
        return conclusion
      }
      results += step.results
      guard isFinal else { continue }
      step.results = results
      return step
    }
  }

  private func authenticate(_ resolved: Resolved) throws(Pause) -> Conclusion {
    let stack = secureShellStack
    // The code is verified before the password, so a message would reveal which users are enrolled.
    // A program without root's privileges, such as a screen locker, serves only its own user.
    let hidesRefusals =
      resolved.options.takesProgramPassword
      || resolved.options.forwardsPass && !isOwn(resolved.account)
    let result = refusingUnproven(try authentication(resolved), resolved, stack)
    let conclusion = conclude(result, resolved, hidesRefusals: hidesRefusals)
    guard conclusion.verdict == .tooManyAttempts else { return conclusion }
    // sshd ends the sign-in after too many attempts, and only enrolled users can cause that.
    return Conclusion(hidesRefusals ? .deny : ending, because: conclusion.result)
  }

  /// What a line decided.
  struct Conclusion {
    let verdict: Verdict
    let result: SignInResult?

    init(_ verdict: Verdict, because result: SignInResult?) {
      self.verdict = verdict
      self.result = result
    }
  }

  /// Runs a line to its conclusion, or to a question.
  private func concluded(_ body: (Resolved) throws(Pause) -> Conclusion) -> Step {
    var resolved: Resolved?
    do throws(Pause) {
      let ground = try resolve(needsStoreForUnknownUser: line == .auth)
      resolved = ground
      useHostLanguage(ground)
      if ground.continuation.phase == .notices, application.isAnswered {
        confirmNotices(ground)
        return ended(.deny, because: nil)
      }
      let conclusion = try body(ground)
      return ended(conclusion.verdict, because: conclusion.result)
    } catch {
      return paused(error, resolved)
    }
  }

  private func paused(_ pause: Pause, _ resolved: Resolved?) -> Step {
    guard let resolved else {
      guard case .facts = pause else { return ended(.deny, because: nil) }
      return Step(reply: SignInReply([], .facts), results: [], verdict: nil)
    }
    switch pause {
    case .facts: return Step(reply: SignInReply([], .facts), results: [], verdict: nil)
    case .question(let question):
      do throws(Pause) {
        let sealed = try seal(question.continuation, resolved)
        nameFirstQuestion(resolved)
        return Step(
          reply: SignInReply(
            application.effects,
            .question(question.prompt, echo: question.echo, continuation: sealed)),
          results: [], verdict: nil)
      } catch {
        return paused(error, resolved)
      }
    case .failure(let failure): return failed(.failed(failure), resolved)
    case .obstacle(let obstacle): return failed(.denied(.enrollmentRequired(obstacle)), resolved)
    }
  }

  private func failed(_ result: SignInResult, _ resolved: Resolved) -> Step {
    let conclusion = conclude(result, resolved, hidesRefusals: false)
    return ended(conclusion.verdict, because: conclusion.result)
  }

  private func ended(_ verdict: Verdict, because result: SignInResult?) -> Step {
    Step(
      reply: SignInReply(
        application.effects, .verdict(UInt8(truncatingIfNeeded: verdict.rawValue))),
      results: result.map { [$0] } ?? [], verdict: verdict)
  }

  // MARK: Flow

  /// Returns the result of the `auth` line.
  func authentication(_ resolved: Resolved) throws(Pause) -> SignInResult {
    if resolved.options.takesProgramPassword { return try programPasswordLine(resolved) }
    return try orBreakGlass(
      resolved.options.followsKey
        ? authenticationAfterKey(resolved) : authenticationOfUser(resolved), resolved)
  }

  /// Returns the result of an `auth` line, for the user and the sign-in's circumstances.
  func authenticationOfUser(_ resolved: Resolved) throws(Pause) -> SignInResult {
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
    return try result(resolved) { () throws(Pause) in
      guard let account = resolved.account, let store = resolved.store else {
        return try refuse(.denied(.unknownUser), resolved)
      }
      guard signsIn(account, resolved) else {
        return try refuse(.failed(.othersAccount), resolved)
      }
      return try authenticate(account, store, resolved)
    }
  }

  private func authenticate(
    _ account: Account, _ store: Machine.Store, _ resolved: Resolved
  ) throws(Pause) -> SignInResult {
    let (options, settings) = (resolved.options, resolved.settings)
    let isHidden = options.asksForPassword || settings.enrollment != .selfService
    guard let (owner, snapshot) = try enrolled(account, store, isHidden: isHidden) else {
      guard try mayPutOff(settings, account, store) else {
        return try mustEnroll(account, store, resolved)
      }
      // The last factor was removed after the user was asked for its code.
      guard !resolved.continuation.isAboutRecord else {
        return SignInResult(.rejected(.notEnrolled))
      }
      if offersEnrollment(resolved) { application.note(.enrollment, of: account.name) }
      return try pass(.notEnrolled, resolved)
    }
    if resolved.continuation.phase == .breakGlass, resolved.continuation.isOfStore,
      application.isAnswered
    {
      try checkWriting(owner, store)
    }
    useLanguageIfProven(of: snapshot.record, account, resolved)
    if settings.enrollment != .selfService { _ = accountLine() }
    let standing = snapshot.attempts.standing(
      settings.throttle, now: try now(), counter: counter(of: account),
      client: try clientDigest(snapshot, store))
    trace(resolved, "record") { line in
      line.add("factors", Int64(snapshot.record.factors.count))
      line.add("wrong-codes", Int64(snapshot.attempts.failures))
    }
    let memory = try memory(settings)
    // Throttling does not apply to a user who need not give a code, so wrong codes from others do
    // not delay the user.
    if standing != .locked, identity.actsAsRoot,
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
    resolved.asksForRecoveryCode =
      standing == .locked && isFirstFactorCertain(account, resolved)
    return try proveCode(
      CodeCheck(
        account: owner, store: store, record: snapshot.record,
        places: identity.actsAsRoot ? places(memory, resolved) : [], resolved: resolved))
  }

  /// Returns the failures that the attempts of this application are counted among: a program without root's
  /// privileges must not delay the user's sign-ins.
  func counter(of account: Account?) -> AttemptState.Counter {
    if identity.actsAsRoot { return .signIn }
    return isOwn(account) ? .ownProcess : .daemon
  }

  /// Returns whether the application is a process of this user without root's privileges.
  func isOwn(_ account: Account?) -> Bool {
    !identity.actsAsRoot && account?.uid == identity.user
  }

  /// Returns whether the application may sign in this user. A failed lookup says no.
  func signsIn(_ account: Account, _ resolved: Resolved) -> Bool {
    identity.actsAsRoot || isOwn(account)
      || resolved.daemons.contains { $0.signsIn(subject(account, address: nil)) }
  }

  /// Returns the digest of the source, or nil if no source waits longer than others.
  private func clientDigest(
    _ snapshot: FactorSnapshot, _ store: Machine.Store
  ) throws(Pause) -> UInt32? {
    guard !snapshot.attempts.recentTurns.sources.isEmpty else { return nil }
    do throws(FactorStoreError) {
      return try store.digests(of: [client], in: snapshot.record).first?.client
    } catch {
      throw .store(error)
    }
  }

  /// Does the same work as for a user without a factor, and denies. A program that signs in its own user alone gets no
  /// question about others.
  private func refuse(_ result: SignInResult, _ resolved: Resolved) throws(Pause) -> SignInResult {
    guard resolved.account == nil || !resolved.daemons.isEmpty else { return result }
    if let store = resolved.store {
      _ = try snapshot(store, .nobody)
      try readDecoy(store)
    }
    try imitateOtherNames()
    if resolved.settings.enrollment != .selfService { _ = accountLine() }
    try askAndDeny(result, resolved)
    return result
  }

  /// Returns the result of the `account` line.
  func accountCheck(_ resolved: Resolved) throws(Pause) -> SignInResult {
    try result(resolved) { () throws(Pause) in
      guard let account = resolved.account, let store = resolved.store else {
        return .denied(.unknownUser)
      }
      guard signsIn(account, resolved) else { throw .failure(.othersAccount) }
      return try checkAccount(account, store, resolved)
    }
  }

  private func checkAccount(
    _ account: Account, _ store: Machine.Store, _ resolved: Resolved
  ) throws(Pause) -> SignInResult {
    let settings = resolved.settings
    if resolved.options.requiresCode, !hasGivenCode(account) {
      return try withoutCode(account, store, settings)
    }
    if let (_, snapshot) = try enrolled(account, store) {
      useLanguage(of: snapshot.record, resolved)
      // If the `auth` line let the user continue to an enrolment, it has not asked for a code.
      guard application.isNoted(.enrollment, of: account.name) else { return .allowed(.enrolled) }
      return .denied(.enrollmentRequired(.enrolledMeanwhile))
    }
    // A sign-in with a bypass code has already shown the notices, and cannot confirm them.
    if settings.state != .observe, !application.isNoted(.bypass, of: account.name),
      !application.isAnswered
    {
      showPendingNotices(account, store, resolved)
    }
    switch settings.enrollment {
    case .selfService: return .passed(.notEnrolled)
    case .offered:
      if let result = try offered(account, store, resolved) { return result }
    case .required: break
    }
    return try enrollInAccountLine(account, store, resolved)
  }

  /// Returns whether the `auth` line of this transaction accepted a code. The module stores the name that the application
  /// used.
  private func hasGivenCode(_ account: Account) -> Bool {
    application.isNoted(.allowed, of: request.user)
      || application.isNoted(.bypass, of: account.name)
  }

  /// Returns the result for a user who gave no code, in a program that does not ask for one: policy may require none.
  private func withoutCode(
    _ account: Account, _ store: Machine.Store, _ settings: Settings
  ) throws(Pause) -> SignInResult {
    guard try enrolled(account, store) == nil else {
      return .denied(.codeRequired(isEnrolled: true))
    }
    guard try mayPutOff(settings, account, store) else {
      return .denied(.codeRequired(isEnrolled: false))
    }
    return .passed(.notEnrolled)
  }

  // MARK: Results

  /// Returns the result of `line`, unless policy switches the second factor off or the sign-in
  /// could not be resolved. An error denies.
  func result(
    _ resolved: Resolved, of line: () throws(Pause) -> SignInResult
  ) throws(Pause) -> SignInResult {
    if let failure = resolved.failure { return .failed(failure) }
    guard resolved.state != .disabled else { return .passed(.switchedOff) }
    do throws(Pause) {
      return try line()
    } catch {
      guard case .failure(let failure) = error else { throw error }
      return .failed(failure)
    }
  }

  /// Reports a result to the log, the audit log and the user, and returns the verdict. If
  /// `hidesRefusals`, the user gets no message about a result that is not an accepted code.
  private func conclude(
    _ result: SignInResult, _ resolved: Resolved, hidesRefusals: Bool
  ) -> Conclusion {
    let verdict = Verdict(result, state: resolved.state)
    guard !isAbandonedRetry(result, resolved) else { return Conclusion(verdict, because: nil) }
    recordConfigurationChange(result, resolved)
    report(
      result, of: resolved.account, resolved, isSilent: hidesRefusals && !result.isAccepted,
      isLast: true)
    return Conclusion(verdict, because: result)
  }

  /// Logs a step of the decision, if the module's arguments ask for it. The log never contains an
  /// answer or its length.
  func trace(
    _ resolved: Resolved, _ step: StaticString, _ details: (inout LogLine) -> Void
  ) {
    // The steps before a question have been logged when the question was asked.
    guard resolved.options.debug, !application.isAnswered else { return }
    var line = LogLine()
    line.add("step", step)
    details(&line)
    application.log(.debug, line)
  }

  /// Says what the first question of the `auth` line asks for, if the program may show a text of its own in its place.
  private func nameFirstQuestion(_ resolved: Resolved) {
    guard line == .auth, application.continuation.isEmpty, !resolved.options.forwardsPass,
      ServiceProgram(of: request.service).replacesQuestions
    else { return }
    tell(.codeIsNext, resolved, essential: true)
  }

  /// Shows a message in the language of the sign-in.
  func tell(_ message: SignInMessage, _ resolved: Resolved, essential: Bool) {
    tell(resolved.text(message), as: message.style, essential: essential)
  }

  /// Shows a text in lines that the usual window shows without breaking words. ssh may write a prefix before the first
  /// one.
  func tell(_ text: MessageText, as style: SignInEffect.Style, essential: Bool) {
    let isOverSSH = SessionService(request.service) == .sshd
    let lines = text.wrapped(
      to: MessageText.windowColumns, indentation: isOverSSH ? MessageText.prefixColumns : 0)
    let takesInformation = ServiceProgram(of: request.service).takesInformation
    application.add(
      .tell(
        lines.utf8.span, as: style == .information && !takesInformation ? .error : style,
        essential: essential))
  }

  /// Reports a result, the `isLast` one of the line or one before.
  func report(
    _ result: SignInResult, of account: Account?, _ resolved: Resolved, isSilent: Bool,
    isLast: Bool = false
  ) {
    if let (priority, line) = result.logLine(request, account: account, state: resolved.state) {
      application.log(priority, line)
    }
    audit(result, account)
    guard !isSilent, resolved.state != .observe else { return }
    if case .passed(.offered(let offer)) = result {
      if !offer.isShown {
        tell(offer.text(resolved), as: .information, essential: result.isEssential)
      }
      return
    }
    let isRetried = mayTryAgain(after: result, resolved)
    guard let message = result.message(isRetried: isRetried, resolved.settings) else { return }
    var text = resolved.text(message)
    if result.mustWait, SessionService(request.service) == .sshd {
      let separator: MessageText = "\n"
      text = text + separator + resolved.text(.connectionIsOver)
    }
    let isEnd = isLast && !isRetried && result.isDenied
    if isEnd { addClosingPrompt(resolved) }
    tell(text, as: isEnd ? .ending : message.style, essential: result.isEssential)
  }
}
