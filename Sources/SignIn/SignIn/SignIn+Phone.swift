import MFAWire
import MFAAttempt
import MFABase
import MFAModel
import MFAMessages
import MFAPAMStack
import MFAStore

// Codes that are sent to the user's phone on request.
//
// MUST 1: nothing about phones is shown, and nothing is sent, before the first factor has been proven,
// or if the answer also contains the password. (`PhoneSignInTests.firstFactor`)
// MUST 2: a request is no attempt. (`PhoneSignInTests.requestIsNoAttempt`)
extension SignIn {
  /// How often the user may request a code in one try. Further requests are wrong answers; the limits
  /// on messages are much lower.
  private static var maximumRequests: UInt8 { 20 }

  /// Returns the phones to which a code can be sent in this sign-in, in the order of enrolment.
  func phones(_ check: CodeCheck<Machine.Store>) -> [PhoneChoice] {
    let resolved = check.resolved
    let record = check.record
    guard !resolved.options.forwardsPass, resolved.settings.canSendCodes,
      resolved.settings.allows(.phone),
      // The application is not asked about a user without a phone. Before the first factor is certain,
      // no further work is done for a user with a phone.
      record.hasPhone, isFirstFactorCertain(check.account, resolved),
      sendingSession(of: record) != nil
    else { return [] }
    return PhoneChoice.all(of: record, resolved.settings)
  }

  /// The session that codes are sent for: this process of the application. Nil if the record has no
  /// phone, or if the process cannot be determined.
  func sendingSession(of record: FactorRecord) -> SignInOrigin? {
    record.hasPhone ? enclosingSessions.first : nil
  }

  /// Asks for a code, and sends one whenever the user requests it.
  func proveCode(
    _ check: CodeCheck<Machine.Store>, _ phones: [PhoneChoice]
  ) throws(Pause) -> SignInResult {
    let resolved = check.resolved
    let question = resolved.ownPrompt ?? Self.question(phones, check)
    while true {
      let answer = try ask(
        question, echo: resolved.options.echo, resolved.continuation.asking(.code),
        about: check.record, resolved)
      guard resolved.continuation.requests < Self.maximumRequests,
        let phone = Self.requested(answer, of: phones)
      else { return try verify(answer, .codeAlone, in: check) }
      resolved.continuation.requests &+= 1
      try sendCode(to: phone, check)
    }
  }

  /// Returns the prompt: with one phone its name and number. With several ones, or if policy asks for it, it is
  /// below a list of all devices.
  private static func question(
    _ phones: [PhoneChoice], _ check: CodeCheck<Machine.Store>
  ) -> [UInt8] {
    let resolved = check.resolved
    var prompt = resolved.text(.codeOrSendChoicePrompt)
    if phones.count == 1, let phone = phones.first {
      let (name, number) = (phone.name.utf8, phone.number.ascii)
      prompt = resolved.text(.codeOrSendPrompt(name: name, number: number))
      guard resolved.settings.promptHints else { return prompt.utf8 }
    }
    return PhoneChoice.list(of: check.record, phones, resolved.settings)
      .text(above: prompt, in: resolved.language)
  }

  /// Returns the phone that an answer requests a code for, or nil for any other answer.
  private static func requested(
    _ reply: borrowing Reply, of phones: [PhoneChoice]
  ) -> PhoneChoice? {
    switch reply {
    case .absent: return nil
    case .tooLong: return nil
    case .text(let answer): return PhoneChoice.requested(by: answer.span, of: phones)
    }
  }

  /// Sends a code, and tells the user what became of it.
  private func sendCode(
    to phone: PhoneChoice, _ check: CodeCheck<Machine.Store>
  ) throws(Pause) {
    let (resolved, store, record) = (check.resolved, check.store, check.record)
    let context = Attempt.Context(
      settings: resolved.settings, clock: host.attemptClock, source: host.located(request.source),
      client: client, program: request.service, session: { sendingSession(of: record) })
    let issuer = resolved.settings.issuer ?? host.name()
    let language = record.language ?? resolved.settings.language
    let result: SentCodeRequest.Result
    do throws(FactorStoreError) {
      result = try SentCodeRequest.send(
        to: phone.id, of: check.account, in: store, context, by: host.codeSender,
        text: { code in
          SecretBytes(
            joining: code.span, PhoneMessage.code(issuer: issuer).text(in: language).utf8.span)
        })
    } catch {
      throw .store(error)
    }
    log(result, resolved, check.account)
    tell(result.message, resolved, essential: true)
  }

  func log(_ result: SentCodeRequest.Result, _ resolved: Resolved, _ account: Account) {
    var line = LogLine()
    let priority = result.describe(in: &line)
    log(line, priority, account)
  }

  /// Writes a line about this sign-in to the system log.
  func log(_ line: LogLine, _ priority: LogPriority, _ account: Account) {
    var line = line
    line.addSignIn(
      user: account.name, service: request.service, remoteHost: request.remoteHost,
      terminal: request.terminal)
    application.log(priority, line)
  }
}
