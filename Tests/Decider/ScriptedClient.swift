import MFABase
import MFADecider
import MFAModel
import MFASignInTestSupport
import MFAWire

/// A client that sends requests from a script and records the responses.
final class ScriptedClient: FrameLink {
  /// A response.
  enum Heard: Equatable {
    case welcome(String, issuer: String), prompt(String, echo: Bool), notice(String)
    case sessionStarted(UInt32), secret, enrolled, factors([String]), done
    case unenrolled(signedOut: Bool), tested, signedIn(UsedCode), recognized(UnusedCode), failed(
      HelperFailure)
    case status(AccountStatus), recoveryCodes(Int), forgotten(UInt8)
    case codeSent(String, UInt32)
  }

  /// The requests, created when they are sent; nil ends the stream.
  var script: [(ScriptedClient) throws -> HelperRequestBox?]
  var heard: [Heard] = []
  /// The last secret.
  var secret: [UInt8] = []
  /// The last recovery codes, as they are shown.
  var recoveryCodes: [String] = []
  /// The factors that were last listed or enrolled.
  var summaries: [FactorSummary] = []

  init(_ script: [(ScriptedClient) throws -> HelperRequestBox?]) { self.script = script }

  /// The helper's time limit for each request, in seconds.
  var waits: [Int64] = []

  func receiveBody(seconds: Int64) -> ClientFrame {
    waits.append(seconds)
    guard !script.isEmpty else { return .ended }
    do {
      guard let box = try script.removeFirst()(self) else { return .ended }
      return .body(SecretBytes(copying: box.body.span))
    } catch {
      return .malformed
    }
  }

  func send(_ frames: Span<UInt8>) -> Bool {
    var rest = frames
    while rest.count > 0 {
      do {
        let length = try Frame.bodyLength(header: rest.extracting(first: Frame.headerLength))
        let frame = rest.extracting(first: Frame.headerLength + length)
        hear(try HelperResponse(body: frame.extracting(droppingFirst: Frame.headerLength)))
        rest = rest.extracting(droppingFirst: frame.count)
      } catch {
        return false
      }
    }
    return true
  }

  private func hear(_ response: consuming HelperResponse) {
    switch consume response {
    case .welcome(let user, let issuer):
      heard.append(.welcome(text(user.bytes), issuer: text(issuer.utf8)))
    case .prompt(let prompt, let echo): heard.append(.prompt(text(prompt.utf8), echo: echo))
    case .notice(let notice): heard.append(.notice(text(notice.utf8)))
    case .sessionStarted(let seconds): heard.append(.sessionStarted(seconds))
    case .secret(let generated):
      secret = []
      for index in generated.key.span.indices { secret.append(generated.key.span[index]) }
      heard.append(.secret)
    case .enrolled: heard.append(.enrolled)
    case .factors(let factors):
      summaries = factors
      heard.append(.factors(factors.map { text($0.displayName.utf8) }))
    case .done: heard.append(.done)
    case .unenrolled(let signedOut, endsSessions: _):
      heard.append(.unenrolled(signedOut: signedOut))
    case .tested: heard.append(.tested)
    case .signedIn(let code): heard.append(.signedIn(code))
    case .recognized(let code): heard.append(.recognized(code))
    case .failed(let failure): heard.append(.failed(failure))
    case .status(let status): heard.append(.status(status))
    case .recoveryCodes(let codes):
      recoveryCodes = []
      for number in 0..<codes.count {
        let start = number * RecoveryCodeList.codeLength
        recoveryCodes.append(
          text((start..<start + RecoveryCodeList.codeLength).map { codes.text.span[$0] }))
      }
      heard.append(.recoveryCodes(codes.count))
    case .forgotten(let places): heard.append(.forgotten(places))
    case .codeSent(let number, let seconds): heard.append(.codeSent(text(number.ascii), seconds))
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension ScriptedHost {
  /// Runs a conversation of the helper with a client, whose requests are decided in this process. Each request and
  /// reply is encoded and read back. Before each request, the one that `replaying` returns for it is decided too.
  func converse(
    with client: ScriptedClient, servesAllUsers: Bool = false, terminal: [UInt8]? = nil,
    proof: some AccountProof = PasswordProof(),
    log: @escaping (LogPriority, LogLine) -> Void = { _, _ in },
    audit: @escaping (Audit.Kind, [UInt8], Bool) -> Void = { _, _, _ in },
    mail: @escaping ([UInt8], [UInt8]) -> Mailing = { _, _ in .sent },
    replaying: @escaping ([UInt8]) -> [UInt8]? = { _ in nil }
  ) throws {
    guard let caller = account else { throw PacketError.malformed }
    let conversation = HelperConversation(
      with: client, of: caller, terminal: terminal, proof: proof
    ) { [self] call in
      var call = call
      guard let packet = call.packet() else { return nil }
      do throws(PacketError) {
        if let earlier = replaying(packet.span.copied()) {
          let again = try ManagementCall(packet: SecretBytes(copying: earlier.span))
          var management = Management(
            caller: caller, terminal: nil, host: self, log: log, audit: audit, mail: mail)
          _ = management.reply(to: again)
        }
        let read = try ManagementCall(packet: SecretBytes(copying: packet.span))
        var management = Management(
          caller: caller, servesAllUsers: servesAllUsers, terminal: read.terminal, host: self,
          log: log, audit: audit, mail: mail)
        var reply = management.reply(to: read)
        defer { management.finish(wasSent: true) }
        guard let answer = reply.packet() else { return nil }
        return try ManagementReply(packet: answer)
      } catch {
        return nil
      }
    }
    guard conversation.run() == .done else { throw PacketError.malformed }
  }
}

/// The body of a request, which unlike a request can be copied.
struct HelperRequestBox {
  let body: [UInt8]

  init(_ request: consuming HelperRequest) throws {
    let frame = try request.encoded()
    var body: [UInt8] = []
    for index in Frame.headerLength..<frame.count { body.append(frame.span[index]) }
    self.body = body
  }
}
