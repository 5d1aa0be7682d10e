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
  /// Asks the user a question, to be answered before anything else. `echo` tells whether the answer
  /// may be visible while it is typed.
  case prompt(text: DisplayText, echo: Bool)
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
  /// Answers `test`: the code was accepted and is used up.
  case tested
  /// Answers `signIn`: the code was accepted and is used up.
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

  /// The version of the protocol.
  package static let version: UInt8 = HelperRequest.version

  /// Returns the message with its frame. Throws if a key or a list exceeds its limits.
  @export(interface)
  package borrowing func encoded() throws(MessageError) -> SecretBytes {
    switch self {
    case .welcome(let user, let issuer):
      var writer = MessageWriter(kind: Kind.welcome)
      writer.field(Self.version)
      writer.field(user.bytes)
      writer.field(issuer.utf8)
      return try writer.finish()
    case .prompt(let text, let echo):
      var writer = MessageWriter(kind: Kind.prompt)
      writer.field(text.utf8)
      writer.field(echo)
      return try writer.finish()
    case .notice(let text):
      var writer = MessageWriter(kind: Kind.notice)
      writer.field(text.utf8)
      return try writer.finish()
    case .sessionStarted(let secondsLeft):
      var writer = MessageWriter(kind: Kind.sessionStarted)
      writer.field(secondsLeft)
      return try writer.finish()
    case .secret(let secret):
      guard secret.key.count <= GeneratedSecret.longestKey else { throw .tooLong }
      guard secret.key.count >= GeneratedSecret.shortestKey else { throw .malformed }
      var writer = MessageWriter(kind: Kind.secret)
      writer.field(secret.key.span)
      writer.field(secret.parameters)
      writer.field(secret.secondsLeft)
      return try writer.finish()
    case .enrolled(let factor):
      var writer = MessageWriter(kind: Kind.enrolled)
      writer.field(factor.bytes)
      return try writer.finish()
    case .factors(let factors):
      guard factors.count <= FactorRecord.maximumFactors else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.factors)
      writer.field(UInt8(truncatingIfNeeded: factors.count))
      for factor in factors {
        writer.field(factor.id.bytes)
        writer.field(factor.displayName.utf8)
        writer.field(factor.enrolledAt)
        switch factor.kind {
        case .totp(let parameters):
          writer.field(UInt8(1))
          writer.field(parameters)
        case .phone(let number, let usableFrom):
          writer.field(UInt8(2))
          writer.field(number.ascii)
          writer.field(usableFrom)
        }
      }
      return try writer.finish()
    case .done:
      return try MessageWriter(kind: Kind.done).finish()
    case .unenrolled(let signedOut, let endsSessions):
      var writer = MessageWriter(kind: Kind.unenrolled)
      writer.field(signedOut)
      writer.field(endsSessions)
      return try writer.finish()
    case .tested:
      return try MessageWriter(kind: Kind.tested).finish()
    case .signedIn(let code):
      var writer = MessageWriter(kind: Kind.signedIn)
      writer.field(code.number)
      writer.field(code.factor?.bytes ?? [])
      writer.field(code.left)
      return try writer.finish()
    case .recognized(let code):
      var writer = MessageWriter(kind: Kind.recognized)
      writer.field(code.rawValue)
      return try writer.finish()
    case .failed(let failure):
      var writer = MessageWriter(kind: Kind.failed)
      writer.field(failure.number)
      writer.field(failure.seconds)
      return try writer.finish()
    case .status(let status):
      guard status.importedRecoveryCodesLeft <= status.recoveryCodesLeft else { throw .malformed }
      var writer = MessageWriter(kind: Kind.status)
      writer.field(status.enrollment.rawValue)
      writer.field(status.state.rawValue)
      writer.field(status.recoveryCodesLeft)
      writer.field(status.importedRecoveryCodesLeft)
      writer.field(status.recoveryCodeUnlocks)
      writer.field(status.standing.number)
      writer.field(status.standing.seconds)
      writer.field(status.activity.standing.number)
      writer.field(status.activity.standing.seconds)
      writer.field(status.activity.failedAttempts)
      writer.field(status.activity.rememberedSignIns)
      writer.field(status.activity.pendingNotices)
      return try writer.finish()
    case .recoveryCodes(let codes):
      guard codes.isWellFormed else { throw .malformed }
      var writer = MessageWriter(kind: Kind.recoveryCodes)
      writer.fields(codes.text.span, each: RecoveryCodeList.codeLength)
      return try writer.finish()
    case .forgotten(let places):
      var writer = MessageWriter(kind: Kind.forgotten)
      writer.field(places)
      return try writer.finish()
    case .codeSent(let number, let secondsLeft):
      var writer = MessageWriter(kind: Kind.codeSent)
      writer.field(number.ascii)
      writer.field(secondsLeft)
      return try writer.finish()
    }
  }

  /// Parses a message from a frame's body.
  @export(interface)
  package init(body: Span<UInt8>) throws(MessageError) {
    var reader = MessageReader(body)
    let kind = try reader.kind()
    switch kind {
    case Kind.welcome:
      let version = try reader.number(UInt8.self)
      guard version == Self.version else { throw .unsupportedVersion(version) }
      let user = try reader.userName()
      let issuer = try reader.text()
      try reader.end()
      self = .welcome(user: user, issuer: issuer)
    case Kind.prompt:
      let text = try reader.text()
      let echo = try reader.flag()
      try reader.end()
      self = .prompt(text: text, echo: echo)
    case Kind.notice:
      let text = try reader.text()
      try reader.end()
      self = .notice(text: text)
    case Kind.sessionStarted:
      let secondsLeft = try reader.number(UInt32.self)
      try reader.end()
      self = .sessionStarted(secondsLeft: secondsLeft)
    case Kind.secret:
      let key = try reader.secret(longest: GeneratedSecret.longestKey)
      let parameters = try reader.parameters()
      let secondsLeft = try reader.number(UInt32.self)
      try reader.end()
      guard key.count >= GeneratedSecret.shortestKey else { throw .malformed }
      self = .secret(
        GeneratedSecret(key: key, parameters: parameters, secondsLeft: secondsLeft))
    case Kind.enrolled:
      let factor = try reader.factor()
      try reader.end()
      self = .enrolled(factor)
    case Kind.factors:
      var factors: [FactorSummary] = []
      let count = try reader.number(UInt8.self)
      guard count <= FactorRecord.maximumFactors else { throw .tooLong }
      for _ in 0..<count {
        let id = try reader.factor()
        guard let displayName = try reader.displayName() else { throw .unsupportedDisplayName }
        let enrolledAt = try reader.number(Int64.self)
        let kind: FactorSummary.Kind
        switch try reader.number(UInt8.self) {
        case 1: kind = .totp(try reader.parameters())
        case 2:
          let number = try reader.maskedNumber()
          kind = .phone(number, usableFrom: try reader.number(Int64.self))
        default: throw .malformed
        }
        factors.append(
          FactorSummary(id: id, displayName: displayName, enrolledAt: enrolledAt, kind: kind))
      }
      try reader.end()
      self = .factors(factors)
    case Kind.done:
      try reader.end()
      self = .done
    case Kind.unenrolled:
      let signedOut = try reader.flag()
      let endsSessions = try reader.flag()
      try reader.end()
      self = .unenrolled(signedOut: signedOut, endsSessions: endsSessions)
    case Kind.tested:
      try reader.end()
      self = .tested
    case Kind.failed:
      let number = try reader.number(UInt8.self)
      let seconds = try reader.number(UInt32.self)
      try reader.end()
      guard let failure = HelperFailure(number: number, seconds: seconds) else { throw .malformed }
      self = .failed(failure)
    case Kind.status:
      let status = try reader.status()
      try reader.end()
      self = .status(status)
    case Kind.recoveryCodes:
      let codes = RecoveryCodeList(
        text: try reader.secrets(
          atMost: RecoveryCodeList.mostCodes, each: RecoveryCodeList.codeLength))
      try reader.end()
      guard codes.isWellFormed else { throw .malformed }
      self = .recoveryCodes(codes)
    case Kind.recognized:
      let number = try reader.number(UInt8.self)
      try reader.end()
      guard let code = UnusedCode(rawValue: number) else { throw .malformed }
      self = .recognized(code)
    case Kind.signedIn:
      let number = try reader.number(UInt8.self)
      let factor = try reader.optionalFactor()
      let left = try reader.number(UInt8.self)
      try reader.end()
      guard let code = UsedCode(number: number, factor: factor, left: left) else {
        throw .malformed
      }
      self = .signedIn(code)
    case Kind.forgotten:
      let places = try reader.number(UInt8.self)
      try reader.end()
      self = .forgotten(places: places)
    case Kind.codeSent:
      let number = try reader.maskedNumber()
      let secondsLeft = try reader.number(UInt32.self)
      try reader.end()
      self = .codeSent(number: number, secondsLeft: secondsLeft)
    default:
      throw .unknownKind(kind)
    }
  }

  /// The numbers of the message kinds.
  private enum Kind {
    static let welcome: UInt8 = 0x81
    static let prompt: UInt8 = 0x82
    static let notice: UInt8 = 0x83
    static let sessionStarted: UInt8 = 0x84
    static let secret: UInt8 = 0x85
    static let enrolled: UInt8 = 0x86
    static let factors: UInt8 = 0x87
    static let done: UInt8 = 0x88
    static let unenrolled: UInt8 = 0x89
    static let tested: UInt8 = 0x8A
    static let failed: UInt8 = 0x8B
    static let status: UInt8 = 0x8C
    static let recoveryCodes: UInt8 = 0x8D
    static let forgotten: UInt8 = 0x8E
    static let recognized: UInt8 = 0x8F
    static let signedIn: UInt8 = 0x90
    static let codeSent: UInt8 = 0x91
  }
}
