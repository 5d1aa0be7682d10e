import MFAAttempt
import MFABase
import MFAMessages
import MFAModel
import MFAStore
import MFAWire

// The offer to enrol, which the user may put off, in the `account` line.
//
// MUST 1: only a sign-in that could show the question counts. (`OfferDialogTests.cannotAsk`)
// MUST 2: an enrolment that was offered and given up denies nothing: it is put off. (`OfferDialogTests.givenUp`)
// MUST 3: nothing is offered that the host refuses. (`PhoneDialogTests.notSetUp`)
extension SignIn {
  /// Whether the `account` line of this sign-in offers an enrolment to a user who may put it off.
  func offersEnrollment(_ resolved: Resolved) -> Bool {
    let settings = resolved.settings
    return settings.enrollment == .offered && settings.canEnroll && resolved.state == .enabled
      && identity.actsAsRoot
  }

  /// Offers the enrolment, and enrols the user who accepts the offer. Returns nil if the offer has ended.
  func offered(
    _ account: Account, _ store: Machine.Store, _ resolved: Resolved
  ) throws(Pause) -> SignInResult? {
    let settings = resolved.settings
    guard try mayPutOff(settings, account, store) else { return nil }
    guard settings.canEnroll else { return .passed(.notEnrolled) }
    // The note says that the `auth` line took part in this sign-in: sudo that asks for no password, sshd with a
    // key alone and cron have no user who could answer.
    guard offersEnrollment(resolved), application.isNoted(.enrollment, of: account.name) else {
      return .passed(.offered(try rest(of: settings.offer, account, store)))
    }
    let enrollment = SignInEnrollment(
      signIn: self, resolved: resolved, account: account, store: store, isOffered: true)
    if !resolved.continuation.phase.isOfEnrollment {
      switch try answerToOffer(account, store, resolved) {
      case .now: break
      case .later: return try putOff(settings.offer, account, store)
      case .notShown: return .passed(.offered(try rest(of: settings.offer, account, store)))
      }
    }
    let result = try enrollment.run()
    guard case .denied(.enrollmentRequired(let obstacle)) = result, obstacle != .enrolledMeanwhile
    else { return result }
    tell(.deviceNotAdded(command: settings.enrollmentCommand), resolved, essential: true)
    return try putOff(settings.offer, account, store) ?? result
  }

  /// What the user wants.
  private enum OfferAnswer {
    case now, later
    /// The application has not shown the question.
    case notShown
  }

  private func answerToOffer(
    _ account: Account, _ store: Machine.Store, _ resolved: Resolved
  ) throws(Pause) -> OfferAnswer {
    let record: FactorRecord?
    do throws(FactorStoreError) { record = try store.kept(for: account) } catch {
      throw .store(error)
    }
    let offer = try rest(of: resolved.settings.offer, account, store, afterThis: true)
    let question = EnrollmentText(language: resolved.language).offer(offer.text(resolved))
    let reply = try ask(
      question, echo: true, resolved.continuation.asking(.offer), about: record, resolved)
    switch consume reply {
    // On the user's own terminal, Ctrl-D is an answer. Other applications cannot ask.
    case .absent: return request.isAtTerminal ? .later : .notShown
    case .tooLong: return .later
    case .text(let answer):
      guard answer.isTypedByUser else { return .notShown }
      return resolved.language.isYes(answer.span.copied()) ? .now : .later
    }
  }

  /// Returns how long the enrolment may be put off, also `afterThis` sign-in. A user's own process belongs to a
  /// session, and the sign-in that started it was counted.
  private func rest(
    of offer: Settings.Offer, _ account: Account, _ store: Machine.Store, afterThis: Bool = false
  ) throws(Pause) -> SignInResult.Offer {
    guard let signIns = offer.signIns, identity.actsAsRoot else {
      return SignInResult.Offer(signInsLeft: nil, lastDay: offer.lastDay)
    }
    let made = Int64(try postponedSignIns(account, store)) + (afterThis ? 1 : 0)
    return SignInResult.Offer(signInsLeft: max(Int64(signIns) - made, 0), lastDay: offer.lastDay)
  }

  /// Counts a sign-in of a user who puts the enrolment off. Returns nil if the offer has ended meanwhile.
  private func putOff(
    _ offer: Settings.Offer, _ account: Account, _ store: Machine.Store
  ) throws(Pause) -> SignInResult? {
    let now = try now()
    guard let signIns = offer.signIns else {
      guard offer.allowsPostponing(afterSignIns: 0, now: now) else { return nil }
      return .passed(
        .offered(SignInResult.Offer(signInsLeft: nil, lastDay: offer.lastDay, isShown: true)))
    }
    do throws(FactorStoreError) {
      return try store.deciding { () throws(FactorStoreError) in
        let entry = try store.entry(of: account, creating: true)
        guard entry.record == nil else {
          return .denied(.enrollmentRequired(.enrolledMeanwhile))
        }
        let state = entry.attempts.countingPostponedSignIn()
        guard offer.allowsPostponing(afterSignIns: entry.attempts.postponedSignIns, now: now)
        else { return nil }
        try entry.write(state)
        try entry.sync()
        let left = Int64(signIns) - Int64(state.postponedSignIns)
        return .passed(
          .offered(
            SignInResult.Offer(signInsLeft: max(left, 0), lastDay: offer.lastDay, isShown: true)))
      }
    } catch {
      throw .store(error)
    }
  }
}

extension SignInResult.Offer {
  /// Returns what the user reads: what to add, and how long that can be put off.
  func text<Store>(_ resolved: ResolvedSignIn<Store>) -> MessageText {
    let end: MessageText = "\n"
    return resolved.text(.enrollmentOffered(onlyPhones: !resolved.settings.allows(.totp))) + end
      + resolved.text(
        .enrollmentRequiredLater(
          signInsLeft: signInsLeft, lastDay: lastDay.flatMap { WrittenTime(date: $0) }))
  }
}
