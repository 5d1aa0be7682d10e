import MFAWire
import MFABase
import MFAResidentTestSupport

/// Reads packets of the resident service's protocol, in both directions.
///
/// A packet that parses is encoded to the same bytes, except for the versions, of which the product
/// writes only its own. The fields of a message to the service are bounded.
enum PacketsTarget {
  static func check(_ input: [UInt8]) throws {
    if let packet = try packet(toService: input) {
      try require(
        packet == withOwnVersion(input), "a message to the service is encoded differently")
    }
    if let packet = packet(fromService: input) {
      try require(packet == input, "messages from the service are encoded differently")
    }
  }

  /// Returns a packet of each kind of message, and one with all messages from the service.
  static func samples() -> [[UInt8]] {
    var all = PacketWriter()
    for message in MessageSamples.serviceMessages { message().write(to: &all) }
    return MessageSamples.moduleMessages.compactMap { bytes(of: $0().packet()) }
      + MessageSamples.serviceMessages.compactMap { message in
        var writer = PacketWriter()
        message().write(to: &writer)
        return bytes(of: writer.finish())
      } + [bytes(of: all.finish()) ?? []]
  }

  private static func bytes(of packet: consuming SecretBytes?) -> [UInt8]? {
    guard let packet else { return nil }
    return packet.span.copied()
  }

  /// Returns the encoded packet of a parsed message, or nil if the packet does not parse.
  private static func packet(toService input: [UInt8]) throws -> [UInt8]? {
    let message: ModuleMessage
    do throws(PacketError) { message = try ModuleMessage.read(input.span) } catch { return nil }
    return bytes(of: try bounded(message).packet())
  }

  /// Returns the message. Throws if a field is longer than it may be.
  private static func bounded(_ message: consuming ModuleMessage) throws -> ModuleMessage {
    switch consume message {
    case .start(let start):
      let request = start.request
      let items =
        [request.user, request.service, request.remoteHost ?? [], request.terminal ?? []]
        + request.arguments
      try require(
        items.allSatisfy { $0.count <= SignInRequest.longestItem }, "an item is too long")
      try require(request.arguments.count <= 64, "there are too many arguments")
      try require(start.note?.count ?? 0 <= SignInRequest.longestItem + 1, "a note is too long")
      try require(
        start.answered.count <= ModuleMessage.maximumAnswers, "there are too many answers")
      let answered = try start.answered.map { question in
        AnsweredQuestion(
          question.prompt, echo: question.echo, reply: try bounded(question.takeReply()))
      }
      return .start(
        ConversationStart(
          start.line, request, showsMessages: start.showsMessages, caller: start.caller,
          note: start.note, tryNumber: start.tryNumber, failedTries: start.failedTries,
          answered: answered))
    case .reply(let reply): return .reply(try bounded(reply))
    case .manage(let terminal):
      try require(terminal?.count ?? 0 <= SignInRequest.longestItem, "a terminal is too long")
      return .manage(terminal: terminal)
    case .fact(let value): return .fact(value)
    case .clientRequest(let body): return .clientRequest(body)
    case .noRequest(let reason): return .noRequest(reason)
    case .proven(let result): return .proven(result)
    }
  }

  private static func bounded(_ reply: consuming Reply) throws -> Reply {
    switch consume reply {
    case .none: return .none
    case .tooLong: return .tooLong
    case .text(let answer):
      try require(answer.count <= ModuleMessage.longestAnswer, "an answer is too long")
      return .text(answer)
    }
  }

  /// Returns the packet with the product's version in a message that has versions: `start` and
  /// `manage`.
  private static func withOwnVersion(_ packet: [UInt8]) -> [UInt8] {
    guard packet.first == 0x01 || packet.first == 0x11 else { return packet }
    let highest =
      packet[0] == 0x11 ? ModuleMessage.version : min(packet[4], ModuleMessage.version)
    return Array(packet.prefix(3)) + [ModuleMessage.lowestVersion, highest] + packet.dropFirst(5)
  }

  /// Returns the encoded packet of parsed messages, or nil if the packet does not parse.
  private static func packet(fromService input: [UInt8]) -> [UInt8]? {
    var reader = PacketReader(input.span)
    var writer = PacketWriter()
    do throws(PacketError) {
      while let message = try ServiceMessage.next(&reader) { message.write(to: &writer) }
    } catch {
      return nil
    }
    return bytes(of: writer.finish())
  }
}
