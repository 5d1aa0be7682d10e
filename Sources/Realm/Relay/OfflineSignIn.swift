#if Fleet
import MFACrypto
import MFARealm
import MFARealmTransport
import MFAMessages
import MFAModel
import MFAWire
import MFABase
import NIOPosix
import Synchronization

/// The sign-ins of this host while no verifier answers.
///
/// MUST 1: only an application that acts as root is served. (Tests/Fleet: `offline for users`)
/// MUST 2: the verdict that allows is sent only after the record of it is on disk. (Tests/Fleet: `killed between mark
/// and answer`)
final class OfflineSignIn: Sendable {
  let store: OfflineStore
  private let health: VerifierHealth
  /// The threads that wait for the disk and compute hashes.
  private let threads: NIOThreadPool
  /// The users whom an `auth` line has just allowed, and until when their `account` lines are allowed.
  private let allowed = Mutex<[[UInt8]: ContinuousClock.Instant]>([:])

  init(_ store: OfflineStore, _ health: VerifierHealth, threads: NIOThreadPool) {
    self.store = store
    self.health = health
    self.threads = threads
  }

  /// The numbers of the verdicts (mfa.h).
  private enum Number {
    static let denied: UInt8 = 0
    static let allowed: UInt8 = 1
  }

  /// How often a user may type a code in one sign-in.
  private static var tries: Int { 3 }
  /// How long a user may take to type a code.
  private static var patience: Duration { .seconds(300) }
  /// How long after the `auth` line the `account` line may come.
  private static var accountPatience: Duration { .seconds(120) }
  /// How long the module may take to state a fact.
  private static var factPatience: Duration { .seconds(2) }

  /// What the relay reads of the first packet of the module.
  struct Start: Sendable {
    let line: ModuleLine
    let user: [UInt8]
    let service: [UInt8]
    let remoteHost: [UInt8]?
    let terminal: [UInt8]?
    let hasOwnPolicy: Bool
    let isAllowedByAuth: Bool

    /// Reads the packet. Returns nil if it does not begin a sign-in.
    init?(_ packet: PacketBytes) {
      do throws(PacketError) {
        let start = try packet.withSpan { packet throws(PacketError) -> Start? in
          switch try ModuleMessage.read(packet) {
          case .start(let start): Start(start)
          default: nil
          }
        }
        guard let start else { return nil }
        self = start
      } catch {
        return nil
      }
    }

    private init(_ start: borrowing ConversationStart) {
      let request = start.request
      line = start.line
      user = request.user
      service = request.service
      remoteHost = request.remoteHost
      terminal = request.terminal
      hasOwnPolicy = request.arguments.contains { $0.starts(with: "config=".utf8) }
      isAllowedByAuth = start.note == [0x61] + request.user
    }

    /// Where the user signs in from.
    var source: [UInt8] { remoteHost.flatMap { $0.isEmpty ? nil : $0 } ?? terminal ?? [] }
  }

  // MARK: The place of a sign-in

  /// Returns a digest of the numeric address and the keys that sshd verified, or nil if no address is known. Asks the
  /// module for the keys, so the module must have sent nothing else.
  func origin(of start: Start, _ channel: PacketChannel) async throws -> [UInt8]? {
    guard let remoteHost = start.remoteHost, let address = IPAddress(remoteHost.span) else {
      return nil
    }
    var methods: [UInt8] = []
    if start.service == Array("sshd".utf8) {
      var writer = PacketWriter()
      ServiceMessage.fact(.earlierMethods).write(to: &writer)
      guard let question = writer.finish() else { return nil }
      try channel.send(PacketBytes(question))
      guard let reply = try await Self.packet(from: channel, within: Self.factPatience) else {
        return nil
      }
      methods = try reply.withSpan { packet throws(PacketError) -> [UInt8] in
        switch try ModuleMessage.read(packet) {
        case .fact(let value): value ?? []
        default: throw .malformed
        }
      }
    }
    return try Self.digest(address.text + [0] + methods)
  }

  private static func digest(_ place: [UInt8]) throws -> [UInt8] {
    var hash = try HMAC(
      algorithm: .sha256, key: [UInt8](repeating: 0, count: HeldPermit.originLength).span)
    let tag = try hash.tag(of: place.span)
    return PacketBytes(tag).copied()
  }

  private static func packet(
    from channel: PacketChannel, within limit: Duration
  ) async throws -> PacketBytes? {
    try await Deadline.limit(limit) {
      guard case .packet = try await channel.arrival() else { return nil }
      return try channel.take()
    } ?? nil
  }

  // MARK: Deciding

  /// Decides a sign-in that no verifier answered, and sends the verdict.
  func run(
    _ start: Start, _ facts: HostFacts, origin: [UInt8]?, _ channel: PacketChannel
  ) async throws {
    guard facts.peerUser == 0, !start.hasOwnPolicy, let account = facts.user?.account else {
      return deny(.notPermitted, start, channel)
    }
    switch start.line {
    case .auth: break
    case .account:
      guard start.isAllowedByAuth, hasJustAllowed(account.name) else {
        return deny(.notPermitted, start, channel)
      }
      return end(Number.allowed, saying: nil, start, channel)
    case .session: return end(Number.denied, saying: nil, start, channel)
    }
    let attempt = {
      () throws(SystemError) in
      OfflineAccess.Attempt(
        user: account.name, service: start.service, origin: origin, now: try Clock.now())
    }
    let phase = health.phase
    let first = try attempt()
    let decision = try await threads.runIfActive { [store] in
      try store.decideRecording(first, phase, from: start.source)
    }
    switch decision {
    case .denied(let denial): deny(denial, start, channel)
    case .remembered:
      log(.notice, "remembered", start)
      allow(account.name, saying: nil, start, channel)
    case .breakGlass:
      log(.alert, "break-glass", start)
      allow(account.name, saying: .breakGlass, start, channel)
    case .code: try await askForCode(account.name, start, channel, attempt)
    }
  }

  private func askForCode(
    _ user: [UInt8], _ start: Start, _ channel: PacketChannel,
    _ attempt: () throws(SystemError) -> OfflineAccess.Attempt
  ) async throws {
    var message = OfflineMessage.explanation
    for _ in 0..<Self.tries {
      guard let reply = try await answerToPrompt(after: message, start, channel) else { return }
      let (typed, phase) = (try attempt(), health.phase)
      let result = try await threads.runIfActive { [store] in
        try Self.verify(reply) { code throws(OfflineStoreError) in
          try store.verify(code, typed, phase, from: start.source)
        }
      }
      switch result {
      case nil: message = .notACode
      case .wrong:
        log(.notice, "wrong-code", start)
        message = .wrongCode
      case .denied(let denial): return deny(denial, start, channel)
      case .accepted(let left):
        log(.notice, "recovery-code", start)
        return allow(user, saying: .accepted(left: Int64(left)), start, channel)
      }
    }
    end(Number.denied, saying: message, start, channel)
  }

  /// Calls `body` with the code in the module's reply to a question. Returns nil if the user typed something else.
  private static func verify(
    _ reply: PacketBytes,
    _ body: (borrowing RecoveryCode) throws(OfflineStoreError) -> OfflineStore.CodeResult
  ) throws(OfflineStoreError) -> OfflineStore.CodeResult? {
    try reply.withSpan { packet throws(OfflineStoreError) -> OfflineStore.CodeResult? in
      guard let answer = Self.answer(in: packet), let code = RecoveryCode(answer: answer.span)
      else {
        return nil
      }
      return try body(code)
    }
  }

  private static func answer(in packet: Span<UInt8>) -> SecretBytes? {
    do throws(PacketError) {
      switch try ModuleMessage.read(packet) {
      case .reply(.text(let answer)): return answer
      default: return nil
      }
    } catch {
      return nil
    }
  }

  private func answerToPrompt(
    after message: OfflineMessage, _ start: Start, _ channel: PacketChannel
  ) async throws -> PacketBytes? {
    let language = language(of: start)
    let prompt = OfflineMessage.prompt.text(in: language).utf8
    var writer = PacketWriter()
    Self.tell(message, in: language, &writer)
    ServiceMessage.ask(prompt: SecretBytes(copying: prompt.span), echo: false, lastNumber: nil)
      .write(to: &writer)
    guard let question = writer.finish() else { return nil }
    try channel.send(PacketBytes(question))
    return try await Self.packet(from: channel, within: Self.patience)
  }

  // MARK: Verdicts

  private func hasJustAllowed(_ user: [UInt8]) -> Bool {
    allowed.withLock { allowed in
      allowed = allowed.filter { $0.value > .now }
      return allowed[user] != nil
    }
  }

  private func allow(
    _ user: [UInt8], saying message: OfflineMessage?, _ start: Start, _ channel: PacketChannel
  ) {
    allowed.withLock { $0[user] = .now + Self.accountPatience }
    end(Number.allowed, saying: message, start, channel)
  }

  private func deny(_ denial: OfflineAccess.Denial, _ start: Start, _ channel: PacketChannel) {
    log(.notice, denial.reason, start)
    end(Number.denied, saying: denial.message, start, channel)
  }

  private func end(
    _ verdict: UInt8, saying message: OfflineMessage?, _ start: Start, _ channel: PacketChannel
  ) {
    var writer = PacketWriter()
    if let message { Self.tell(message, in: language(of: start), &writer) }
    ServiceMessage.verdict(verdict).write(to: &writer)
    guard let packet = writer.finish() else { return }
    do throws(SystemError) {
      try channel.send(PacketBytes(packet))
    } catch {
      // The module has ended.
    }
  }

  /// The language of the user who signs in, or English if it is not known or the terminal cannot show it.
  private func language(of start: Start) -> Language {
    guard let language = store.language(of: start.user),
      language.isShown(atTerminal: start.terminal)
    else { return .english }
    return language
  }

  private static func tell(
    _ message: OfflineMessage, in language: Language, _ writer: inout PacketWriter
  ) {
    let text = message.text(in: language).wrapped(to: MessageText.moduleColumns)
    ServiceMessage.tell(
      text: SecretBytes(copying: Array(text.string.utf8).span), essential: true
    ).write(to: &writer)
  }

  private func log(_ priority: LogPriority, _ outcome: StaticString, _ start: Start) {
    var line = LogLine()
    line.add("part", "relay")
    line.add("offline", outcome)
    line.add("user", escaping: start.user)
    line.add("service", escaping: start.service)
    line.add("source", escaping: start.source)
    Log.write(priority, line)
  }
}
#endif
