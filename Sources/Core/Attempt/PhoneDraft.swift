import MFAStore
import MFAMessages
import MFAModel
import MFABase
import MFAWire

/// A phone number that its user has not confirmed yet, with the code that confirms it.
///
/// MUST 1: the user's and the host's limits are counted, and that is on the disk, before anything is
/// sent. (`PhoneEnrollmentTests.countedFirst`)
/// MUST 2: a number outside `regions`, and one that the user has already enrolled, gets no code.
/// (`PhoneEnrollmentTests.refused`)
/// MUST 3: a changed number cannot be used before the waiting time has passed, unless another kind of
/// factor was proven that the user has had for at least that time.
/// (`PhoneEnrollmentTests.changedNumber`, `.removedBefore`, `.newProof`)
package struct PhoneDraft {
  private var number = PrivateText(SecretBytes(count: 0))
  private var code = PrivateText(SecretBytes(count: 0))

  /// The message with the code; nil for a test number, to which nothing is sent.
  package private(set) var message: SendID?

  /// When the code was made, in seconds since the epoch.
  private var time: Int64 = 0

  /// The number of wrong codes so far.
  private var wrongCodes: UInt8 = 0

  /// The number of wrong codes after which the number can no longer be confirmed. A code has only a
  /// million possible values.
  private static var maximumWrongCodes: UInt8 { 3 }

  /// Why no code is sent.
  package enum Refusal: Equatable, Sendable {
    /// Policy forbids phones, or no gateway is set.
    case notSupported
    /// `regions` does not contain the number.
    case region
    /// The user has already enrolled the number.
    case alreadyEnrolled
    /// The user has the maximum number of factors.
    case tooManyFactors
    /// The user's limit is reached.
    case userLimit(seconds: Int64)
    /// A limit of the host or of the number is reached.
    case hostLimit(SendLog.Refusal)

    /// The reason, as written in log lines.
    package var name: StaticString {
      switch self {
      case .notSupported: "not-supported"
      case .region: "region"
      case .alreadyEnrolled: "already-enrolled"
      case .tooManyFactors: "too-many-factors"
      case .userLimit: "user-limit"
      case .hostLimit(let refusal): refusal.name
      }
    }
  }

  /// The result of beginning an enrolment.
  package enum Beginning {
    case begun(PhoneDraft)
    case refused(Refusal)
  }

  /// Creates a draft whose fields are read next.
  package init() {}

  /// Lists the fields.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.text(&number, longest: 16)
    try coder.text(&code, longest: 6)
    var (isSent, id) = (message != nil, message?.number ?? 0)
    try coder.flag(&isSent)
    try coder.number(&id)
    message = isSent ? SendID(number: id) : nil
    try coder.number(&time)
    try coder.number(&wrongCodes)
  }

  /// Returns the number as a user could type it.
  package var typedNumber: SecretBytes { number.copy() }

  /// The number as it is shown.
  package var masked: MaskedPhoneNumber { number.withSpan { MaskedPhoneNumber(of: $0) } }

  /// For how many seconds from `now` on the code can still be typed.
  package func secondsLeft(_ now: Int64) -> Int64 {
    let (age, overflow) = now.subtractingReportingOverflow(time)
    return overflow || age < 0 ? 0 : max(SentCodes.lifetime &- age, 0)
  }

  private init(
    _ number: borrowing PhoneNumber, code: consuming SecretBytes, message: SendID?, time: Int64
  ) {
    self.number = PrivateText(copying: number.span)
    self.code = PrivateText(code)
    self.message = message
    self.time = time
  }

  /// Returns why policy allows no code for a number, or nil if it does.
  package static func refusal(
    of number: borrowing PhoneNumber, _ settings: Settings
  ) -> Refusal? {
    guard settings.allows(.phone) else { return .notSupported }
    guard settings.testCode(of: number.span) == nil else { return nil }
    guard settings.gateway != nil else { return .notSupported }
    return settings.allowsRegion(of: number.span) ? nil : .region
  }

  /// Makes a code and counts the message with it, under the user's lock.
  package static func begin<Entry: FactorStoreEntry, Sender: CodeSender>(
    _ number: borrowing PhoneNumber, of account: Account, in entry: Entry,
    _ context: Attempt.Context, by sender: Sender
  ) throws(FactorStoreError) -> Beginning {
    try context.start()
    let settings = context.settings
    if let refusal = refusal(of: number, settings) { return .refused(refusal) }
    if let record = entry.record {
      guard record.factors.count < FactorRecord.maximumFactors else {
        return .refused(.tooManyFactors)
      }
      guard try !isEnrolled(number.span, in: record, entry) else {
        return .refused(.alreadyEnrolled)
      }
    }
    let code: Code
    var message: SendID?
    // Nothing is sent to a test number, so no limit applies and nothing is counted.
    if let testCode = settings.testCode(of: number.span) {
      guard let fixed = Code(answer: testCode.span) else { return .refused(.notSupported) }
      code = fixed
    } else {
      let wait = entry.attempts.sentCodes.wait(settings.userSendLimits, at: context.now)
      guard wait == 0 else { return .refused(.userLimit(seconds: wait)) }
      let admission = try sender.admit(
        number.span, by: SendCause(.enrolment, of: account.uid), limits: settings.hostSendLimits,
        now: context.now)
      switch admission {
      case .refused(let refusal): return .refused(.hostLimit(refusal))
      case .admitted(let id): message = id
      }
      code = try SentCodeRequest.randomCode()
      try entry.write(entry.attempts.sending(nil, at: context.now))
      try entry.sync()
    }
    return .begun(
      PhoneDraft(number, code: code.written(), message: message, time: context.now))
  }

  /// Sends the code, unless the number is a test number. The message names the issuer, in a language. The caller
  /// holds no lock.
  package func send<Sender: CodeSender>(
    by sender: Sender, issuer: [UInt8], in language: Language
  ) -> SentCodeRequest.Result {
    guard let message else { return .testNumber(masked) }
    let ending = PhoneMessage.enrollmentCode(issuer: issuer).text(in: language).utf8
    let text = code.bytes.withSpan { SecretBytes(joining: $0, ending.span) }
    let (expires, overflow) = time.addingReportingOverflow(SentCodes.lifetime)
    guard !overflow, let packet = packet(message, expires: expires, text) else {
      return .failed(.refused, id: message)
    }
    let reply = sender.send(packet)
    if !reply.mayHaveBeenSent { sender.markFailed(message) }
    return reply == .accepted ? .sent(masked, id: message) : .failed(reply, id: message)
  }

  private func packet(
    _ message: SendID, expires: Int64, _ body: borrowing SecretBytes
  ) -> GatewayMessage? {
    let body = body.span
    return number.bytes.withSpan {
      GatewayMessage(to: $0, id: message, expires: expires, text: body)
    }
  }

  /// Whether too many wrong codes were given.
  package var isExhausted: Bool { wrongCodes >= Self.maximumWrongCodes }

  /// Compares the code that was typed, and counts a wrong one.
  package mutating func confirm(_ typed: borrowing SecretBytes) -> EnrollmentDraft.TypedCode {
    guard let typed = TypedCodes(whole: typed.span).code(of: .six) else { return .notACode }
    guard isCode(typed.written()) else {
      wrongCodes &+= 1
      return .wrong(secondsAhead: nil)
    }
    return .right(step: 0)
  }

  private func isCode(_ digits: borrowing SecretBytes) -> Bool {
    let digits = digits.span
    return code.withSpan { constantTimeEquals($0, digits) }
  }

  /// Whether the user of a record has enrolled the number.
  package func isEnrolled<Entry: FactorStoreEntry>(
    in record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> Bool {
    try number.bytes.withSpan { number throws(FactorStoreError) in
      try Self.isEnrolled(number, in: record, entry)
    }
  }

  private static func isEnrolled<Entry: FactorStoreEntry>(
    _ number: Span<UInt8>, in record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> Bool {
    for factor in record.factors where factor.parameters == nil {
      let enrolled = try entry.secret(of: factor)
      if constantTimeEquals(enrolled.span, number) { return true }
    }
    return false
  }

  /// What a user proved in a session in addition to the password, if it is not a phone.
  package enum OtherProof: Equatable, Sendable {
    case nothing
    /// A code of this factor.
    case factor(FactorID)
    /// A recovery code.
    case recoveryCode

    /// Reads or writes the proof.
    package mutating func fields(_ coder: inout Coder) throws(PacketError) {
      var id: FactorID? = if case .factor(let factor) = self { factor } else { nil }
      var isRecoveryCode = self == .recoveryCode
      try coder.identifier(&id)
      try coder.flag(&isRecoveryCode)
      guard id == nil || !isRecoveryCode else { throw .malformed }
      self = if let id { .factor(id) } else { isRecoveryCode ? .recoveryCode : .nothing }
    }

    /// Returns whether the user has had the factor or the recovery codes for `seconds`. A factor that
    /// was added more recently proves nothing: an attacker who has taken over the phone could have
    /// added it.
    func isOlder(
      than seconds: Int64, in record: FactorRecord?, at now: Int64
    ) -> Bool {
      let since: Int64
      switch self {
      case .nothing: return false
      case .factor(let id):
        guard let factor = record?.factor(id), factor.parameters != nil else { return false }
        since = factor.enrolledAt
      case .recoveryCode:
        guard let record else { return false }
        since = record.recoveryCodesAddedAt
      }
      let (age, overflow) = now.subtractingReportingOverflow(since)
      return !overflow && age >= seconds
    }
  }

  /// When a factor is enrolled, and from when on it can be used, in seconds since the epoch.
  package struct Times: Equatable, Sendable {
    /// The time of the enrolment.
    package let enrolledAt: Int64
    /// The time from which codes are sent.
    package let usableFrom: Int64

    /// Creates the times of a phone that is enrolled at `now`. `otherProof` is what the user proved in
    /// this session.
    ///
    /// The number is a changed one, which has to wait, if the user has another phone, or has removed
    /// one in the last `phone_waiting_time`. No test number waits, and no other number because of one.
    package init<Entry: FactorStoreEntry>(
      of draft: PhoneDraft, in entry: Entry, _ settings: Settings, otherProof: OtherProof,
      now: Int64
    ) {
      enrolledAt = now
      let waitingTime = settings.phoneWaitingTime
      let isChange =
        entry.record?.factors.contains { $0.parameters == nil && $0.origin != .testNumber } == true
        || entry.kept?.removedPhone(inLast: waitingTime, before: now) == true
      let (later, overflow) = now.addingReportingOverflow(waitingTime)
      let isProven = otherProof.isOlder(than: waitingTime, in: entry.kept, at: now)
      let isTestNumber = draft.message == nil
      usableFrom = isTestNumber || !isChange || isProven ? now : overflow ? .max : later
    }
  }

  /// Returns the factor with its number sealed for `record`.
  package func factor<Entry: FactorStoreEntry>(
    named name: DisplayName, at times: Times, in record: FactorRecord, sealedBy entry: Entry
  ) throws(FactorStoreError) -> Factor {
    let id = try cryptographic { () throws(SystemError) in try FactorID.generate() }
    let sealed = try number.bytes.withSpan { number throws(FactorStoreError) in
      try entry.seal(number, for: id, parameters: nil, in: record)
    }
    return Factor(
      id: id, displayName: name, enrolledAt: times.enrolledAt,
      kind: .phone(masked, usableFrom: times.usableFrom, sealedNumber: sealed),
      origin: message == nil ? .testNumber : .enrolled)
  }
}
