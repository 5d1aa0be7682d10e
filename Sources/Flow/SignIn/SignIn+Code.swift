import MFAAuthentication
import MFAFactors
import MFAOneTimePassword
import MFAPolicy
import MFASecrets
import MFAStoreFiles
import MFASystem

// Sign-ins of enrolled users: asking for a code and verifying it.
extension SignIn {
  /// Verifies a code of an enrolled user.
  ///
  /// With `try_first_pass` and `use_first_pass`, the text typed for an earlier module is tried
  /// first. With `use_first_pass`, the user is never asked. With `try_first_pass`, the user is
  /// asked if the text was not accepted, unless attempts are throttled or locked.
  func proveCode(
    _ options: ModuleOptions, _ settings: Settings, _ account: Account,
    _ keeper: FactorBackend<Machine.Store>
  ) throws(Outcome.Failure) -> Outcome {
    if options.triesFirstPass || options.usesFirstPass {
      let earlier = application.earlierAnswer()
      let outcome = try judge(
        earlier, .afterPassword, nil, options, settings, account, keeper)
      switch outcome {
      case .attempted(.wrong(let wait)), .attempted(.replayed(_, let wait)):
        if options.usesFirstPass || wait > 0 { return outcome }
        report(
          outcome, account: account, state: settings.state, isSilent: options.forwardsPass)
      case .attempted: return outcome
      case .remembered, .notACode, .notEnrolled, .offered, .enrollmentPending, .enrolledNow,
        .enrollmentRequired, .enrolled, .switchedOff, .unknownUser, .failed:
        if options.usesFirstPass { return outcome }
      }
    }
    trace(options, "question") { line in
      line.add("shape", options.forwardsPass ? "password-and-code" : "code")
    }
    if settings.promptHints {
      return try proveListedCode(options, settings, account, keeper)
    }
    let answer = application.ask(options.question, echo: options.echo)
    let shape: AnswerShape = options.forwardsPass ? .afterPassword : .codeAlone
    return try judge(answer, shape, nil, options, settings, account, keeper)
  }

  /// The expected content of an answer.
  enum AnswerShape {
    case codeAlone, afterPassword
  }

  /// Verifies an answer. If a factor is `named`, only its codes are accepted.
  func judge(
    _ reply: consuming Reply, _ shape: AnswerShape, _ named: FactorID?, _ options: ModuleOptions,
    _ settings: Settings, _ account: Account, _ keeper: FactorBackend<Machine.Store>
  ) throws(Outcome.Failure) -> Outcome {
    switch consume reply {
    case .none: return .notACode(.none)
    case .tooLong: return .notACode(.tooLong)
    case .text(let answer):
      let codes: TypedCodes =
        switch shape {
        case .codeAlone: TypedCodes(whole: answer.span)
        case .afterPassword: TypedCodes(endOf: answer.span)
        }
      guard keeper.mayBeCode(codes, factor: named) else {
        let outcome = Outcome.notACode(Self.kind(of: answer))
        return try forward(answer, nil, after: outcome, options)
      }
      let (outcome, length) = try attempt(
        codes, named, options, settings, account, keeper)
      return try forward(answer, length, after: outcome, options)
    }
  }

  /// Makes an attempt. Returns the outcome and how many bytes at the end of the answer are the
  /// code.
  private func attempt(
    _ codes: TypedCodes, _ named: FactorID?, _ options: ModuleOptions, _ settings: Settings,
    _ account: Account, _ keeper: FactorBackend<Machine.Store>
  ) throws(Outcome.Failure) -> (outcome: Outcome, length: Int?) {
    switch keeper {
    case .helper(let view): return try attemptByHelper(codes, named, view, account)
    case .store(let store, let record, let places):
      let judgement: Attempt.Report
      do throws(FactorStoreError) {
        judgement = try Attempt.make(
          codes, by: account, in: store,
          Attempt.Context(
            settings: settings, clock: host.attemptClock, source: request.source,
            program: request.service,
            factor: named, places: places,
            showsMessages: application.showsMessages && settings.state != .observe,
            isShown: request.isAtTerminal))
      } catch {
        throw .store(error)
      }
      let result = judgement.result
      // The mail is sent first, because an attacker may never answer the question that follows.
      deliver(after: result, record, to: account)
      tell(judgement.news, of: record, account, store, mayAsk: !options.usesFirstPass)
      let length = Self.typedLength(result, codes) ?? Attempt.shortestCode(codes, of: record)
      return (Outcome(result), length)
    }
  }

  /// Starts the mail about the use of a code and about earlier changes that have not been mailed
  /// yet.
  private func deliver(
    after result: Attempt.Result, _ record: FactorRecord, to account: Account
  ) {
    switch result {
    case .accepted: guard record.noticesMailed < record.lastNotice else { return }
    case .recovered, .bypassed: break
    case .wrong, .replayed, .refused, .notACode, .notEnrolled: return
    }
    guard !host.deliverNotices(to: account) else { return }
    application.log(.warning, Delivery.failure(for: account))
  }

  /// Passes the text before a code of `length` bytes to the next module, if the arguments ask for
  /// that. This happens after a wrong code too: the next module then checks a password for every
  /// user and does not ask for it.
  func forward(
    _ answer: borrowing SecretBytes, _ length: Int?, after outcome: Outcome,
    _ options: ModuleOptions
  ) throws(Outcome.Failure) -> Outcome {
    guard options.forwardsPass else { return outcome }
    var count = answer.count - (length ?? 0)
    if count <= 0 {
      // The answer was the code alone, and it was accepted. The next module asks for the password
      // itself.
      guard !outcome.isAccepted else { return outcome }
      count = answer.count
    }
    guard application.forward(answer.prefix(count).span) else { throw .forwarding }
    return outcome
  }

  /// Returns how many bytes at the end of an answer were the code.
  static func typedLength(_ result: Attempt.Result, _ codes: TypedCodes) -> Int? {
    switch result {
    case .accepted(let factor), .replayed(let factor, _):
      Int(factor.parameters.codeLength.rawValue)
    case .recovered, .bypassed:
      codes.recoveryCode == nil
        ? Int(CodeLength.eight.rawValue) : RecoveryCode.writtenLength
    case .wrong, .refused, .notACode, .notEnrolled: nil
    }
  }

  static func kind(of answer: borrowing SecretBytes) -> Outcome.NotACode {
    answer.isTypedByUser ? .somethingElse : .withheldBySSHD
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
