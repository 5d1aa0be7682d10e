import MFABase
import MFACrypto
import MFAMessages
import MFAModel
import MFAStore

/// A request to send a code to a user's phone.
///
/// MUST 1: the code is stored, the user's and the host's limits are counted, and all of that is on
/// the disk, before anything is sent. (`PhoneSignInTests.countedFirst`)
/// MUST 2: no code is sent while attempts are throttled or locked, and a new code never resets
/// failures. (`PhoneSignInTests.throttled`, `.requestIsNoAttempt`)
/// MUST 3: no lock is held while the gateway is at work. (`PhoneSignInTests.noLock`)
/// MUST 4: a code is accepted only in the session that it was sent for. (`PhoneSignInTests.session`)
/// MUST 5: a test number's code is accepted only for a number that was a test number when it was
/// enrolled. (`PhoneSignInTests.numberOfAUser`, `.testNumberNoMore`)
package enum SentCodeRequest {
  /// What became of a request.
  package enum Result: Equatable, Sendable {
    /// The gateway accepted the message to the phone with this number.
    case sent(MaskedPhoneNumber, id: SendID)
    /// Nothing was sent to a test number, whose code is in mfa.conf.
    case testNumber(MaskedPhoneNumber)
    /// Nothing was sent.
    case refused(Refusal)
    /// The gateway did not accept the message.
    case failed(GatewayReply, id: SendID)
  }

  /// Why nothing was sent.
  package enum Refusal: Equatable, Sendable {
    /// The record has no such factor, or policy forbids phones.
    case noSuchFactor
    /// The number was changed a short time ago.
    case notUsableYet(seconds: Int64)
    /// Attempts are throttled or locked.
    case standing(AttemptState.Standing)
    /// The user's limit is reached.
    case userLimit(seconds: Int64)
    /// A limit of the host or of the number is reached.
    case hostLimit(SendLog.Refusal)
    /// It is unknown whether a limit of the host or of the number is reached.
    case limits(FactorStoreError)
    /// No gateway is set.
    case noGateway
    /// `regions` does not contain the number any more.
    case region
    /// The number of a user became a test number, or a test number that was enrolled is none any more.
    case testNumber
  }

  /// Sends a code to the phone of a factor. `text` returns the text of the message with a code.
  package static func send<Store: FactorStore, Sender: CodeSender>(
    to factor: FactorID, of account: Account, in store: Store, _ context: Attempt.Context,
    by sender: Sender, text: (borrowing SecretBytes) -> SecretBytes
  ) throws(FactorStoreError) -> Result {
    let message: Message
    let preparation = try store.deciding { () throws(FactorStoreError) in
      try prepare(factor, of: account, in: store, context, sender)
    }
    switch preparation {
    case .refused(let refusal): return .refused(refusal)
    case .testNumber(let number): return .testNumber(number)
    case .message(let prepared): message = prepared
    }
    // The user's lock has been released.
    let body = text(message.code)
    let (expires, overflow) = context.now.addingReportingOverflow(SentCodes.lifetime)
    var reply = GatewayReply.refused
    if !overflow, let text = message.text(expires: expires, body) { reply = sender.send(text) }
    guard reply == .accepted else {
      if !reply.mayHaveBeenSent { sender.markFailed(message.id) }
      return .failed(reply, id: message.id)
    }
    return .sent(message.masked, id: message.id)
  }

  /// A message whose code is stored.
  ///
  /// This is a class, because an enumeration in Embedded Swift cannot hold values that are not
  /// copyable.
  private final class Message {
    let number: SecretBytes
    let masked: MaskedPhoneNumber
    let code: SecretBytes
    let id: SendID

    init(
      number: consuming SecretBytes, _ masked: MaskedPhoneNumber, code: consuming SecretBytes,
      id: SendID
    ) {
      self.number = number
      self.masked = masked
      self.code = code
      self.id = id
    }

    /// Returns the message for the gateway.
    func text(expires: Int64, _ body: borrowing SecretBytes) -> GatewayMessage? {
      let body = body.span
      return number.withSpan { GatewayMessage(to: $0, id: id, expires: expires, text: body) }
    }
  }

  private enum Preparation {
    case message(Message)
    case testNumber(MaskedPhoneNumber)
    case refused(Refusal)
  }

  /// Stores a new code and counts the message, under the user's lock.
  private static func prepare<Store: FactorStore, Sender: CodeSender>(
    _ id: FactorID, of account: Account, in store: Store, _ context: Attempt.Context,
    _ sender: Sender
  ) throws(FactorStoreError) -> Preparation {
    let entry = try store.entry(of: account, creating: false)
    try context.start()
    let settings = context.settings
    guard let session = context.session, let record = entry.record, let factor = record.factor(id),
      case .phone(let masked, let usableFrom, _) = factor.kind, settings.allows(factor)
    else { return .refused(.noSuchFactor) }
    // Nothing is sent to a test number, so no limit applies and nothing is counted.
    let isTestNumber = factor.origin == .testNumber
    guard context.now >= usableFrom || isTestNumber else {
      return .refused(.notUsableYet(seconds: usableFrom &- context.now))
    }
    let state = entry.attempts
    let standing = state.standing(
      settings.throttle, now: context.now, counter: context.counter,
      client: try Attempt.client(entry, context))
    guard standing == .open else { return .refused(.standing(standing)) }
    let limits = settings.userSendLimits
    let wait = state.sentCodes.wait(
      context.counter != .signIn ? limits.forOwnProcesses : limits, at: context.now)
    guard wait == 0 || isTestNumber else {
      return .refused(.userLimit(seconds: wait))
    }
    let number = try entry.secret(of: factor)
    let testCode = settings.testCode(of: number.span)
    guard (testCode != nil) == isTestNumber else { return .refused(.testNumber) }
    var message = SendID(number: 0)
    if testCode == nil {
      guard settings.allowsRegion(of: number.span) else { return .refused(.region) }
      guard settings.gateway != nil else { return .refused(.noGateway) }
      let admission: SendLog.Admission
      do throws(FactorStoreError) {
        admission = try sender.admit(
          number.span, by: SendCause(.signIn, of: account.uid), limits: settings.hostSendLimits,
          now: context.now)
      } catch {
        // The user's other factors still work.
        return .refused(.limits(error))
      }
      switch admission {
      case .refused(let refusal): return .refused(.hostLimit(refusal))
      case .admitted(let id): message = id
      }
    }
    let code: Code
    if let testCode {
      guard let fixed = Code(answer: testCode.span) else { return .refused(.noSuchFactor) }
      code = fixed
    } else {
      code = try randomCode()
    }
    let digest = try entry.digest(ofSent: code, to: id, for: session, in: record)
    let usable = SentCodes.Usable(factor: id, digest: digest, message: message.number)
    try entry.write(
      testCode == nil
        ? state.sending(usable, at: context.now) : state.offering(usable, at: context.now))
    try entry.sync()
    guard testCode == nil else { return .testNumber(masked) }
    return .message(
      Message(
        number: SecretBytes(copying: number.span), masked, code: code.written(), id: message))
  }

  /// Returns a code of six digits, each of which is equally likely.
  static func randomCode() throws(FactorStoreError) -> Code {
    let modulus = CodeLength.six.modulus
    // The largest multiple of the modulus: larger numbers would make small codes likelier.
    let limit = UInt32.max &- UInt32.max % modulus
    while true {
      let bytes = try cryptographic { () throws(SystemError) in
        try SecretBytes.random(count: 4)
      }
      var reader = ByteReader(bytes.span)
      guard let value = reader.read(UInt32.self) else { throw .cryptography }
      if value < limit { return Code(value: value % modulus, length: .six) }
    }
  }
}

extension SentCodeRequest.Result {
  /// What the user is told.
  package var message: SignInMessage {
    switch self {
    case .sent(let number, _), .testNumber(let number): .codeSent(number: number.ascii)
    case .failed: .codeNotSent
    case .refused(.userLimit(let seconds)): .codeNotSentYet(seconds: seconds)
    case .refused(.notUsableYet(let seconds)): .phoneNotUsableYet(seconds: seconds)
    case .refused(.hostLimit(.numberHourly(let seconds))): .codeNotSentYet(seconds: seconds)
    case .refused(.hostLimit), .refused(.limits), .refused(.noGateway), .refused(.region),
      .refused(.noSuchFactor), .refused(.testNumber):
      .codeNotSent
    case .refused(.standing(.throttled(let seconds))): .throttled(seconds: seconds)
    case .refused(.standing): .locked
    }
  }

  /// Appends the result to a line of the system log, and returns the line's priority.
  package func describe(in line: inout LogLine) -> LogPriority {
    switch self {
    case .sent(_, let id):
      line.add("result", "code-sent")
      line.add("message", escaping: id.text)
      return .information
    case .testNumber:
      line.add("result", "test-number")
      return .warning
    case .failed(let reply, let id):
      line.add("result", "code-not-sent")
      line.add("message", escaping: id.text)
      line.add("reason", reply.name)
      if let number = reply.number { line.add("status", Int64(number)) }
      return .error
    case .refused(.limits(let error)):
      line.add("result", "code-not-sent")
      line.add(error)
      return .error
    case .refused(let refusal):
      line.add("result", "code-not-sent")
      line.add("reason", refusal.name)
      return .warning
    }
  }
}

extension SentCodeRequest.Refusal {
  var name: StaticString {
    switch self {
    case .noSuchFactor: "no-such-factor"
    case .notUsableYet: "waiting-time"
    case .standing(.throttled): "throttled"
    case .standing: "locked"
    case .userLimit: "user-limit"
    case .hostLimit(let refusal): refusal.name
    case .limits: "limits"
    case .noGateway: "no-gateway"
    case .region: "region"
    case .testNumber: "test-number"
    }
  }
}
