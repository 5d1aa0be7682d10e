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
  private var sessionsBegun = 0
  /// The number of the latest session that an unenrolment made void.
  private var latestVoidSession = 0
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
    try await recognise(reauthenticate, withTicket: false)
  }

  /// Begins a session for a person without a password, with a ticket from an administrator in the
  /// password's place. A ticket is good once.
  ///
  /// - Parameter reauthenticate: asks the person for the ticket, and for a code where a factor is
  ///   enrolled already.
  /// - Returns: the session, which the operations that change something need.
  /// - Throws: `ticketInvalid` when the ticket is not the account's, was used or is past its time;
  ///   otherwise as `session(reauthenticate:)`.
  public func ticketSession(
    reauthenticate: Reauthenticator
  ) async throws(MultiFactorError) -> MultiFactorSession {
    try await recognise(reauthenticate, withTicket: true)
  }

  /// Passes the helper's questions on to the person until there is a session.
  private func recognise(
    _ reauthenticate: Reauthenticator, withTicket: Bool
  ) async throws(MultiFactorError) -> MultiFactorSession {
    var response = try firstResponse(withTicket: withTicket)
    isAsking = true
    defer { isAsking = false }
    while true {
      switch consume response {
      case .prompt(let text, let echo):
        let prompt = ReauthenticationPrompt(
          text: String(decoding: text.utf8, as: UTF8.self), echo: echo)
        if let answer = await reauthenticate(prompt), answer.count <= HelperRequest.longestAnswer {
          try send(.answer(answer))
        } else {
          try send(.cancel)
        }
      case .sessionStarted(let secondsLeft):
        sessionsBegun += 1
        return MultiFactorSession(
          multiFactor: self, conversation: conversationsBegun, number: sessionsBegun,
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
      case .forgotten: throw misunderstood()
      }
      response = try receive()
    }
  }

  /// Asks for a session. A helper that has judged a code or a ticket can no longer check a password and
  /// says so (`requiresRecentLogin`); another helper is asked then.
  private func firstResponse(withTicket: Bool) throws(MultiFactorError) -> HelperResponse {
    do throws(MultiFactorError) {
      return try exchange(withTicket ? .ticketSession : .session)
    } catch {
      guard error == .requiresRecentLogin else { throw error }
    }
    close()
    return try exchange(withTicket ? .ticketSession : .session)
  }

  // MARK: Factors

  /// What is enrolled, oldest first.
  public var enrolledFactors: [MultiFactorInfo] {
    get throws(MultiFactorError) {
      guard case .factors(let factors) = try exchange(.list) else { throw misunderstood() }
      return factors.map { MultiFactorInfo($0) }
    }
  }

  /// How the account stands: what policy wants of it, how many recovery codes are left, whether a
  /// code would be looked at now.
  public var status: MultiFactorStatus {
    get throws(MultiFactorError) {
      guard case .status(let status) = try exchange(.status) else { throw misunderstood() }
      return MultiFactorStatus(status)
    }
  }

  /// How many recovery codes are left.
  public var recoveryCodesLeft: Int {
    get throws(MultiFactorError) { try status.recoveryCodesLeft }
  }

  /// Has the helper make a secret: see `TOTPMultiFactorGenerator`.
  func generateSecret(
    with session: MultiFactorSession, hashingAlgorithm: HashAlgorithm, codeLength: Int,
    codeIntervalSeconds: Int
  ) throws(MultiFactorError) -> TOTPSecret {
    guard
      let parameters = TOTPParameters(
        hashingAlgorithm: hashingAlgorithm, codeLength: codeLength,
        codeIntervalSeconds: codeIntervalSeconds)
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
    try checkSignedIn()
    let name = try Self.displayName(displayName)
    let identifier = try Self.identifier(factor.uid)
    guard case .done = try exchange(.rename(factor: identifier, displayName: name)) else {
      throw misunderstood()
    }
  }

  /// Takes a factor away. Needs a session in this conversation.
  ///
  /// - Returns: what comes of it. Where the person is signed out, the conversation is closed and its
  ///   session void: whatever needs one throws `userTokenExpired` until there is a new one.
  /// - Throws: `lastFactorRequired` when policy requires a factor and this is the only one;
  ///   `factorNotFound`, `requiresRecentLogin`, `sessionExpired`, and whatever else the helper says.
  @discardableResult
  public func unenroll(
    with factor: MultiFactorInfo
  ) throws(MultiFactorError) -> Unenrollment {
    try checkSignedIn()
    let identifier = try Self.identifier(factor.uid)
    guard
      case .unenrolled(let signedOut, let endsSessions) = try exchange(
        .unenroll(factor: identifier))
    else { throw misunderstood() }
    if signedOut {
      latestVoidSession = sessionsBegun
      close()
    }
    return Unenrollment(signedOut: signedOut, endsSessions: endsSessions)
  }

  /// Shows the helper a code of a factor whose clock is off. `completeResync` shows the code after it,
  /// when the authenticator shows that one: at most two minutes later.
  ///
  /// - Parameters:
  ///   - factor: the factor.
  ///   - code: a code as it was typed.
  ///   - session: a fresh session.
  /// - Throws: `notACode`; `tooManyAttempts`; and whatever else the helper says. Whether the code is
  ///   right is not said before the second one is there.
  public func resync(
    _ factor: MultiFactorInfo, code: consuming SecretBytes, with session: MultiFactorSession
  ) throws(MultiFactorError) {
    try check(session)
    guard code.count <= HelperRequest.longestAnswer else { throw .notACode }
    let request = ResyncRequest(factor: try Self.identifier(factor.uid), code: code)
    guard case .done = try exchange(.resync(request)) else { throw misunderstood() }
  }

  /// Shows the helper the code after the one that `resync` showed. The helper learns from both how far
  /// the factor's clock is off, and both are used up.
  ///
  /// - Throws: `codesNotConsecutive` when the codes do not follow each other, when one of them was
  ///   wrong or used, when they came too far apart, or when the clock is off by more than five
  ///   minutes; `notACode`; and whatever else the helper says.
  public func completeResync(
    code: consuming SecretBytes, with session: MultiFactorSession
  ) throws(MultiFactorError) {
    try check(session)
    guard code.count <= HelperRequest.longestAnswer else { throw .notACode }
    guard case .done = try exchange(.completeResync(code)) else { throw misunderstood() }
  }

  /// Takes over a factor that another program made, and hands back its `uid`.
  ///
  /// The codes that the other program accepted already are not accepted again where it told which
  /// they were. Have its file deleted afterwards: it holds the key.
  ///
  /// - Throws: `secretTooShort` for a key that the host does not accept; `invalidArgument` for a
  ///   value out of its range; `alreadyImported` when a factor has this key;
  ///   `secondFactorAlreadyEnrolled` when the name is taken; and whatever else the helper says.
  @discardableResult
  public func importFactor(
    _ factor: consuming ImportedFactor, displayName: String, with session: MultiFactorSession
  ) throws(MultiFactorError) -> String {
    let request = try Self.importRequest(factor, displayName: displayName)
    try check(session)
    guard case .enrolled(let factor) = try exchange(.importFactor(request)) else {
      throw misunderstood()
    }
    return String(decoding: factor.hexadecimal, as: UTF8.self)
  }

  // MARK: Recovery codes

  /// Has the helper make new recovery codes. All earlier ones are void then.
  ///
  /// - Returns: the codes, which cannot be shown again.
  /// - Throws: `factorNotFound` when nothing is enrolled, and whatever else the helper says.
  public func generateRecoveryCodes(
    with session: MultiFactorSession
  ) throws(MultiFactorError) -> RecoveryCodes {
    try check(session)
    guard case .recoveryCodes(let codes) = try exchange(.generateRecoveryCodes) else {
      throw misunderstood()
    }
    return RecoveryCodes(codes)
  }

  /// Has the codes forgotten that are remembered: where policy says so, who gave one is not asked again
  /// for a while from the same place. The next sign-in asks for one, from everywhere.
  ///
  /// - Returns: from how many places a code was remembered.
  @discardableResult
  public func forgetRememberedCodes() throws(MultiFactorError) -> Int {
    guard case .forgotten(let places) = try exchange(.forget) else { throw misunderstood() }
    return Int(places)
  }

  // MARK: Signing in

  /// What the person has to show before the program goes on: see `MultiFactorResolver`.
  ///
  /// - Throws: `factorNotFound` when nothing is enrolled: there is nothing to show. Whether that is
  ///   good enough is the program's decision; `status` tells what the host's policy is.
  public func signInResolver() throws(MultiFactorError) -> MultiFactorResolver {
    let factors = try enrolledFactors
    guard !factors.isEmpty else { throw .factorNotFound }
    return MultiFactorResolver(multiFactor: self, hints: factors)
  }

  /// Has a code judged: see `MultiFactorResolver.resolveSignIn`.
  func signIn(
    factor: String?, oneTimePassword: consuming SecretBytes
  ) throws(MultiFactorError) {
    guard oneTimePassword.count <= HelperRequest.longestAnswer else { throw .notACode }
    var identifier: FactorID?
    if let factor { identifier = try Self.identifier(factor) }
    let request = CodeRequest(factor: identifier, code: oneTimePassword)
    guard case .tested = try exchange(.signIn(request)) else { throw misunderstood() }
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

    /// Whether the helper has ended, or said something unasked.
    var hasEnded: Bool { pipes.hasSomethingToRead }

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
    // A helper that has heard nothing for a minute ends, unless there is a session.
    if conversation?.hasEnded == true { conversation = nil }
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
    // What cannot be sent is refused, whether there is a helper or not.
    let message = try Self.encoded(request)
    try begin()
    try send(message)
    return try receive()
  }

  private func send(_ request: consuming HelperRequest) throws(MultiFactorError) {
    try send(try Self.encoded(request))
  }

  private func send(_ message: borrowing SecretBytes) throws(MultiFactorError) {
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
    guard session.multiFactor === self else { throw .sessionExpired }
    guard session.number > latestVoidSession else { throw .userTokenExpired }
    guard session.conversation == conversationsBegun, conversation != nil else {
      throw .sessionExpired
    }
  }

  /// Refuses what needs a session when the latest one was made void.
  private func checkSignedIn() throws(MultiFactorError) {
    guard sessionsBegun > latestVoidSession || latestVoidSession == 0 else {
      throw .userTokenExpired
    }
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

  private static func importRequest(
    _ factor: consuming ImportedFactor, displayName: String
  ) throws(MultiFactorError) -> ImportRequest {
    guard let timeOffset = Int32(exactly: factor.timeOffset),
      let parameters = TOTPParameters(
        hashingAlgorithm: factor.hashingAlgorithm, codeLength: factor.codeLength,
        codeIntervalSeconds: factor.codeIntervalSeconds)
    else { throw .invalidArgument }
    guard factor.key.count >= ImportRequest.shortestKey else { throw .secretTooShort }
    return ImportRequest(
      displayName: try self.displayName(displayName), parameters: parameters,
      key: factor.key.prefix(factor.key.count), timeOffset: timeOffset,
      watermark: factor.latestTimeStep ?? .min,
      recoveryCodes: factor.recoveryCodes.prefix(factor.recoveryCodes.count))
  }

  private static func identifier(_ uid: String) throws(MultiFactorError) -> FactorID {
    guard let identifier = FactorID(hexadecimal: Array(uid.utf8)) else { throw .factorNotFound }
    return identifier
  }
}

extension TOTPParameters {
  /// Nil for what is out of its range.
  fileprivate init?(hashingAlgorithm: HashAlgorithm, codeLength: Int, codeIntervalSeconds: Int) {
    guard let codeLength = UInt8(exactly: codeLength).flatMap({ CodeLength(rawValue: $0) }),
      let period = UInt16(exactly: codeIntervalSeconds)
    else { return nil }
    self.init(algorithm: hashingAlgorithm, codeLength: codeLength, period: period)
  }
}
