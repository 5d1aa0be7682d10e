public import Factors
public import OneTimePassword
public import Secrets

/// What the client asks of the helper.
///
/// MUST 1: what is written parses back equal, and nothing else parses.
/// (`HelperRequestTests.roundTrip`, `.everyTruncation`, `.trailingBytes`, `.refused`)
/// MUST 2: what a person typed is only ever in `SecretBytes`.
public enum HelperRequest: ~Copyable, Sendable {
  /// Opens the conversation. It carries `version`, and a helper of another version refuses it.
  case hello
  /// Asks for a session: the helper proves that the caller is the account's owner, with prompts.
  case session
  /// Answers a prompt.
  case answer(SecretBytes)
  /// Declines to answer a prompt, which ends the re-authentication.
  case cancel
  /// Asks for a new secret. Needs a session.
  case generateSecret(TOTPParameters)
  /// Confirms the secret with a code that was made from it, and asks to enrol it. Needs a session.
  case enroll(EnrollmentRequest)
  /// Asks what is enrolled.
  case list
  /// Gives a factor another name. Needs a session.
  case rename(factor: FactorID, displayName: DisplayName)
  /// Takes a factor away. Needs a session.
  case unenroll(factor: FactorID)
  /// Has a code checked as at sign-in, which counts as an attempt and uses the code up.
  case test(SecretBytes)
  /// Ends the conversation.
  case bye

  /// The version of the protocol.
  public static let version: UInt8 = 1

  /// The longest answer and the longest code in bytes: PAM_MAX_RESP_SIZE.
  public static let longestAnswer = 512

  /// The message with its frame. Fails when an answer is longer than `longestAnswer`.
  @export(interface)
  public borrowing func encoded() throws(MessageRefusal) -> SecretBytes {
    switch self {
    case .hello:
      var writer = MessageWriter(kind: Kind.hello)
      writer.field(Self.version)
      return try writer.finish()
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
    case .list:
      return try MessageWriter(kind: Kind.list).finish()
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
    case .bye:
      return try MessageWriter(kind: Kind.bye).finish()
    }
  }

  /// Reads a message from a frame's body.
  @export(interface)
  public init(body: Span<UInt8>) throws(MessageRefusal) {
    var reader = MessageReader(body)
    let kind = try reader.kind()
    switch kind {
    case Kind.hello:
      let version = try reader.number(UInt8.self)
      guard version == Self.version else { throw .unsupportedVersion(version) }
      try reader.end()
      self = .hello
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
    default:
      throw .unknownKind(kind)
    }
  }

  /// The numbers of the kinds.
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
  }
}
