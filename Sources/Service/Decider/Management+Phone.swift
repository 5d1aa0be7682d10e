import MFAStore
import MFAAttempt
import MFACrypto
import MFAModel
import MFAMessages
import MFAWire
import MFABase

// The enrolment of phones.
//
// MUST 1: a number is enrolled only after the code that was sent to it was typed, in the same
// conversation, once, within 10 minutes. (`PhoneEnrollmentTests.wrongCodes`, `.deadline`, `.once`)
extension Management {
  /// A code that was sent.
  struct SentCode {
    let number: MaskedPhoneNumber
    let secondsLeft: UInt32
  }

  /// Sends a code to a number that the user wants to enrol.
  mutating func beginPhone(_ typed: borrowing SecretBytes) throws(HelperFailure) -> SentCode {
    let session = try requireSession(for: .binding)
    let context = try context(counter: session.basis.counter)
    guard context.settings.state != .disabled else { throw .multiFactorDisabled }
    let number: PhoneNumber
    do throws(PhoneNumber.Refusal) {
      number = try PhoneNumber(typed: typed.span)
    } catch {
      throw .invalidPhoneNumber(error)
    }
    // Policy is checked first, so that a refused request creates no files.
    if let refusal = PhoneDraft.refusal(of: number, context.settings) { throw refused(refusal) }
    if state.phone == nil {
      tell(.phoneIsRestricted(hasAlternative: context.settings.allows(.totp)))
    }
    // A code that was sent before stays valid if no other one may be sent.
    let draft = try makeDraft(number, session, context)
    state.phone = nil
    let result = draft.send(
      by: host.codeSender, issuer: issuer(context.settings), in: language)
    log(result)
    if case .failed = result { throw .messageNotSent }
    state.phone = draft
    let now = try now()
    let secondsLeft = min(draft.secondsLeft(now), session.deadline &- now)
    return SentCode(number: draft.masked, secondsLeft: Self.seconds(max(secondsLeft, 0)))
  }

  /// Makes a code, and counts the message that it is sent with.
  private func makeDraft(
    _ number: borrowing PhoneNumber, _ session: Session, _ context: Attempt.Context
  ) throws(HelperFailure) -> PhoneDraft {
    let beginning = try deciding { () throws(HelperFailure) -> PhoneDraft.Beginning in
      let entry = try entry(creating: true, session)
      return try storing { () throws(FactorStoreError) in
        try PhoneDraft.begin(number, of: caller, in: entry, context, by: host.codeSender)
      }
    }
    switch beginning {
    case .begun(let draft): return draft
    case .refused(let refusal): throw refused(refusal)
    }
  }

  /// Enrols the number to which a code was sent.
  mutating func confirmPhone(
    _ request: borrowing EnrollmentRequest
  ) throws(HelperFailure) -> FactorID {
    let session = try requireSession(for: .binding)
    let settings = try settingsForEnrolling(.phone)
    guard var typed = state.phone, !typed.isExhausted, typed.secondsLeft(try now()) > 0
    else { throw .sessionExpired }
    let answer = typed.confirm(request.code)
    state.phone = typed
    _ = try Self.step(of: answer)
    let draft = typed
    let name = request.displayName
    var others: [PhoneNotice] = []
    var wait: Int64 = 0
    let enrolled = try enroll(in: session) {
      entry, record, now throws(HelperFailure) -> (Factor, confirmedAt: Int64) in
      guard try !isEnrolled(draft, in: record, entry) else { throw .phoneAlreadyEnrolled }
      let times = PhoneDraft.Times(
        of: draft, in: entry, settings, otherProof: session.otherProof, now: now)
      wait = times.usableFrom &- now
      others = PhoneNotice.notices(for: record.factors, in: entry, settings)
      let factor = try storing { () throws(FactorStoreError) in
        try draft.factor(named: name, at: times, in: record, sealedBy: entry)
      }
      return (factor, now)
    }
    state.phone = nil
    if let message = draft.message { host.codeSender.markReturned(message) }
    let factor = finishEnrollment(enrolled, session)
    phoneNotices = PhoneNotices(message: .phoneAdded(issuer: issuer(settings)), phones: others)
    if wait > 0 { tell(.phoneUsableLater(seconds: wait)) }
    return factor
  }

  private func isEnrolled(
    _ draft: PhoneDraft, in record: FactorRecord, _ entry: Machine.Store.Entry
  ) throws(HelperFailure) -> Bool {
    try storing { () throws(FactorStoreError) in
      try draft.isEnrolled(in: record, entry)
    }
  }

  // MARK: Failures and log lines

  func issuer(_ settings: Settings) -> [UInt8] { settings.issuer ?? Self.hostName() }

  func log(_ result: SentCodeRequest.Result) {
    var line = LogLine()
    let priority = result.describe(in: &line)
    addCaller(to: &line)
    log(priority, line)
  }

  /// Logs why no code was sent, and returns what the client is told.
  private func refused(_ refusal: PhoneDraft.Refusal) -> HelperFailure {
    var line = LogLine()
    line.add("result", "code-not-sent")
    line.add("reason", refusal.name)
    addCaller(to: &line)
    log(.warning, line)
    return switch refusal {
    case .notSupported: .phonesNotSupported
    case .region: .phoneRegionNotAllowed
    case .alreadyEnrolled: .phoneAlreadyEnrolled
    case .tooManyFactors: .maximumSecondFactorCountExceeded
    case .userLimit(let seconds): .tooManyMessages(seconds: Self.seconds(seconds))
    case .hostLimit(let limit): HelperFailure(limit)
    }
  }
}

extension HelperFailure {
  init(_ refusal: SendLog.Refusal) {
    switch refusal {
    case .numberHourly(let seconds): self = .tooManyMessages(seconds: UInt32(clamping: seconds))
    // The user cannot know when an administrator changes that.
    case .hostDaily, .breaker: self = .messageNotSent
    }
  }
}
