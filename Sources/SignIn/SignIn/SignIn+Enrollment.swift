import MFAWire
import MFAStore
import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFAMessages

/// Why an enrolment during a sign-in did not succeed.
enum EnrollmentError: Error {
  case obstacle(EnrollmentObstacle)
  case failure(SignInResult.Failure)

  /// Whether the stored data changed before the enrolment was committed.
  var isConflict: Bool {
    guard case .failure(.store(.engine(.conflict))) = self else { return false }
    return true
  }
}

/// Enrolment during a sign-in. All text is part of a question, because some applications do not
/// show other messages.
///
/// MUST 1: enrolment begins only after the first factor has been proven in the same sign-in.
/// (`EnrollmentDialogTests.onlyAfterTheFirstFactor`)
/// MUST 2: nothing is written before a code of the new secret is accepted. Then factor, watermark
/// and recovery codes are written together. (`EnrollmentDialogTests.nothingEnrolled`)
/// MUST 3: no lock is held while the user is asked. (`EnrollmentDialogTests.noLockAtThePrompt`)
/// MUST 4: a factor that was enrolled in the meantime stays unchanged, and this sign-in is denied.
/// (`EnrollmentDialogTests.enrolledMeanwhile`)
struct SignInEnrollment<Machine: Host, Asker: Application> {
  let host: Machine
  let application: Asker
  let account: Account
  let source: Source
  /// The PAM service.
  let service: [UInt8]
  let settings: Settings
  let store: Machine.Store
  let text: EnrollmentText
  /// The number of seconds after which the application ends the sign-in, or nil if it does not.
  let secondsLeft: Int64?

  /// The time limit for the whole enrolment, in seconds. NIST SP 800-63B-4, section 4.1, allows ten
  /// minutes for a binding code.
  static var longest: Int64 { 600 }

  /// The shortest time in which a user can enrol, in seconds.
  static var shortest: Int64 { 45 }

  /// The number of wrong answers that ends the enrolment.
  static var maximumWrongAnswers: Int { 3 }

  /// How often the user may have the key shown in another form.
  static var maximumChanges: Int { 5 }

  /// How often the user is asked for a name before the usual one is taken.
  static var maximumNames: Int { 3 }

  /// The time limit for this enrolment, in seconds.
  private var limit: Int64 { min(secondsLeft ?? Self.longest, Self.longest) }

  // MARK: Flow

  func run() throws(SignInResult.Failure) -> SignInResult {
    do throws(EnrollmentError) {
      guard limit >= Self.shortest else { throw .obstacle(.tooLittleTime(seconds: max(limit, 0))) }
      let start = try now()
      let form = try askForForm()
      let draft = try newDraft()
      let step = try confirmation(of: draft, in: form, since: start)
      let day = Self.day(of: start)
      let name = try askForName(on: day)
      try checkTime(since: start)
      let enrolled = try commit(ConfirmedDraft(draft: draft, step: step, name: name))
      if !host.deliverNotices(to: account) {
        application.log(.warning, Delivery.failure(for: account))
      }
      showRecoveryCodes(enrolled, on: day)
      return .allowed(.enrolledNow(enrolled.factor, enrolled.checkpoint))
    } catch {
      switch error {
      case .obstacle(let obstacle): return .denied(.enrollmentRequired(obstacle))
      case .failure(let failure): throw failure
      }
    }
  }

  /// Explains the requirement, and asks how the key is to be shown. If there is no answer at all, the
  /// application cannot ask questions.
  private func askForForm() throws(EnrollmentError) -> EnrollmentForm {
    switch askFirst(text.firstQuestion(seconds: limit)) {
    case .none: throw .obstacle(.noConversation)
    case .tooLong: return .text
    case .text(let answer):
      // sshd itself answers for a user whom it will deny.
      guard answer.isTypedByUser else { throw .obstacle(.noConversation) }
      return EnrollmentForm(number: answer) ?? .text
    }
  }

  /// Asks the first question. If it tells the time that is left, its text is different in another
  /// run, so the sign-in must not begin again with the answer.
  private func askFirst(_ question: [UInt8]) -> Reply {
    guard secondsLeft != nil else { return application.ask(question, echo: true) }
    return application.ask(revealing: SecretBytes(copying: question.span), echo: true)
  }

  /// What the user typed in reply to the question for a code.
  private enum CodeAnswer {
    case code(step: Int64)
    case form(EnrollmentForm)
    case wrong
  }

  /// Asks for a code of the new secret, and returns its time step.
  private func confirmation(
    of draft: EnrollmentDraft, in form: EnrollmentForm, since start: Int64
  ) throws(EnrollmentError) -> Int64 {
    var question = shown(draft, form)
    var triesLeft = Self.maximumWrongAnswers
    var changesLeft = Self.maximumChanges
    while true {
      let reply = application.ask(revealing: question, echo: true)
      switch try codeAnswer(reply, draft, since: start) {
      case .code(let step): return step
      case .form(let form) where changesLeft > 0:
        changesLeft &-= 1
        question = shown(draft, form)
      case .form, .wrong:
        triesLeft &-= 1
        guard triesLeft > 0 else { throw .obstacle(.wrongCodes) }
        question = text.questionAfterWrongCode()
      }
    }
  }

  private func codeAnswer(
    _ reply: consuming Reply, _ draft: EnrollmentDraft, since start: Int64
  ) throws(EnrollmentError) -> CodeAnswer {
    switch consume reply {
    case .none: throw .obstacle(.abandoned)
    case .tooLong: throw .obstacle(.abandoned)
    case .text(let answer):
      guard answer.count > 0 else { throw .obstacle(.abandoned) }
      try checkTime(since: start)
      if let form = EnrollmentForm(number: answer) { return .form(form) }
      guard let step = try step(of: answer, draft, now: try now()) else { return .wrong }
      return .code(step: step)
    }
  }

  /// Ends the enrolment if its time is over. If the clock was set back, the elapsed time is unknown.
  private func checkTime(since start: Int64) throws(EnrollmentError) {
    let (elapsed, overflow) = try now().subtractingReportingOverflow(start)
    guard !overflow, elapsed >= 0, elapsed <= limit else { throw .obstacle(.tooLate) }
  }

  /// Asks for the name of the device. The usual name has the day.
  private func askForName(on day: [UInt8]) throws(EnrollmentError) -> DisplayName {
    let usual = try Self.usualName(on: day)
    var isRepeated = false
    for _ in 0..<Self.maximumNames {
      let question = text.nameQuestion(usual: usual.utf8, isRepeated: isRepeated)
      isRepeated = true
      switch application.ask(question, echo: true) {
      case .none: throw .obstacle(.abandoned)
      case .tooLong: continue
      case .text(let answer):
        do throws(DisplayName.Refusal) {
          return try DisplayName(answer.span.copied())
        } catch {
          if error == .empty { return usual }
        }
      }
    }
    return usual
  }

  /// Returns the day of a time in the host's time zone, such as 2027-01-31.
  private static func day(of time: Int64) -> [UInt8] { Array(HostTime(time).text.prefix(10)) }

  private static func usualName(on day: [UInt8]) throws(EnrollmentError) -> DisplayName {
    do throws(DisplayName.Refusal) {
      return try DisplayName(("phone " as StaticString).bytes + day)
    } catch {
      throw .failure(.store(.damaged(.record)))
    }
  }

  private func step(
    of answer: borrowing SecretBytes, _ draft: EnrollmentDraft, now: Int64
  ) throws(EnrollmentError) -> Int64? {
    do throws(EnrollmentDraft.Refusal) {
      return try draft.confirm(
        answer, adjacentIntervals: settings.adjacentIntervals, now: now)
    } catch {
      switch error {
      case .notACode, .wrongCode: return nil
      case .cryptography: throw .failure(.store(.cryptography))
      case .store(let error): throw .failure(.store(error))
      }
    }
  }

  // MARK: Text

  /// Returns the key in a form, and the prompt for a code.
  private func shown(_ draft: EnrollmentDraft, _ form: EnrollmentForm) -> SecretBytes {
    let issuer = settings.issuer ?? host.name()
    let url = draft.withSecret { secret in
      OTPAuthURI.make(
        secret: secret, account: account.name.span, issuer: issuer.span,
        parameters: draft.parameters)
    }
    let key = draft.withSecret { Base32.encode($0) }
    return text.key(key, url: url, as: form)
  }

  /// Shows the recovery codes. The answer does not matter, because the factor is already enrolled.
  private func showRecoveryCodes(_ enrolled: EnrolledInSignIn, on day: [UInt8]) {
    let heading = SignInEnrollmentMessage.recoveryCodes(
      user: account.name, host: host.name(), day: day)
    let question = enrolled.codes.withSpan { text.recoveryCodes($0, under: heading) }
    _ = application.ask(revealing: question, echo: true)
  }
}
