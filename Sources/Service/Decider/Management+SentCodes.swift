import MFAAttempt
import MFACrypto
import MFAStore
import MFAModel
import MFAMessages
import MFAWire
import MFABase

// Codes that are sent to enrolled phones on request.
//
// MUST 1: a code that was sent on request is accepted only in the conversation that requested it.
// (`PhoneEnrollmentTests.reauthentication`, `.otherConversation`)
// MUST 2: requests without a password leave some of the user's codes for sign-ins.
// (`PhoneEnrollmentTests.ownProcessLimit`)
extension Management {
  /// How often the user may request a code at one prompt. The limits on messages are much lower.
  private static var maximumRequests: UInt8 { 20 }

  /// Sends a code to an enrolled phone, with which the user can prove the factor in this conversation.
  mutating func sendCode(to factor: FactorID) throws(HelperFailure) -> SentCode {
    guard let record = try snapshot()?.record, let factor = record.factor(factor) else {
      throw .factorNotFound
    }
    guard case .phone = factor.kind else { throw .factorNotFound }
    let settings = try settings()
    guard settings.allows(.phone), settings.canSendCodes else { throw .phonesNotSupported }
    let counter = state.session?.basis.counter ?? .ownProcess
    switch try requestCode(to: factor.id, counter) {
    case .sent(let number, _), .testNumber(let number):
      return SentCode(number: number, secondsLeft: Self.seconds(SentCodes.lifetime))
    case .failed: throw .messageNotSent
    case .refused(let refusal): throw HelperFailure(refusal)
    }
  }

  /// Returns the phones to which a code can be sent.
  func phones() throws(HelperFailure) -> [PhoneChoice] {
    let settings = try settings()
    guard settings.allows(.phone), settings.canSendCodes, let record = try snapshot()?.record
    else { return [] }
    return PhoneChoice.all(of: record, settings)
  }

  /// The prompt for a code of an enrolled factor, with what requests a code.
  func presentFactorPrompt(_ phones: [PhoneChoice]) throws(HelperFailure) -> DisplayText {
    let text: [UInt8]
    let record = try snapshot()?.record
    let other = try otherCode(of: record)
    if phones.count > 1, let record {
      text = PhoneChoice.list(of: record, phones, try settings()).text(
        above: HelperMessage.enrolledDeviceOrSendChoicePrompt(other).text(in: language),
        in: language)
    } else if let phone = phones.first {
      text =
        HelperMessage.enrolledDeviceOrSendPrompt(
          other, name: phone.name.utf8, number: phone.number.ascii
        ).text(in: language).utf8
    } else {
      text = HelperMessage.enrolledDevicePrompt(other).text(in: language).utf8
    }
    return DisplayText(cleaning: text)
  }

  /// Returns the code that helps a user who has lost the devices, or nil if there is none.
  private func otherCode(of record: FactorRecord?) throws(HelperFailure) -> HelperMessage.OtherCode?
  {
    guard let record else { return nil }
    let now = try now()
    if record.grants.contains(where: { $0.kind == .enrollment && $0.isGood(at: now) }) {
      return .bypassCode
    }
    return record.recoveryCodes.isEmpty ? nil : .recoveryCode
  }

  /// Asks for a code of an enrolled factor.
  mutating func askForCode() throws(HelperFailure) {
    state.codeRequests = 0
    try askForCode(phones())
  }

  private mutating func askForCode(_ phones: [PhoneChoice]) throws(HelperFailure) {
    let prompt = try presentFactorPrompt(phones)
    state.phase = .code
    respond(.prompt(text: prompt, .code))
  }

  /// If the answer requests a code, sends it, asks again, and returns true.
  mutating func sendsCode(
    _ typed: borrowing SecretBytes, _ counter: AttemptState.Counter
  ) throws(HelperFailure) -> Bool {
    let phones = try phones()
    guard state.codeRequests < Self.maximumRequests, let phone = Self.requested(typed, of: phones)
    else { return false }
    state.codeRequests &+= 1
    tell(try requestCode(to: phone.id, counter).message)
    try askForCode(phones)
    return true
  }

  /// Returns the phone that the answer requests a code for: as at a sign-in, or `s`, a space and the phone's
  /// identifier, which a program knows from the list of factors.
  private static func requested(
    _ answer: borrowing SecretBytes, of phones: [PhoneChoice]
  ) -> PhoneChoice? {
    let answer = answer.span
    if answer.count == 2 &+ 2 &* FactorID.length, answer[0] == UInt8(ascii: "s") {
      let id = FactorID(hexadecimal: (2..<answer.count).map { answer[$0] })
      return phones.first { $0.id == id }
    }
    return PhoneChoice.requested(by: answer, of: phones)
  }

  /// Sends a code that is accepted in this conversation only.
  private mutating func requestCode(
    to factor: FactorID, _ counter: AttemptState.Counter
  ) throws(HelperFailure) -> SentCodeRequest.Result {
    if state.sendingSession.isEmpty {
      do throws(SystemError) {
        state.sendingSession = try randomBytes(count: 16)
      } catch {
        throw .internalError
      }
    }
    let context = try context(counter: counter)
    let (language, issuer) = (language, issuer(context.settings))
    let result: SentCodeRequest.Result
    do throws(FactorStoreError) {
      result = try SentCodeRequest.send(
        to: factor, of: caller, in: try host.store(), context, by: host.codeSender
      ) { code in
        SecretBytes(
          joining: code.span, PhoneMessage.code(issuer: issuer).text(in: language).utf8.span)
      }
    } catch {
      throw failure(error)
    }
    log(result)
    switch result {
    case .sent, .testNumber: state.sentCodeDeadline = try now() &+ SentCodes.lifetime
    case .failed, .refused: break
    }
    return result
  }
}

extension HelperFailure {
  fileprivate init(_ refusal: SentCodeRequest.Refusal) {
    switch refusal {
    case .noSuchFactor: self = .factorNotFound
    case .notUsableYet(let seconds): self = .phoneNotUsableYet(seconds: UInt32(clamping: seconds))
    case .standing(.throttled(let seconds)):
      self = .tooManyAttempts(seconds: UInt32(clamping: seconds))
    case .standing: self = .factorsLocked
    case .userLimit(let seconds): self = .tooManyMessages(seconds: UInt32(clamping: seconds))
    case .hostLimit(let limit): self = HelperFailure(limit)
    case .limits: self = .messageNotSent
    case .noGateway: self = .phonesNotSupported
    case .region: self = .phoneRegionNotAllowed
    case .testNumber: self = .messageNotSent
    }
  }
}
