import MFABase
import MFAModel

/// A response from the helper to the client.
///
/// MUST 1: an encoded message parses to an equal value, and no other bytes parse.
/// (`HelperResponseTests.roundTrip`, `.everyTruncation`, `.trailingBytes`, `.refused`)
/// MUST 2: a key is held only in `SecretBytes`.
package enum HelperResponse: ~Copyable, Sendable {
  /// Answers `hello`: the user whose factors the helper manages, and the issuer name from the
  /// configuration.
  case welcome(user: UserName, issuer: DisplayText)
  /// Asks the user a question, to be answered before anything else.
  case prompt(text: DisplayText, PromptKind)
  /// Shows the user a message. Another response follows without a request.
  case notice(text: DisplayText)
  /// Answers `session` and `ticketSession`: the session lasts for this many seconds.
  case sessionStarted(secondsLeft: UInt32)
  /// Answers `generateSecret`.
  case secret(GeneratedSecret)
  /// Answers `enroll`, `confirmPhone` and `importFactor`.
  case enrolled(FactorID)
  /// Answers `list`: the enrolled factors, oldest first, at most `FactorRecord.maximumFactors`.
  case factors([FactorSummary])
  /// Answers `rename`, `resync`, `completeResync` and `deliver`.
  case done
  /// Answers `unenroll`: whether the factor was the most recently enrolled one, which signs the
  /// user out, and whether policy requires the user's other sessions on the host to end.
  case unenrolled(signedOut: Bool, endsSessions: Bool)
  /// Answers `signIn` and, for a code of a factor, `test`: the code was accepted and is used up.
  case signedIn(UsedCode)
  /// Answers `test`: the code would be accepted at a sign-in. It was not used up.
  case recognized(UnusedCode)
  /// Answers any request.
  case failed(HelperFailure)
  /// Answers `status`.
  case status(AccountStatus)
  /// Answers `generateRecoveryCodes`: the new codes, which are not shown again.
  case recoveryCodes(RecoveryCodeList)
  /// Answers `forget`: the number of places from which a sign-in was remembered.
  case forgotten(places: UInt8)
  /// Answers `beginPhone` and `sendCode`: a code was sent to the phone with this number, and is valid
  /// for this many seconds.
  case codeSent(number: MaskedPhoneNumber, secondsLeft: UInt32)
  /// Answers `makeProgramPassword`: the password, which is not shown again.
  case programPassword(NewProgramPassword)
  /// Answers `listProgramPasswords`: the passwords, oldest first, at most `FactorRecord.maximumProgramPasswords`.
  case programPasswords([ProgramPasswordSummary])

  /// The kinds of response, with the numbers in messages.
  private enum Kind: UInt8 {
    case welcome = 0x81
    case prompt
    case notice
    case sessionStarted
    case secret
    case enrolled
    case factors
    case done
    case unenrolled
    case failed = 0x8B
    case status
    case recoveryCodes
    case forgotten
    case recognized
    case signedIn
    case codeSent
    case programPassword
    case programPasswords
  }

  private var kind: Kind {
    switch self {
    case .welcome: .welcome
    case .prompt: .prompt
    case .notice: .notice
    case .sessionStarted: .sessionStarted
    case .secret: .secret
    case .enrolled: .enrolled
    case .factors: .factors
    case .done: .done
    case .unenrolled: .unenrolled
    case .failed: .failed
    case .status: .status
    case .recoveryCodes: .recoveryCodes
    case .forgotten: .forgotten
    case .recognized: .recognized
    case .signedIn: .signedIn
    case .codeSent: .codeSent
    case .programPassword: .programPassword
    case .programPasswords: .programPasswords
    }
  }

  /// Creates a response of a kind, whose fields are read next.
  private init(_ kind: Kind) {
    switch kind {
    case .welcome: self = .welcome(user: .placeholder, issuer: DisplayText(cleaning: []))
    case .prompt: self = .prompt(text: DisplayText(cleaning: []), .hiddenAnswer)
    case .notice: self = .notice(text: DisplayText(cleaning: []))
    case .sessionStarted: self = .sessionStarted(secondsLeft: 0)
    case .secret: self = .secret(GeneratedSecret())
    case .enrolled: self = .enrolled(.zero)
    case .factors: self = .factors([])
    case .done: self = .done
    case .unenrolled: self = .unenrolled(signedOut: false, endsSessions: false)
    case .failed: self = .failed(.protocolError)
    case .status: self = .status(AccountStatus())
    case .recoveryCodes: self = .recoveryCodes(RecoveryCodeList(text: SecretBytes(count: 0)))
    case .forgotten: self = .forgotten(places: 0)
    case .recognized: self = .recognized(.recoveryCode)
    case .signedIn: self = .signedIn(.factor(nil))
    case .codeSent: self = .codeSent(number: .placeholder, secondsLeft: 0)
    case .programPassword: self = .programPassword(NewProgramPassword())
    case .programPasswords: self = .programPasswords([])
    }
  }

  /// Reads or writes the fields.
  private mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var response = HelperResponse.done
    swap(&response, &self)
    switch consume response {
    case .welcome(var user, var issuer):
      try coder.constant(HelperRequest.version)
      try coder.user(&user)
      try coder.text(&issuer)
      self = .welcome(user: user, issuer: issuer)
    case .prompt(var text, var kind):
      try coder.text(&text)
      try coder.choice(&kind)
      self = .prompt(text: text, kind)
    case .notice(var text):
      try coder.text(&text)
      self = .notice(text: text)
    case .sessionStarted(var seconds):
      try coder.number(&seconds)
      self = .sessionStarted(secondsLeft: seconds)
    case .secret(var secret):
      try secret.fields(&coder)
      self = .secret(secret)
    case .enrolled(var factor):
      try coder.identifier(&factor)
      self = .enrolled(factor)
    case .factors(var factors):
      try coder.list(
        &factors, most: UInt8(FactorRecord.maximumFactors), placeholder: .placeholder
      ) { factor, coder throws(PacketError) in
        try factor.fields(&coder)
        try coder.number(&factor.lastUse)
      }
      self = .factors(factors)
    case .unenrolled(var signedOut, var endsSessions):
      try coder.flag(&signedOut)
      try coder.flag(&endsSessions)
      self = .unenrolled(signedOut: signedOut, endsSessions: endsSessions)
    case .failed(var failure):
      try failure.fields(&coder)
      self = .failed(failure)
    case .status(var status):
      try status.fields(&coder)
      self = .status(status)
    case .recoveryCodes(var codes):
      try codes.fields(&coder)
      self = .recoveryCodes(codes)
    case .forgotten(var places):
      try coder.number(&places)
      self = .forgotten(places: places)
    case .recognized(var code):
      try coder.choice(&code)
      self = .recognized(code)
    case .signedIn(var code):
      try code.fields(&coder)
      self = .signedIn(code)
    case .codeSent(var number, var seconds):
      try coder.phone(&number)
      try coder.number(&seconds)
      self = .codeSent(number: number, secondsLeft: seconds)
    case .programPassword(var new):
      try new.fields(&coder)
      self = .programPassword(new)
    case .programPasswords(var passwords):
      try coder.list(
        &passwords, most: UInt8(FactorRecord.maximumProgramPasswords), placeholder: .placeholder
      ) { password, coder throws(PacketError) in try password.fields(&coder) }
      self = .programPasswords(passwords)
    case .done: self = .done
    }
  }

  /// Returns the message with its frame. Throws if a key or a list exceeds its limits.
  @export(interface)
  package consuming func encoded() throws(PacketError) -> SecretBytes {
    var coder = Coder(framed: kind.rawValue)
    try fields(&coder)
    return try coder.frame()
  }

  /// Parses a message from a frame's body.
  @export(interface)
  package init(body: Span<UInt8>) throws(PacketError) {
    self = .done
    var coder = Coder(readingBody: SecretBytes(copying: body))
    self = HelperResponse(try coder.kind())
    try fields(&coder)
    try coder.end()
  }
}

/// A response that can come instead of, or before, the requested response.
package enum Interruption: Sendable {
  /// Comes instead: the request failed.
  case failed(HelperFailure)
  /// Comes before: a text for the user.
  case notice(DisplayText)
}

extension HelperResponse {
  /// How the response interrupts the conversation, or nil if it does not. Each case has its own
  /// line because Swift 6.3 matches noncopyable values with only one pattern at a time.
  package var interruption: Interruption? {
    switch self {
    case .failed(let failure): return .failed(failure)
    case .notice(let text): return .notice(text)
    case .welcome: return nil
    case .prompt: return nil
    case .sessionStarted: return nil
    case .secret: return nil
    case .enrolled: return nil
    case .factors: return nil
    case .done: return nil
    case .unenrolled: return nil
    case .signedIn: return nil
    case .recognized: return nil
    case .status: return nil
    case .programPassword: return nil
    case .programPasswords: return nil
    case .recoveryCodes: return nil
    case .forgotten: return nil
    case .codeSent: return nil
    }
  }
}
