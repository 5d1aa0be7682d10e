import MFABase

/// Why a client of the helper sends no further request.
package enum ClientEnd: UInt8, Sendable {
  /// The client has ended, or was silent for too long.
  case ended = 0
  /// The client sent a frame that is empty or too long.
  case malformed = 1
}

/// A message from the module, or from the helper, to the resident service. PROTOCOL.md defines the
/// encoding.
///
/// MUST 1: an encoded message parses to an equal value, and no other bytes parse.
/// (`ModuleMessageTests`)
/// MUST 2: an answer that a user typed is held only in `SecretBytes`.
package enum ModuleMessage: ~Copyable {
  /// Begins a conversation about a sign-in.
  case start(ConversationStart)
  /// Answers `ask` and `earlierAnswer`.
  case reply(Reply)
  /// Answers `fact`: the value, or nil if it is unknown.
  case fact([UInt8]?)
  /// Begins a conversation with `mfa-helper`, which relays for its own client. The packet tells the
  /// real user ID of the helper; the terminal is that of the helper, or nil.
  case manage(terminal: [UInt8]?)
  /// Answers `readClient`: the body of a request of the helper's client.
  case clientRequest(SecretBytes)
  /// Answers `readClient`: there is no request.
  case noRequest(ClientEnd)
  /// Answers `prove`: whether the user proved to own the account, as `ProofResult.number`. 1 if so.
  case proven(UInt8)

  /// The lowest version of the protocol that is supported.
  package static let lowestVersion: UInt8 = 1
  /// The highest version of the protocol that is supported.
  package static let version: UInt8 = 2

  /// The largest number of codes that the user may try in one sign-in.
  package static let maximumTries: UInt8 = 5

  enum Kind {
    static let start: UInt8 = 0x01
    static let reply: UInt8 = 0x02
    static let fact: UInt8 = 0x03
    static let manage: UInt8 = 0x11
    static let clientRequest: UInt8 = 0x12
    static let noRequest: UInt8 = 0x13
    static let proven: UInt8 = 0x14
  }

  /// The largest number of arguments that is sent. A line of a service file holds fewer.
  private static var maximumArguments: Int { 64 }

  /// The largest number of answered questions that is sent.
  package static let maximumAnswers = 8

  /// The longest answer in bytes: PAM_MAX_RESP_SIZE.
  package static let longestAnswer = 512

  // MARK: Writing

  /// Returns a packet with this message alone, or nil if it is too long to be sent.
  package consuming func packet() -> SecretBytes? {
    var writer = PacketWriter()
    switch consume self {
    case .start(let start): Self.write(start, to: &writer)
    case .reply(let reply):
      writer.begin(Kind.reply)
      reply.write(to: &writer)
    case .fact(let value):
      writer.begin(Kind.fact)
      writer.field(value)
    case .manage(let terminal):
      writer.begin(Kind.manage)
      writer.field(Self.lowestVersion)
      writer.field(Self.version)
      writer.field(terminal)
    case .clientRequest(let body):
      writer.begin(Kind.clientRequest)
      writer.field(body.span)
    case .noRequest(let reason):
      writer.begin(Kind.noRequest)
      writer.field(reason.rawValue)
    case .proven(let result):
      writer.begin(Kind.proven)
      writer.field(result)
    }
    writer.end()
    return writer.finish()
  }

  private static func write(_ start: consuming ConversationStart, to writer: inout PacketWriter) {
    let request = start.request
    writer.begin(Kind.start)
    writer.field(lowestVersion)
    writer.field(start.tryNumber == nil ? lowestVersion : version)
    writer.field(start.line.rawValue)
    writer.field(start.showsMessages)
    writer.field(start.caller)
    writer.field(request.user)
    writer.field(request.service)
    writer.field(request.remoteHost)
    writer.field(request.terminal)
    writer.field(start.note)
    writer.field(UInt8(truncatingIfNeeded: min(request.arguments.count, maximumArguments)))
    for argument in request.arguments.prefix(maximumArguments) { writer.field(argument) }
    writer.field(UInt8(truncatingIfNeeded: min(start.answered.count, maximumAnswers)))
    for answered in start.answered.prefix(maximumAnswers) { answered.write(to: &writer) }
    guard let number = start.tryNumber else { return }
    writer.field(number)
    writer.field(start.failedTries)
  }

  // MARK: Reading

  /// Reads a packet that contains one message.
  package static func read(_ packet: Span<UInt8>) throws(PacketError) -> ModuleMessage {
    var reader = PacketReader(packet)
    let message = try message(&reader)
    guard try reader.next() == nil else { throw .malformed }
    return message
  }

  @_lifetime(reader: copy reader)
  private static func message(_ reader: inout PacketReader) throws(PacketError) -> ModuleMessage {
    guard let kind = try reader.next() else { throw .malformed }
    switch kind {
    case Kind.start: return .start(try start(&reader))
    case Kind.reply: return .reply(try reply(&reader))
    case Kind.fact: return .fact(try reader.optionalBytes())
    case Kind.manage:
      _ = try commonVersion(&reader)
      return .manage(terminal: try reader.optionalBytes(longest: SignInRequest.longestItem))
    case Kind.clientRequest: return .clientRequest(try reader.secret())
    case Kind.noRequest:
      guard let reason = ClientEnd(rawValue: try reader.number(UInt8.self)) else {
        throw .malformed
      }
      return .noRequest(reason)
    case Kind.proven: return .proven(try reader.number(UInt8.self))
    case let kind: throw .unknownKind(kind)
    }
  }

  /// Reads the lowest and the highest version that the sender supports. Returns the highest version
  /// that both support.
  @_lifetime(reader: copy reader)
  private static func commonVersion(_ reader: inout PacketReader) throws(PacketError) -> UInt8 {
    let lowest = try reader.number(UInt8.self)
    let highest = try reader.number(UInt8.self)
    guard lowest <= version, lowest <= highest, lowestVersion <= highest else { throw .malformed }
    return min(highest, version)
  }

  @_lifetime(reader: copy reader)
  private static func start(_ reader: inout PacketReader) throws(PacketError) -> ConversationStart {
    let version = try commonVersion(&reader)
    guard let line = ModuleLine(rawValue: try reader.number(UInt8.self)) else { throw .malformed }
    let showsMessages = try reader.flag()
    let caller = try reader.number(UInt32.self)
    let user = try reader.bytes(longest: SignInRequest.longestItem)
    let service = try reader.bytes(longest: SignInRequest.longestItem)
    let remoteHost = try reader.optionalBytes(longest: SignInRequest.longestItem)
    let terminal = try reader.optionalBytes(longest: SignInRequest.longestItem)
    let note = try reader.optionalBytes(longest: SignInRequest.longestItem &+ 1)
    let count = Int(try reader.number(UInt8.self))
    guard count <= maximumArguments else { throw .malformed }
    var arguments: [[UInt8]] = []
    for _ in 0..<count {
      arguments.append(try reader.bytes(longest: SignInRequest.longestItem))
    }
    let answers = Int(try reader.number(UInt8.self))
    guard answers <= maximumAnswers else { throw .malformed }
    var answered: [AnsweredQuestion] = []
    for _ in 0..<answers {
      let echo = try reader.flag()
      let prompt = try reader.bytes()
      answered.append(AnsweredQuestion(prompt, echo: echo, reply: try reply(&reader)))
    }
    let tryNumber = version < 2 ? nil : try reader.number(UInt8.self)
    let failedTries = version < 2 ? 0 : try reader.number(UInt8.self)
    guard (1...maximumTries).contains(tryNumber ?? 1), failedTries < tryNumber ?? 1 else {
      throw .malformed
    }
    return ConversationStart(
      line,
      SignInRequest(
        user: user, service: service, remoteHost: remoteHost, terminal: terminal,
        arguments: arguments),
      showsMessages: showsMessages, caller: caller, note: note, tryNumber: tryNumber,
      failedTries: failedTries, answered: answered)
  }

  @_lifetime(reader: copy reader)
  private static func reply(_ reader: inout PacketReader) throws(PacketError) -> Reply {
    switch try reader.number(UInt8.self) {
    case 0: return .none
    case 1: return .text(try reader.secret(longest: longestAnswer))
    case 2: return .tooLong
    case _: throw .malformed
    }
  }
}

extension Reply {
  /// Appends the reply to a message.
  borrowing func write(to writer: inout PacketWriter) {
    switch self {
    case .none: writer.field(0 as UInt8)
    case .text(let answer):
      writer.field(1 as UInt8)
      writer.field(answer.span)
    case .tooLong: writer.field(2 as UInt8)
    }
  }
}
