import MFAAttempt
import MFAStore
import MFAModel
import MFAMessages
import MFAWire
import MFABase

// Requests that verify or check something and change no record.
extension Management {
  /// Verifies a code without a sign-in. A recovery code or bypass code is not used up. Returns the response.
  func test(_ typed: borrowing SecretBytes) throws(HelperFailure) -> HelperResponse {
    guard try snapshot() != nil else { throw .factorNotFound }
    let context = try context(counter: .ownProcess, showsClockHint: true)
    let result = try storing { () throws(FactorStoreError) in
      try Attempt.test(
        TypedCodes(whole: typed.span), by: caller, in: try host.store(), context)
    }
    switch result {
    case .attempted(let attempt):
      report(attempt.result, state: context.settings.state)
      if let message = attempt.message { host.codeSender.markReturned(message) }
      tellClockHint(attempt)
      switch attempt.result {
      case .rejected(let rejected): throw HelperFailure(rejected)
      case .accepted(.factor(let factor)): return .signedIn(.factor(factor))
      case .accepted(.recoveryCode), .accepted(.bypassCode): return .signedIn(.factor(nil))
      }
    case .recognized(let code):
      reportRecognized(code)
      return .recognized(code)
    }
  }

  /// Tells the user that a clock is wrong, if the code shows that and the response does not say it.
  func tellClockHint(_ attempt: Attempt.Report) {
    if attempt.clockMayBeWrong { tell(.clockMayBeWrong) }
    guard case .rejected(.ofAnotherTime(let secondsAhead, let wait)) = attempt.result, wait > 0
    else { return }
    tell(.codeOfAnotherTime(secondsAhead: secondsAhead))
  }

  /// Sends the pending notices to the client. They are marked as shown, unless the user must confirm
  /// one of them at a sign-in.
  mutating func readNotices() throws(HelperFailure) {
    let snapshot = try keptSnapshot()
    let pending = try notices(of: snapshot)
    guard let snapshot, !pending.isEmpty else {
      return tell(HelperMessage.noNotices)
    }
    for message in pending.messages(in: language) {
      respond(.notice(text: DisplayText(cleaning: message.utf8)))
    }
    if let confirmation = pending.confirmation { return tell(.noticesStay(until: confirmation)) }
    shownNotices = (pending, of: snapshot.record)
  }

  /// Returns the notices that the caller's session has not caused itself a moment ago.
  func notices(of snapshot: FactorSnapshot?) throws(HelperFailure) -> PendingNotices {
    guard let snapshot else { return .none }
    return PendingNotices(
      snapshot.record, snapshot.attempts.unreported, factor: nil, isShown: false, from: source,
      now: try now())
  }

  /// Marks notices as shown that were sent. If that fails, they are shown again.
  func markShown() {
    guard let (pending, record) = shownNotices else { return }
    do throws(FactorStoreError) {
      try Attempt.markShown(pending, of: record, caller, in: try host.store())
    } catch {
      _ = failure(error)
    }
  }

  func tell(_ message: HelperMessage) { tell(message.text(in: language)) }

  func tell(_ message: SignInMessage) { tell(message.text(in: language)) }

  private func tell(_ text: MessageText) {
    respond(.notice(text: DisplayText(cleaning: text.utf8)))
  }

  /// Throws the failure that an enrolment of a factor with this name would end with. Nothing is
  /// revealed that `list` does not reveal.
  func checkEnrollment(_ name: DisplayName, isPhone: Bool) throws(HelperFailure) {
    let settings = try settings()
    guard settings.state != .disabled else { throw .multiFactorDisabled }
    guard settings.canEnroll(isPhone ? .phone : .totp) else {
      throw isPhone ? .phonesNotSupported : .totpNotSupported
    }
    guard let record = try snapshot()?.record else { return }
    guard record.factors.count < FactorRecord.maximumFactors else {
      throw .maximumSecondFactorCountExceeded
    }
    guard !record.factors.contains(where: { $0.displayName == name }) else {
      throw .secondFactorAlreadyEnrolled
    }
  }
}
