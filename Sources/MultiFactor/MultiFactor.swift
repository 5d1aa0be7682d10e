import Factors
import FoundationEssentials
import HelperProtocol
import OneTimePassword
public import Secrets

/// The second factors of the person who runs this program.
///
/// It has no privilege: it starts the helper, which knows who called it, and asks. Each value holds
/// one conversation with the helper, begun when it is first needed. A conversation that broke is
/// begun anew by the next operation; sessions and secrets of the old one are worth nothing then.
///
/// MUST 1: an answer that does not belong to the question ends the conversation, and nothing is
/// concluded from it. (`MultiFactorTests.answersOutOfTurn`)
/// MUST 2: a program that uses it neither dies of SIGPIPE nor keeps a dead helper.
/// (`MultiFactorTests.helperEnds`)
public actor MultiFactor {
  /// Where the helper is installed.
  public static let helperPath = "/usr/lib/mfa/mfa-helper"

  /// Asks the person. Nil declines to answer.
  public typealias Reauthenticator =
    @Sendable (ReauthenticationPrompt) async -> SecretBytes?

  nonisolated let executor = HelperExecutor()
  private let open: @Sendable () throws(MultiFactorError) -> HelperPipes
  private let tell: @Sendable (String) -> Void
  private var conversation: Conversation?
  private var conversationsBegun = 0
  private var isAsking = false

  /// Prepares a conversation with the helper.
  ///
  /// - Parameter tell: shows the person a text that the host wants shown, such as that the password
  ///   expires soon. It holds no control characters but newlines.
  public init(tell: @escaping @Sendable (String) -> Void = { _ in }) {
    self.init(tell: tell) { () throws(MultiFactorError) in
      try HelperPipes(starting: MultiFactor.helperPath)
    }
  }

  init(
    tell: @escaping @Sendable (String) -> Void = { _ in },
    open: @escaping @Sendable () throws(MultiFactorError) -> HelperPipes
  ) {
    self.tell = tell
    self.open = open
  }

  // MARK: Who and for whom

  /// The account whose factors these are, in the account's own spelling.
  public var userName: String {
    get throws(MultiFactorError) {
      try begin()
      return conversation?.userName ?? ""
    }
  }

  /// Who the codes are for, in the words of the host's configuration.
  public var issuer: String {
    get throws(MultiFactorError) {
      try begin()
      return conversation?.issuer ?? ""
    }
  }

  // MARK: Sessions

  /// Has the helper recognise the owner of the account, and begins a session.
  ///
  /// - Parameter reauthenticate: asks the person what the host wants to know, mostly the password.
  /// - Returns: the session, which the operations that change something need.
  /// - Throws: `reauthenticationFailed` when the answers were wrong or declined,
  ///   `operationInProgress` while another session is being begun.
  public func session(
    reauthenticate: Reauthenticator
  ) async throws(MultiFactorError) -> MultiFactorSession {
    try begin()
    try send(.session)
    isAsking = true
    defer { isAsking = false }
    while true {
      switch try receive() {
      case .prompt(let text, let echo):
        let prompt = ReauthenticationPrompt(
          text: String(decoding: text.utf8, as: UTF8.self), echo: echo)
        if let answer = await reauthenticate(prompt), answer.count <= HelperRequest.longestAnswer {
          try send(.answer(answer))
        } else {
          try send(.cancel)
        }
      case .sessionStarted(let secondsLeft):
        return MultiFactorSession(
          multiFactor: self, conversation: conversationsBegun,
          duration: .seconds(Int64(secondsLeft)))
      case .welcome: throw misunderstood()
      case .notice: throw misunderstood()
      case .secret: throw misunderstood()
      case .enrolled: throw misunderstood()
      case .factors: throw misunderstood()
      case .done: throw misunderstood()
      case .unenrolled: throw misunderstood()
      case .tested: throw misunderstood()
      case .failed: throw misunderstood()
      case .status: throw misunderstood()
      case .recoveryCodes: throw misunderstood()
      }
    }
  }

  // MARK: Factors

  /// What is enrolled, oldest first.
  public var enrolledFactors: [MultiFactorInfo] {
    get throws(MultiFactorError) {
      guard case .factors(let factors) = try exchange(.list) else { throw misunderstood() }
      return factors.map { MultiFactorInfo($0) }
    }
  }

  /// Has the helper make a secret: see `TOTPMultiFactorGenerator`.
  func generateSecret(
    with session: MultiFactorSession, hashingAlgorithm: HashAlgorithm, codeLength: Int,
    codeIntervalSeconds: Int
  ) throws(MultiFactorError) -> TOTPSecret {
    guard let codeLength = UInt8(exactly: codeLength).flatMap({ CodeLength(rawValue: $0) }),
      let period = UInt16(exactly: codeIntervalSeconds),
      let parameters = TOTPParameters(
        algorithm: hashingAlgorithm, codeLength: codeLength, period: period)
    else { throw .invalidArgument }
    try check(session)
    guard case .secret(let secret) = try exchange(.generateSecret(parameters)),
      secret.parameters == parameters
    else { throw misunderstood() }
    return TOTPSecret(secret, session: session, now: .now)
  }

  /// Enrols a secret that an authenticator has, and hands back its `uid`.
  ///
  /// - Throws: `invalidVerificationCode` or `notACode` when the code was wrong, after which the same
  ///   secret can be tried with another one; `sessionExpired` after the secret's deadline;
  ///   `secondFactorAlreadyEnrolled` when the name is taken; and whatever else the helper says.
  @discardableResult
  public func enroll(
    with assertion: consuming MultiFactorAssertion, displayName: String
  ) throws(MultiFactorError) -> String {
    let displayName = try Self.displayName(displayName)
    try check(assertion.secret.session)
    let request = EnrollmentRequest(code: assertion.take(), displayName: displayName)
    guard case .enrolled(let factor) = try exchange(.enroll(request)) else {
      throw misunderstood()
    }
    return String(decoding: factor.hexadecimal, as: UTF8.self)
  }

  /// Whether a factor may have this name: 1 to 64 Unicode scalars, none of which changes how a
  /// terminal or a log shows what stands around it.
  public static func isSupported(displayName: String) -> Bool {
    do throws(MultiFactorError) {
      _ = try self.displayName(displayName)
      return true
    } catch {
      return false
    }
  }

  /// Gives a factor another name. Needs a session in this conversation.
  public func rename(
    _ factor: MultiFactorInfo, to displayName: String
  ) throws(MultiFactorError) {
    let name = try Self.displayName(displayName)
    let identifier = try Self.identifier(factor.uid)
    guard case .done = try exchange(.rename(factor: identifier, displayName: name)) else {
      throw misunderstood()
    }
  }

  /// Takes a factor away, and tells whether the person is signed out by that: it was the most
  /// recently enrolled one. Needs a session in this conversation.
  public func unenroll(with factor: MultiFactorInfo) throws(MultiFactorError) -> Bool {
    let identifier = try Self.identifier(factor.uid)
    guard
      case .unenrolled(let signedOut, endsSessions: _) = try exchange(.unenroll(factor: identifier))
    else {
      throw misunderstood()
    }
    return signedOut
  }

  /// Has a code checked as at sign-in: it counts as an attempt, and a right one is used up.
  public func test(oneTimePassword: consuming SecretBytes) throws(MultiFactorError) {
    guard oneTimePassword.count <= HelperRequest.longestAnswer else { throw .notACode }
    guard case .tested = try exchange(.test(oneTimePassword)) else { throw misunderstood() }
  }

  /// Ends the conversation and waits for the helper's end. The next operation begins another.
  public func close() {
    guard conversation != nil else { return }
    do throws(MultiFactorError) {
      try send(.bye)
    } catch {
      // The helper has ended by itself.
    }
    conversation = nil
  }

  // MARK: The conversation

  private struct Conversation: ~Copyable {
    let pipes: HelperPipes
    let userName: String
    let issuer: String

    func send(_ message: borrowing SecretBytes) throws(MultiFactorError) {
      try pipes.send(message)
    }

    func receive(tell: (String) -> Void) throws(ConversationError) -> HelperResponse {
      try pipes.receive(tell: tell)
    }
  }

  /// Begins a conversation, unless there is one.
  private func begin() throws(MultiFactorError) {
    guard !isAsking else { throw .operationInProgress }
    guard conversation == nil else { return }
    let pipes = try open()
    try pipes.send(Self.encoded(.hello))
    do throws(ConversationError) {
      guard case .welcome(let user, let issuer) = try pipes.receive(tell: tell) else {
        throw .broken(.protocolError)
      }
      conversationsBegun += 1
      conversation = Conversation(
        pipes: pipes, userName: String(decoding: user.bytes, as: UTF8.self),
        issuer: String(decoding: issuer.utf8, as: UTF8.self))
    } catch {
      throw MultiFactorError(error)
    }
  }

  private func exchange(
    _ request: consuming HelperRequest
  ) throws(MultiFactorError) -> HelperResponse {
    try begin()
    try send(request)
    return try receive()
  }

  private func send(_ request: consuming HelperRequest) throws(MultiFactorError) {
    let message = try Self.encoded(request)
    do throws(MultiFactorError) {
      guard try conversation?.send(message) != nil else { throw .helperEnded }
    } catch {
      conversation = nil
      throw error
    }
  }

  /// The next response. After a broken conversation, and after the failures that end the helper,
  /// there is no conversation any more.
  private func receive() throws(MultiFactorError) -> HelperResponse {
    do throws(ConversationError) {
      guard let response = try conversation?.receive(tell: tell) else {
        throw .broken(.helperEnded)
      }
      return response
    } catch {
      if error.endsConversation { conversation = nil }
      throw MultiFactorError(error)
    }
  }

  /// Ends a conversation in which an answer did not belong to the question.
  private func misunderstood() -> MultiFactorError {
    conversation = nil
    return .protocolError
  }

  private func check(_ session: MultiFactorSession) throws(MultiFactorError) {
    guard session.multiFactor === self, session.conversation == conversationsBegun,
      conversation != nil
    else { throw .sessionExpired }
  }

  // MARK: Values

  private static func encoded(
    _ request: consuming HelperRequest
  ) throws(MultiFactorError) -> SecretBytes {
    do throws(MessageRefusal) {
      return try request.encoded()
    } catch {
      throw .invalidArgument
    }
  }

  private static func displayName(_ text: String) throws(MultiFactorError) -> DisplayName {
    do throws(DisplayName.Refusal) {
      return try DisplayName(Array(text.utf8))
    } catch {
      throw .unsupportedDisplayName
    }
  }

  private static func identifier(_ uid: String) throws(MultiFactorError) -> FactorID {
    guard let identifier = FactorID(hexadecimal: Array(uid.utf8)) else { throw .factorNotFound }
    return identifier
  }
}
