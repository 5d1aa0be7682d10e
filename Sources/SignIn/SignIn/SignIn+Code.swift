import MFAWire
import MFAPAMStack
import MFAAttempt
import MFAModel
import MFABase
import MFAStore
import MFAMessages

// Sign-ins of enrolled users: asking for a code and verifying it.
extension SignIn {
  /// Verifies a code of an enrolled user.
  ///
  /// With `try_first_pass` and `use_first_pass`, the text typed for an earlier module is tried
  /// first. With `use_first_pass`, the user is never asked. With `try_first_pass`, the user is
  /// asked if the text was not accepted, unless attempts are throttled or locked.
  func proveCode(
    _ check: CodeCheck<Machine.Store>
  ) throws(Pause) -> SignInResult {
    let (options, resolved) = (check.resolved.options, check.resolved)
    if options.usesFirstPass
      || options.triesFirstPass && !resolved.continuation.hasTriedEarlierAnswer
    {
      let result = try verify(application.takeEarlierAnswer(), .afterPassword, in: check)
      if options.usesFirstPass { return result }
      guard case .denied(.code(let rejected)) = result, !rejected.mustWait else { return result }
      if result.auditedSuccess != nil {
        report(result, of: check.account, resolved, isSilent: options.forwardsPass)
      }
      resolved.continuation.hasTriedEarlierAnswer = true
    }
    trace(resolved, "question") { line in
      line.add("shape", options.forwardsPass ? "password-and-code" : "code")
    }
    let phones = resolved.asksForRecoveryCode ? [] : phones(check)
    if !phones.isEmpty { return try proveCode(check, phones) }
    if resolved.settings.promptHints, !resolved.asksForRecoveryCode {
      return try proveListedCode(check)
    }
    let answer = try ask(
      resolved.question, echo: options.echo, resolved.continuation.asking(.code),
      about: check.record, resolved)
    return try verify(answer, options.forwardsPass ? .afterPassword : .codeAlone, in: check)
  }

  /// The expected content of an answer.
  enum AnswerShape {
    case codeAlone, afterPassword
  }

  /// Verifies an answer. If a factor is `named`, only its codes are accepted.
  func verify(
    _ reply: consuming Reply, _ shape: AnswerShape, of named: FactorID? = nil,
    in check: CodeCheck<Machine.Store>
  ) throws(Pause) -> SignInResult {
    switch consume reply {
    case .absent: return .notACode(.noAnswer)
    case .tooLong: return .notACode(.tooLong)
    case .text(let answer):
      let codes: TypedCodes =
        switch shape {
        case .codeAlone: TypedCodes(whole: answer.span)
        case .afterPassword: TypedCodes(endOf: answer.span)
        }
      let options = check.resolved.options
      guard Attempt.mayBeCode(codes, of: check.record, factor: named) else {
        try attemptOnDecoy(codes, like: check.record, in: check.store, check.resolved)
        let reason: Attempt.NotACode =
          !answer.isTypedByUser
          ? .withheldBySSHD
          : check.record.isEnrolled
            ? .somethingElse
            : .noBypassCode(isExplained: isFirstFactorCertain(check.account, check.resolved))
        return try forward(answer, nil, after: .notACode(reason), options)
      }
      let (result, length) = try attempt(codes, of: named, in: check)
      return try forward(answer, length, after: SignInResult(result), options)
    }
  }

  /// Returns the context of an attempt.
  func context(
    of factor: FactorID? = nil, places: [SignInOrigin] = [], _ resolved: Resolved,
    isFirstFactorCertain: Bool = false,
    session: @escaping () -> SignInOrigin? = { nil }
  ) -> Attempt.Context {
    // A user's own process is told nothing that happened since the last sign-in: it could hide that.
    let showsMessages =
      application.showsMessages && resolved.state != .observe && identity.actsAsRoot
    return Attempt.Context(
      settings: resolved.settings, clock: host.attemptClock, source: host.located(request.source),
      client: identity.actsAsRoot ? client : nil, program: request.service, factor: factor,
      places: places, showsMessages: showsMessages, isShown: request.isAtTerminal,
      showsClockHint: showsMessages,
      searchesOtherTimes: isFirstFactorCertain && resolved.state != .observe
        && identity.actsAsRoot,
      tellsInSession: { tellsInSession },
      allowsEnrollment: identity.actsAsRoot,
      failedTries: identity.actsAsRoot ? UInt32(resolved.continuation.failedTries) : 0,
      counter: counter(of: resolved.account), session: session)
  }

  /// Makes an attempt. Returns the result and how many bytes at the end of the answer are the code.
  private func attempt(
    _ codes: TypedCodes, of named: FactorID?, in check: CodeCheck<Machine.Store>
  ) throws(Pause) -> (result: Attempt.Result, length: Int?) {
    let (resolved, store, record) = (check.resolved, check.store, check.record)
    let context = context(
      of: named, places: check.places, resolved,
      isFirstFactorCertain: isFirstFactorCertain(check.account, resolved)
    ) { sendingSession(of: record) }
    let report: Attempt.Report
    do throws(FactorStoreError) {
      report = try Attempt.make(codes, by: check.account, in: store, context)
    } catch {
      throw .store(error)
    }
    let (result, notices) = (report.result, report.notices)
    let length = report.typedLength ?? Attempt.shortestCode(codes, of: record)
    if case .accepted = result { useLanguage(of: record, resolved) }
    if let message = report.message { host.codeSender.markReturned(message) }
    if report.clockMayBeWrong { tell(.clockMayBeWrong, resolved, essential: false) }
    if case .rejected(.ofAnotherTime(let secondsAhead, let wait)) = result, wait > 0 {
      tell(.codeOfAnotherTime(secondsAhead: secondsAhead), resolved, essential: true)
    }
    // The mail is sent first, because an attacker may never answer the question that follows.
    deliver(after: result, record, to: check.account)
    tell(notices, of: record, resolved)
    return (result, length)
  }

  /// Starts the mail about the use of a code and about earlier changes that have not been mailed
  /// yet.
  private func deliver(
    after result: Attempt.Result, _ record: FactorRecord, to account: Account
  ) {
    switch result {
    case .accepted(.factor): guard record.noticesMailed < record.lastNotice else { return }
    case .accepted: break
    case .rejected: return
    }
    guard !host.deliverNotices(to: account) else { return }
    application.log(.warning, Delivery.failure(for: account))
  }

  /// Passes the text before a code of `length` bytes to the next module, if the arguments ask for
  /// that. This happens after a wrong code too: the next module then checks a password for every
  /// user and does not ask for it.
  func forward(
    _ answer: borrowing SecretBytes, _ length: Int?, after result: SignInResult,
    _ options: ModuleOptions
  ) throws(Pause) -> SignInResult {
    guard options.forwardsPass else { return result }
    var count = answer.count &- (length ?? 0)
    if count <= 0 {
      // The answer was the code alone, and it was accepted. The next module asks for the password
      // itself.
      guard !result.isAccepted else { return result }
      count = answer.count
    }
    application.add(.forward(answer.prefix(count)))
    return result
  }
}

extension SecretBytes {
  /// Whether the user gave this answer. If sshd will deny the user, sshd itself answers: backspace,
  /// line feed, carriage return, delete and further bytes.
  var isTypedByUser: Bool {
    let mark: [UInt8] = [0x08, 0x0A, 0x0D, 0x7F]
    guard count >= mark.count else { return true }
    for index in mark.indices where span[index] != mark[index] { return true }
    return false
  }
}

/// The verification of a code in one sign-in.
final class CodeCheck<Store: FactorStore> {
  /// The account whose factors count, which may be another name of the same user.
  let account: Account
  let store: Store
  let record: FactorRecord
  /// The address and session for which an accepted code is remembered.
  let places: [SignInOrigin]
  let resolved: ResolvedSignIn<Store>

  init(
    account: Account, store: Store, record: FactorRecord, places: [SignInOrigin],
    resolved: ResolvedSignIn<Store>
  ) {
    self.account = account
    self.store = store
    self.record = record
    self.places = places
    self.resolved = resolved
  }
}
