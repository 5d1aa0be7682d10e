import Foundation
import MFABase
import MFAModel
import MFASignInTestSupport
import MFAStore
import MFATestSupport
import MFAWire
import Testing

@testable import MFADecider

/// A client that sends requests from a script and records the responses.
final class ScriptedClient: FrameLink {
  /// A response.
  enum Heard: Equatable {
    case welcome(String, issuer: String), prompt(String, echo: Bool), notice(String)
    case sessionStarted(UInt32), secret, enrolled, factors([String]), done
    case unenrolled(signedOut: Bool), signedIn(UsedCode), recognized(UnusedCode), failed(
      HelperFailure)
    case status(AccountStatus), recoveryCodes(Int), forgotten(UInt8)
    case codeSent(String, UInt32)
    case programPassword, programPasswords([String])
  }

  /// A request, created when it is sent; nil ends the stream.
  typealias Line = (ScriptedClient) throws -> HelperRequestBox?

  var script: [Line]
  var heard: [Heard] = []
  /// The last secret.
  var secret: [UInt8] = []
  /// The last recovery codes, as they are shown.
  var recoveryCodes: [String] = []
  /// The last password for a program.
  var programPassword = ""
  /// The passwords for programs that were last listed or made.
  var programPasswords: [ProgramPasswordSummary] = []
  /// The factors that were last listed or enrolled.
  var summaries: [FactorSummary] = []

  init(_ script: [Line]) { self.script = script }

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
    case .prompt(let prompt, let kind): heard.append(.prompt(text(prompt.utf8), echo: kind.echo))
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
    case .programPassword(let new):
      programPassword = text(new.text.span.indices.map { new.text.span[$0] })
      programPasswords = [new.summary]
      heard.append(.programPassword)
    case .programPasswords(let passwords):
      programPasswords = passwords
      heard.append(.programPasswords(passwords.map { text($0.name.utf8) }))
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

/// A suite in which clients of the helper follow scripts.
protocol ScriptedConversations {
  var host: ScriptedHost { get }
}

extension ScriptedConversations {
  typealias Line = ScriptedClient.Line

  /// Runs a conversation, in which every line of the script must be used.
  func run(
    _ script: [Line], _ converse: (ScriptedClient) throws -> Void
  ) throws -> ScriptedClient {
    let client = ScriptedClient([{ _ in try HelperRequestBox(.hello(.english)) }] + script)
    try converse(client)
    #expect(client.script.isEmpty, "not every line of the script was used")
    return client
  }

  func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

  func answer(_ text: String) -> Line { { _ in try HelperRequestBox(.answer(secret(text))) } }

  var session: Line { { _ in try HelperRequestBox(.session) } }
  var generate: Line { { _ in try HelperRequestBox(.generateSecret(.standard)) } }
  var makeCodes: Line { { _ in try HelperRequestBox(.generateRecoveryCodes) } }
  var list: Line { { _ in try HelperRequestBox(.list) } }
  var status: Line { { _ in try HelperRequestBox(.status) } }

  /// Returns a request with a code of the generated secret, sent after `change`.
  func enroll(
    _ name: String = "Phone", steps: Int64 = 0, wrong: Bool = false,
    meanwhile change: @escaping () throws -> Void = {}
  ) -> Line {
    { [host] client in
      let code =
        wrong ? "12345" : try KnownFactor.code(at: host.time, steps: steps, secret: client.secret)
      try change()
      return try HelperRequestBox(
        .enroll(
          EnrollmentRequest(
            code: secret(code), displayName: try #require(DisplayName(Array(name.utf8))))))
    }
  }

  @discardableResult
  func enrollKnown(_ name: String = "Old") throws -> Factor {
    try host.enroll(name)
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

/// A store without records and its key in a temporary folder, which is removed at the end.
final class StoreFolder {
  /// The folder, whose parents only root can change.
  let path = "/var/lib/mfa-resident-\(UUID().uuidString)"

  init() throws {
    for part in ["", "/store", "/store/factors", "/store/attempts", "/store/mail"] {
      try Command.succeed(["/bin/mkdir", "-m", "0700", path + part])
    }
    try writeKey(0)
  }

  deinit { do { try FileManager.default.removeItem(atPath: path) } catch {} }

  func location() throws -> StoreLocation {
    guard let directory = TrustedPath(Array("\(path)/store".utf8)),
      let key = TrustedPath(Array("\(path)/key".utf8))
    else { throw FactorStoreError.nameTooLong }
    return StoreLocation(directory: directory, key: key)
  }

  /// Returns a cache whose clock is ahead, so that every file counts as old.
  func cache() throws -> StoreCache {
    StoreCache(try location(), now: { Clock.nanoseconds() + 10_000_000_000 })
  }

  /// Writes a key of these bytes in place.
  func writeKey(_ byte: UInt8) throws {
    let key = Data(repeating: byte, count: SealingKey.length)
    try key.write(to: URL(fileURLWithPath: path + "/key"))
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path + "/key")
  }

  /// Waits until the file system's clock has advanced, so that later changes have later times.
  func tick() throws {
    let clock = path + "/clock"
    func write() throws -> FileIdentity? {
      try Data().write(to: URL(fileURLWithPath: clock))
      return try FileIdentity.of(Array(clock.utf8))
    }
    let before = try write()
    while try write() == before {}
  }

  /// Runs a shell script with `$S` as the store's folder and `$K` as the key.
  func run(_ script: String) throws {
    try Command.succeed(
      ["/bin/sh", "-ec", script], environment: ["S": path + "/store", "K": path + "/key"])
  }

  /// The names of the files in the folder `mail`.
  func mail() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path + "/store/mail").sorted()
  }
}

/// Authentication by a password.
struct PasswordProof: AccountProof {
  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult {
    prompter.tell(DisplayText(cleaning: Array("hello".utf8)))
    guard let answer = prompter.ask(DisplayText(cleaning: Array("Password: ".utf8)), echo: false)
    else {
      return .noAnswer
    }
    return constantTimeEquals(answer.span, Array("right".utf8).span) ? .proven : .wrong
  }
}

/// The kernel audit records of a test.
final class AuditTrail {
  /// The records, for example `management mfa:enrolled true`.
  private(set) var records: [String] = []

  func write(_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) {
    records.append("\(kind) \(String(decoding: operation, as: UTF8.self)) \(succeeded)")
  }
}
