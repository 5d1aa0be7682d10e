import MFAMessages
import MFABase
import MFAModel

/// A request from the client to the helper.
///
/// MUST 1: an encoded message parses to an equal value, and no other bytes parse.
/// (`HelperRequestTests.roundTrip`, `.everyTruncation`, `.trailingBytes`, `.refused`)
/// MUST 2: an answer or code that a user typed is held only in `SecretBytes`.
package enum HelperRequest: ~Copyable, Sendable {
  /// Opens the conversation. It contains `version`; a helper of a different version refuses it.
  /// The helper writes its prompts in the language, and stores it with each change of the factors.
  case hello(Language)
  /// Requests a session: the helper verifies, by prompts, that the caller owns the account.
  case session
  /// Answers a prompt.
  case answer(SecretBytes)
  /// Declines to answer a prompt, which ends the re-authentication.
  case cancel
  /// Requests a new secret. Needs a session.
  case generateSecret(TOTPParameters)
  /// Confirms the secret with a code generated from it, and requests its enrolment. Needs a
  /// session.
  case enroll(EnrollmentRequest)
  /// Requests the list of enrolled factors.
  case list
  /// Renames a factor. Needs a session.
  case rename(factor: FactorID, displayName: DisplayName)
  /// Removes a factor. Needs a session.
  case unenroll(factor: FactorID)
  /// Verifies a code as at sign-in: it counts as an attempt, and an accepted code of a factor is used
  /// up. A recovery code or a bypass code is recognised, and not used up.
  case test(SecretBytes)
  /// Ends the conversation.
  case bye
  /// Requests a session as `session` does, but with an administrator's ticket as the proof of
  /// ownership.
  case ticketSession
  /// Requests the state of the account's second factors.
  case status
  /// Requests new recovery codes, which invalidate the old ones. Needs a session.
  case generateRecoveryCodes
  /// Presents a code of a factor whose clock is off. The code after it follows in `completeResync`,
  /// at most two minutes later. Needs a session.
  case resync(ResyncRequest)
  /// Imports a factor that another program created. Needs a session.
  case importFactor(ImportRequest)
  /// Verifies a code as `test` does. If the request names a factor, only its codes are accepted.
  case signIn(CodeRequest)
  /// Mails the pending notices in a user's record: the caller's own, or any user's if the caller is
  /// root or the helper itself.
  case deliver(user: UserName)
  /// Clears remembered sign-ins, so that the next sign-in from anywhere asks for a code.
  case forget
  /// Presents the code that follows the one in `resync`. Needs a session.
  case completeResync(SecretBytes)
  /// Reports what would prevent the enrolment of a factor with this name, before the user is asked
  /// for anything.
  case checkEnrollment(DisplayName)
  /// Requests the pending notices as texts. Those that need no confirmation are then no longer
  /// pending.
  case readNotices
  /// Requests a code for a phone number, as typed, that is to be enrolled. Needs a session.
  case beginPhone(SecretBytes)
  /// Presents the code that was sent, and requests the enrolment of the number. Needs a session.
  case confirmPhone(EnrollmentRequest)
  /// Requests a code for an enrolled phone, which is accepted in this conversation only.
  case sendCode(factor: FactorID)
  /// Requests new offline recovery codes for a group of hosts of the realm, which invalidate the old ones for
  /// it. Without a name, they are for the groups of this host. Needs a session.
  case generateOfflineCodes(group: [UInt8])

  /// The version of the protocol.
  package static let version: UInt8 = 1

  /// The longest answer and the longest code in bytes: PAM_MAX_RESP_SIZE.
  package static let longestAnswer = 512

  /// The longest name of a group of hosts in bytes.
  package static let longestGroup = 64

  /// Returns the message with its frame. Throws if a value is out of range, such as an answer
  /// longer than `longestAnswer`.
  @export(interface)
  package borrowing func encoded() throws(MessageError) -> SecretBytes {
    switch self {
    case .hello: return try encodedForSignIn()
    case .list: return try encodedForSignIn()
    case .status: return try encodedForSignIn()
    case .signIn: return try encodedForSignIn()
    case .deliver: return try encodedForSignIn()
    case .bye: return try encodedForSignIn()
    case .session:
      return try MessageWriter(kind: Kind.session).finish()
    case .answer(let answer):
      guard answer.count <= Self.longestAnswer else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.answer)
      writer.field(answer.span)
      return try writer.finish()
    case .cancel:
      return try MessageWriter(kind: Kind.cancel).finish()
    case .generateSecret(let parameters):
      var writer = MessageWriter(kind: Kind.generateSecret)
      writer.field(parameters)
      return try writer.finish()
    case .enroll(let request):
      guard request.code.count <= Self.longestAnswer else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.enroll)
      writer.field(request.code.span)
      writer.field(request.displayName.utf8)
      return try writer.finish()
    case .rename(let factor, let displayName):
      var writer = MessageWriter(kind: Kind.rename)
      writer.field(factor.bytes)
      writer.field(displayName.utf8)
      return try writer.finish()
    case .unenroll(let factor):
      var writer = MessageWriter(kind: Kind.unenroll)
      writer.field(factor.bytes)
      return try writer.finish()
    case .test(let code):
      guard code.count <= Self.longestAnswer else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.test)
      writer.field(code.span)
      return try writer.finish()
    case .ticketSession:
      return try MessageWriter(kind: Kind.ticketSession).finish()
    case .generateRecoveryCodes:
      return try MessageWriter(kind: Kind.generateRecoveryCodes).finish()
    case .resync(let request):
      guard request.code.count <= Self.longestAnswer else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.resync)
      writer.field(request.factor.bytes)
      writer.field(request.code.span)
      return try writer.finish()
    case .importFactor(let request):
      try request.check()
      var writer = MessageWriter(kind: Kind.importFactor)
      writer.field(request.displayName.utf8)
      writer.field(request.parameters)
      writer.field(request.key.span)
      writer.field(request.timeOffset)
      writer.field(request.watermark)
      writer.fields(request.recoveryCodes.span, each: ImportRequest.recoveryCodeLength)
      return try writer.finish()
    case .forget:
      return try MessageWriter(kind: Kind.forget).finish()
    case .completeResync(let code):
      guard code.count <= Self.longestAnswer else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.completeResync)
      writer.field(code.span)
      return try writer.finish()
    case .checkEnrollment(let displayName):
      var writer = MessageWriter(kind: Kind.checkEnrollment)
      writer.field(displayName.utf8)
      return try writer.finish()
    case .readNotices:
      return try MessageWriter(kind: Kind.readNotices).finish()
    case .beginPhone(let number):
      guard number.count <= Self.longestAnswer else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.beginPhone)
      writer.field(number.span)
      return try writer.finish()
    case .confirmPhone(let request):
      guard request.code.count <= Self.longestAnswer else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.confirmPhone)
      writer.field(request.code.span)
      writer.field(request.displayName.utf8)
      return try writer.finish()
    case .sendCode(let factor):
      var writer = MessageWriter(kind: Kind.sendCode)
      writer.field(factor.bytes)
      return try writer.finish()
    case .generateOfflineCodes(let group):
      guard group.count <= Self.longestGroup else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.generateOfflineCodes)
      writer.field(group)
      return try writer.finish()
    }
  }

  /// Returns the message with its frame, for the requests that the PAM module sends. Throws for all
  /// others, so that the module contains no code that it never runs.
  @export(interface)
  package borrowing func encodedForSignIn() throws(MessageError) -> SecretBytes {
    switch self {
    case .hello(let language):
      var writer = MessageWriter(kind: Kind.hello)
      writer.field(Self.version)
      writer.field(language.rawValue)
      return try writer.finish()
    case .list:
      return try MessageWriter(kind: Kind.list).finish()
    case .bye:
      return try MessageWriter(kind: Kind.bye).finish()
    case .status:
      return try MessageWriter(kind: Kind.status).finish()
    case .signIn(let request):
      guard request.code.count <= Self.longestAnswer else { throw .tooLong }
      var writer = MessageWriter(kind: Kind.signIn)
      writer.field(request.factor?.bytes ?? [])
      writer.field(request.code.span)
      return try writer.finish()
    case .deliver(let user):
      var writer = MessageWriter(kind: Kind.deliver)
      writer.field(user.bytes)
      return try writer.finish()
    case .session: throw .malformed
    case .answer: throw .malformed
    case .cancel: throw .malformed
    case .generateSecret: throw .malformed
    case .enroll: throw .malformed
    case .rename: throw .malformed
    case .unenroll: throw .malformed
    case .test: throw .malformed
    case .ticketSession: throw .malformed
    case .generateRecoveryCodes: throw .malformed
    case .resync: throw .malformed
    case .importFactor: throw .malformed
    case .forget: throw .malformed
    case .completeResync: throw .malformed
    case .checkEnrollment: throw .malformed
    case .readNotices: throw .malformed
    case .beginPhone: throw .malformed
    case .confirmPhone: throw .malformed
    case .sendCode: throw .malformed
    case .generateOfflineCodes: throw .malformed
    }
  }

  /// Parses a message from a frame's body.
  @export(interface)
  package init(body: Span<UInt8>) throws(MessageError) {
    var reader = MessageReader(body)
    let kind = try reader.kind()
    switch kind {
    case Kind.hello:
      let version = try reader.number(UInt8.self)
      guard version == Self.version else { throw .unsupportedVersion(version) }
      let number = try reader.number(UInt8.self)
      try reader.end()
      guard let language = Language(rawValue: number) else { throw .malformed }
      self = .hello(language)
    case Kind.session:
      try reader.end()
      self = .session
    case Kind.answer:
      let answer = try reader.secret(longest: Self.longestAnswer)
      try reader.end()
      self = .answer(answer)
    case Kind.cancel:
      try reader.end()
      self = .cancel
    case Kind.generateSecret:
      let parameters = try reader.parameters()
      try reader.end()
      self = .generateSecret(parameters)
    case Kind.enroll:
      let code = try reader.secret(longest: Self.longestAnswer)
      let displayName = try reader.displayName()
      try reader.end()
      guard let displayName else { throw .unsupportedDisplayName }
      self = .enroll(EnrollmentRequest(code: code, displayName: displayName))
    case Kind.list:
      try reader.end()
      self = .list
    case Kind.rename:
      let factor = try reader.factor()
      let displayName = try reader.displayName()
      try reader.end()
      guard let displayName else { throw .unsupportedDisplayName }
      self = .rename(factor: factor, displayName: displayName)
    case Kind.unenroll:
      let factor = try reader.factor()
      try reader.end()
      self = .unenroll(factor: factor)
    case Kind.test:
      let code = try reader.secret(longest: Self.longestAnswer)
      try reader.end()
      self = .test(code)
    case Kind.bye:
      try reader.end()
      self = .bye
    case Kind.ticketSession:
      try reader.end()
      self = .ticketSession
    case Kind.status:
      try reader.end()
      self = .status
    case Kind.generateRecoveryCodes:
      try reader.end()
      self = .generateRecoveryCodes
    case Kind.resync:
      let factor = try reader.factor()
      let code = try reader.secret(longest: Self.longestAnswer)
      try reader.end()
      self = .resync(ResyncRequest(factor: factor, code: code))
    case Kind.importFactor:
      let displayName = try reader.displayName()
      let parameters = try reader.parameters()
      let key = try reader.secret(longest: ImportRequest.longestKey)
      let timeOffset = try reader.number(Int32.self)
      let watermark = try reader.number(Int64.self)
      let recoveryCodes = try reader.secrets(
        atMost: ImportRequest.mostRecoveryCodes, each: ImportRequest.recoveryCodeLength)
      try reader.end()
      guard let displayName else { throw .unsupportedDisplayName }
      let request = ImportRequest(
        displayName: displayName, parameters: parameters, key: key, timeOffset: timeOffset,
        watermark: watermark, recoveryCodes: recoveryCodes)
      try request.check()
      self = .importFactor(request)
    case Kind.signIn:
      let factor = try reader.optionalFactor()
      let code = try reader.secret(longest: Self.longestAnswer)
      try reader.end()
      self = .signIn(CodeRequest(factor: factor, code: code))
    case Kind.deliver:
      let user = try reader.userName()
      try reader.end()
      self = .deliver(user: user)
    case Kind.forget:
      try reader.end()
      self = .forget
    case Kind.completeResync:
      let code = try reader.secret(longest: Self.longestAnswer)
      try reader.end()
      self = .completeResync(code)
    case Kind.checkEnrollment:
      let displayName = try reader.displayName()
      try reader.end()
      guard let displayName else { throw .unsupportedDisplayName }
      self = .checkEnrollment(displayName)
    case Kind.readNotices:
      try reader.end()
      self = .readNotices
    case Kind.beginPhone:
      let number = try reader.secret(longest: Self.longestAnswer)
      try reader.end()
      self = .beginPhone(number)
    case Kind.confirmPhone:
      let code = try reader.secret(longest: Self.longestAnswer)
      let displayName = try reader.displayName()
      try reader.end()
      guard let displayName else { throw .unsupportedDisplayName }
      self = .confirmPhone(EnrollmentRequest(code: code, displayName: displayName))
    case Kind.sendCode:
      let factor = try reader.factor()
      try reader.end()
      self = .sendCode(factor: factor)
    case Kind.generateOfflineCodes:
      let group = try reader.bytes(longest: Self.longestGroup)
      try reader.end()
      self = .generateOfflineCodes(group: group)
    default:
      throw .unknownKind(kind)
    }
  }

  /// The numbers of the message kinds.
  private enum Kind {
    static let hello: UInt8 = 0x01
    static let session: UInt8 = 0x02
    static let answer: UInt8 = 0x03
    static let cancel: UInt8 = 0x04
    static let generateSecret: UInt8 = 0x05
    static let enroll: UInt8 = 0x06
    static let list: UInt8 = 0x07
    static let rename: UInt8 = 0x08
    static let unenroll: UInt8 = 0x09
    static let test: UInt8 = 0x0A
    static let bye: UInt8 = 0x0B
    static let ticketSession: UInt8 = 0x0C
    static let status: UInt8 = 0x0D
    static let generateRecoveryCodes: UInt8 = 0x0E
    static let resync: UInt8 = 0x0F
    static let importFactor: UInt8 = 0x10
    static let signIn: UInt8 = 0x11
    static let deliver: UInt8 = 0x12
    static let forget: UInt8 = 0x13
    static let completeResync: UInt8 = 0x14
    static let checkEnrollment: UInt8 = 0x15
    static let readNotices: UInt8 = 0x16
    static let beginPhone: UInt8 = 0x17
    static let confirmPhone: UInt8 = 0x18
    static let sendCode: UInt8 = 0x19
    static let generateOfflineCodes: UInt8 = 0x1A
  }
}
