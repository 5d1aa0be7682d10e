import MFAAttempt
import MFABase
import MFAMessages
import MFAModel
import MFAStore
import MFAWire

// The enrolment of a phone during a sign-in: the number, and the code that is sent to it.
//
// MUST 1: each message counts for the limits of the user, of the number and of the host, before it is sent.
// An abandoned enrolment gives none of them back. (`PhoneDialogTests.limits`)
// MUST 2: no lock is held while the gateway is at work. (`PhoneDialogTests.noLock`)
// MUST 3: the user reads that a message may cost something before the number is typed.
// (`PhoneDialogTests.enrolls`)
extension SignInEnrollment {
  /// Asks for the number, below a text.
  func askingForNumber(_ state: EnrollmentState, after above: [UInt8]) throws(Pause) -> Pause {
    var next = state
    next.isOfPhone = true
    let question = text.numberQuestion(after: above)
    return try asking(SecretBytes(copying: question.span), .enrollmentNumber, next)
  }

  private func askingForCode(_ state: EnrollmentState, after above: [UInt8]) throws(Pause) -> Pause
  {
    let question = text.sentCodeQuestion(after: above)
    return try asking(SecretBytes(copying: question.span), .enrollmentSentCode, state)
  }

  /// Sends a code to the number that was typed.
  func takeNumber(_ reply: consuming Reply) throws(Pause) -> SignInResult {
    switch consume reply {
    case .absent: throw .obstacle(.noConversation)
    case .tooLong: throw try asking(afterNumber: .failure(text.failure(.numberTooLong)))
    case .text(let answer):
      // sshd itself answers for a user whom it will deny.
      guard answer.isTypedByUser else { throw .obstacle(.noConversation) }
      guard answer.count > 0 else { throw .obstacle(.abandoned) }
      throw try asking(afterNumber: send(to: answer))
    }
  }

  /// Compares the code that was typed, or sends another one.
  func takeSentCode(_ reply: consuming Reply) throws(Pause) -> SignInResult {
    guard case .text(let answer) = consume reply, answer.count > 0, var phone = state.phone else {
      throw .obstacle(.abandoned)
    }
    try checkTime()
    if DeviceList.position(requestedBy: answer.span) == 0 {
      throw try asking(afterNumber: send(to: phone.typedNumber))
    }
    var next = state
    let typed = phone.confirm(answer)
    next.phone = phone
    if case .right = typed {
      if let message = phone.message { signIn.host.codeSender.markReturned(message) }
      next.namesLeft = Self.maximumNames
      throw try askingForName(next, isRepeated: false)
    }
    guard next.triesLeft > 1 else { throw .obstacle(.wrongSentCodes) }
    next.triesLeft &-= 1
    throw try askingForCode(next, after: text.signIn(.wrongCode))
  }

  /// What became of a number.
  private enum Sending {
    case sent(PhoneDraft)
    /// Nothing was sent, and why.
    case failure([UInt8])
  }

  /// Returns the next question. After a failure, a code that was sent before stays valid.
  private func asking(afterNumber sending: Sending) throws(Pause) -> Pause {
    var next = state
    guard next.changesLeft > 0 else { throw .obstacle(.abandoned) }
    next.changesLeft &-= 1
    switch sending {
    case .sent(let phone):
      next.phone = phone
      next.triesLeft = Self.maximumWrongAnswers
      return try askingForCode(next, after: text.signIn(.codeSent(number: phone.masked.ascii)))
    case .failure(let reason):
      guard next.phone == nil else { return try askingForCode(next, after: reason) }
      return try askingForNumber(next, after: reason)
    }
  }

  private func send(to typed: borrowing SecretBytes) throws(Pause) -> Sending {
    try checkTime()
    guard state.changesLeft > 0 else { throw .obstacle(.abandoned) }
    let number: PhoneNumber
    do throws(PhoneNumber.Refusal) {
      number = try PhoneNumber(typed: typed.span)
    } catch {
      return .failure(text.failure(FailureMessage(error)))
    }
    let phone: PhoneDraft
    switch try draft(for: number) {
    case .refused(let refusal): return .failure(try reason(refusal))
    case .begun(let draft): phone = draft
    }
    let result = phone.send(
      by: signIn.host.codeSender, issuer: settings.issuer ?? signIn.host.name(),
      in: resolved.language)
    signIn.log(result, resolved, account)
    if case .failed = result { return .failure(text.failure(.messageNotSent)) }
    return .sent(phone)
  }

  /// Makes a code, and counts the message that it is sent with.
  private func draft(
    for number: borrowing PhoneNumber
  ) throws(Pause) -> PhoneDraft.Beginning {
    // Policy is checked first, so that a refused number creates no files.
    if let refusal = PhoneDraft.refusal(of: number, settings) { return .refused(refusal) }
    let context = signIn.context(resolved)
    return try Machine.Store.deciding(unless: { !$0.isConflict }) {
      () throws(Pause) -> PhoneDraft.Beginning in
      let entry = try storing { () throws(FactorStoreError) in
        try store.entry(of: account, creating: true)
      }
      try checkUnchanged(entry)
      return try storing { () throws(FactorStoreError) in
        try PhoneDraft.begin(
          number, of: account, in: entry, context, by: signIn.host.codeSender)
      }
    }
  }

  /// Logs why a number gets no code, and returns what the user is told.
  private func reason(_ refusal: PhoneDraft.Refusal) throws(Pause) -> [UInt8] {
    var line = LogLine()
    line.add("result", "code-not-sent")
    line.add("reason", refusal.name)
    signIn.log(line, .warning, account)
    switch refusal {
    // The hint is for users of mfa-enroll.
    case .region: return text.failure(.phoneRegionNotAllowed, withHint: false)
    case .userLimit(let seconds), .hostLimit(.numberHourly(let seconds)):
      return text.failure(.tooManyMessages(seconds: seconds))
    // The user cannot know when an administrator changes that.
    case .hostLimit: return text.failure(.messageNotSent)
    case .notSupported: throw .obstacle(.noGateway)
    case .alreadyEnrolled, .tooManyFactors: throw .obstacle(.enrolledMeanwhile)
    }
  }
}

extension FailureMessage {
  /// Why text is not a phone number.
  fileprivate init(_ refusal: PhoneNumber.Refusal) {
    self =
      switch refusal {
      case .noPlus: .numberWithoutPlus
      case .notDigits: .numberWithOtherCharacters
      case .noSuchCallingCode: .numberOfNoCountry
      case .tooShort: .numberTooShort
      case .tooLong: .numberTooLong
      }
  }
}
