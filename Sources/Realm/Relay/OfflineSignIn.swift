#if Fleet
import MFABase
import MFACMFA
import MFACrypto
import MFAMessages
import MFAModel
import MFARealm
import MFARealmTransport
import MFAWire
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

  /// How often a user may type a code in one sign-in.
  private static var tries: UInt8 { 3 }
  /// How long after the `auth` line the `account` line may come.
  private static var accountPatience: Duration { .seconds(120) }

  /// What the relay reads of a request of the module.
  struct Start: Sendable {
    let line: ModuleLine
    let user: [UInt8]
    let service: [UInt8]
    let remoteHost: [UInt8]?
    let terminal: [UInt8]?
    let hasOwnPolicy: Bool
    let isAllowedByAuth: Bool
    /// The methods that succeeded before PAM ran, as sshd reports them; empty for another service.
    let methods: [UInt8]
    /// How many codes the user has typed, and the last of them; nil if the relay has not asked yet.
    fileprivate let typed: (count: UInt8, text: PrivateText)?

    /// The first byte of the relay's own continuations, which have no secret: what they count is counted by
    /// the store too. A verifier cannot open them, and asks anew.
    private static let mark: UInt8 = 0x4F

    /// What comes with the question for the code after `count` others.
    static func continuation(after count: UInt8) -> [UInt8] { [mark, count] }

    /// Reads the packet. Returns nil if it is not a request of the module.
    init?(_ packet: PacketBytes) {
      do throws(PacketError) {
        var call = try SignInCall(packet: packet.withSpan { SecretBytes(copying: $0) })
        let request = call.request
        line = call.line
        user = request.user
        service = request.service
        remoteHost = request.remoteHost
        terminal = request.terminal
        hasOwnPolicy = request.arguments.contains { $0.starts(with: "config=".utf8) }
        isAllowedByAuth = call.note == [TransactionNote.allowed.rawValue] + request.user
        methods = request.service == Array("sshd".utf8) ? call.earlierMethods ?? [] : []
        if call.continuation.count == 2, call.continuation[0] == Self.mark {
          var text = PrivateText(SecretBytes(count: 0))
          switch call.takeAnswer() {
          case .text(let answer): text = PrivateText(answer)
          case .absent: break
          case .tooLong: break
          }
          typed = (call.continuation[1], text)
        } else {
          typed = nil
        }
      } catch {
        return nil
      }
    }

    /// Where the user signs in from.
    var source: [UInt8] { remoteHost.flatMap { $0.isEmpty ? nil : $0 } ?? terminal ?? [] }

    /// A digest of the numeric address and the keys that sshd verified, or nil if no address is known.
    func origin() throws -> [UInt8]? {
      guard let remoteHost, let address = IPAddress(remoteHost.span) else { return nil }
      return try OfflineSignIn.digest(address.text + [0] + methods)
    }
  }

  fileprivate static func digest(_ place: [UInt8]) throws -> [UInt8] {
    var hash = try HMAC(
      algorithm: .sha256, key: [UInt8](repeating: 0, count: HeldPermit.originLength).span)
    let tag = try hash.tag(of: place.span)
    return PacketBytes(tag).copied()
  }

  // MARK: Deciding

  /// Returns the reply to a request that no verifier answered.
  func reply(
    to start: Start, _ facts: HostFacts, origin: [UInt8]?
  ) async throws -> SignInReply {
    guard facts.peerUser == 0, !start.hasOwnPolicy, let account = facts.user?.account else {
      return deny(.notPermitted, start)
    }
    switch start.line {
    case .auth: break
    case .account:
      guard start.isAllowedByAuth, hasJustAllowed(account.name) else {
        return deny(.notPermitted, start)
      }
      return end(.allow, saying: nil, start)
    case .session: return end(.deny, saying: nil, start)
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
    case .denied(let denial): return deny(denial, start)
    case .remembered:
      log(.notice, "remembered", start)
      return allow(account.name, saying: nil, start)
    case .breakGlass:
      log(.alert, "break-glass", start)
      return allow(account.name, saying: .breakGlass, start)
    case .code: return try await askForCode(account.name, start, attempt)
    }
  }

  private func askForCode(
    _ user: [UInt8], _ start: Start, _ attempt: () throws(SystemError) -> OfflineAccess.Attempt
  ) async throws -> SignInReply {
    guard let typed = start.typed else { return ask(after: .explanation, count: 0, start) }
    let (present, phase) = (try attempt(), health.phase)
    let result = try await threads.runIfActive { [store] in
      try Self.verify(typed.text) { code throws(RealmError) in
        try store.verify(code, present, phase, from: start.source)
      }
    }
    let message: OfflineMessage
    switch result {
    case nil: message = .notACode
    case .wrong:
      log(.notice, "wrong-code", start)
      message = .wrongCode
    case .denied(let denial): return deny(denial, start)
    case .accepted(let left):
      log(.notice, "recovery-code", start)
      return allow(user, saying: .accepted(left: Int64(left)), start)
    }
    guard typed.count &+ 1 < Self.tries else {
      return end(.deny, saying: message, start)
    }
    return ask(after: message, count: typed.count &+ 1, start)
  }

  /// Calls `body` with the code that the user typed. Returns nil if the user typed something else.
  private static func verify(
    _ typed: PrivateText,
    _ body: (borrowing RecoveryCode) throws(RealmError) -> OfflineStore.CodeResult
  ) throws(RealmError) -> OfflineStore.CodeResult? {
    guard let code = RecoveryCode(answer: typed.copy().span) else { return nil }
    return try body(code)
  }

  private func ask(
    after message: OfflineMessage, count: UInt8, _ start: Start
  ) -> SignInReply {
    let language = language(of: start)
    let prompt = OfflineMessage.prompt.text(in: language).utf8
    return SignInReply(
      [Self.tell(message, in: language)],
      .question(
        PrivateText(copying: prompt.span), echo: false,
        continuation: Start.continuation(after: count)))
  }

  // MARK: Verdicts

  private func hasJustAllowed(_ user: [UInt8]) -> Bool {
    allowed.withLock { allowed in
      allowed = allowed.filter { $0.value > .now }
      return allowed[user] != nil
    }
  }

  private func allow(
    _ user: [UInt8], saying message: OfflineMessage?, _ start: Start
  ) -> SignInReply {
    allowed.withLock { $0[user] = .now + Self.accountPatience }
    return end(.allow, saying: message, start)
  }

  private func deny(_ denial: OfflineAccess.Denial, _ start: Start) -> SignInReply {
    log(.notice, denial.reason, start)
    return end(.deny, saying: denial.message, start)
  }

  private func end(
    _ verdict: mfa_verdict, saying message: OfflineMessage?, _ start: Start
  ) -> SignInReply {
    guard let message else { return SignInReply([], endingWith: verdict) }
    let language = language(of: start)
    var effects: [SignInEffect] = []
    if start.service == Array("sshd".utf8) {
      let prompt = SignInMessage.closingPrompt.text(in: language).utf8
      effects.append(.closingPrompt(prompt.span))
    }
    effects.append(Self.tell(message, in: language, last: verdict == .deny))
    return SignInReply(effects, endingWith: verdict)
  }

  /// The language of the user who signs in, or English if it is not known or the terminal cannot show it.
  private func language(of start: Start) -> Language {
    guard let language = store.language(of: start.user),
      language.isShown(atTerminal: start.terminal)
    else { return .english }
    return language
  }

  private static func tell(
    _ message: OfflineMessage, in language: Language, last: Bool = false
  ) -> SignInEffect {
    let text = message.text(in: language).wrapped(to: MessageText.moduleColumns)
    return .tell(text.utf8.span, as: last ? .ending : .error, essential: true)
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

extension OfflineAccess.Denial {
  /// What the user reads: why the sign-in is denied, and what to do.
  var message: OfflineMessage {
    switch self {
    case .verifierMayAnswer: .tryAgain
    case .queueDamaged, .queueFull, .clockWentBack: .undecidable
    case .noPermit, .notPermitted: .notPermitted
    case .expired: .tooLongAgo
    case .noCodes: .noCodes
    case .throttled(let seconds): .throttled(seconds: seconds)
    case .locked: .locked
    }
  }

  /// The reason in the log.
  var reason: StaticString {
    switch self {
    case .verifierMayAnswer: "verifier-may-answer"
    case .queueDamaged: "queue-damaged"
    case .queueFull: "queue-full"
    case .clockWentBack: "clock-went-back"
    case .noPermit: "no-permit"
    case .expired: "permit-expired"
    case .notPermitted: "not-permitted"
    case .noCodes: "no-codes"
    case .throttled: "throttled"
    case .locked: "locked"
    }
  }
}
#endif
