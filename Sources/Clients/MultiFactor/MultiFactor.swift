public import MFABase
import MFAModel
public import MFAMessages
import FoundationEssentials
import MFAWire

/// The second factors of the user who runs this program.
///
/// The type needs no privilege: it sends requests to the helper, which learns from the operating
/// system which user called it. Each value holds one conversation with the helper, which begins
/// when it is first needed. If a conversation breaks, the next operation begins a new one; sessions
/// and secrets of the old one are then invalid.
///
/// MUST 1: a response that does not match the request ends the conversation, and its contents are
/// not used. (`MultiFactorTests.answersOutOfTurn`)
/// MUST 2: a program that uses this type is not killed by SIGPIPE, and no ended helper remains as a
/// zombie process. (`MultiFactorTests.helperEnds`)
public actor MultiFactor {
  /// The path at which the helper is installed.
  public static let helperPath = "\(InstalledPath.helper)"

  /// How long a session lasts at most, in minutes.
  public static let sessionMinutes = Int(SessionLimit.seconds / 60)

  /// A closure that asks the user a question. Returning nil declines to answer.
  public typealias Reauthenticator =
    @Sendable (ReauthenticationPrompt) async -> SecretBytes?

  nonisolated let executor = HelperExecutor()
  private let open: @Sendable () throws(MultiFactorError) -> HelperPipes
  private let language: Language
  private let tell: @Sendable (String) -> Void
  private let reauthenticate: Reauthenticator
  private var conversation: Conversation?
  private var conversationsBegun = 0
  private var sessionsBegun = 0
  /// The number of the latest session that an unenrolment invalidated.
  private var latestVoidSession = 0
  private var isAsking = false
  /// The last code that was sent to a phone.
  private var verification: PhoneVerification?

  /// Prepares a conversation with the helper.
  ///
  /// - Parameters:
  ///   - language: the language of the host's prompts. It is stored with each change of the factors,
  ///     as the language in which the user reads messages at sign-ins.
  ///   - tell: shows the user a text from the host, for example that the password expires soon. The
  ///     text contains no control characters other than newlines.
  ///   - reauthenticate: asks the user the host's questions when a session begins, usually for the
  ///     password. Without it, only `session(reauthenticate:)` begins a session.
  public init(
    language: Language = .english, tell: @escaping @Sendable (String) -> Void = { _ in },
    reauthenticate: @escaping Reauthenticator = { _ in nil }
  ) {
    self.init(language: language, tell: tell, reauthenticate: reauthenticate) {
      () throws(MultiFactorError) in try HelperPipes(starting: MultiFactor.helperPath)
    }
  }

  init(
    language: Language = .english,
    tell: @escaping @Sendable (String) -> Void = { _ in },
    reauthenticate: @escaping Reauthenticator = { _ in nil },
    open: @escaping @Sendable () throws(MultiFactorError) -> HelperPipes
  ) {
    self.language = language
    self.tell = tell
    self.reauthenticate = reauthenticate
    self.open = open
  }

  // MARK: Account and issuer

  /// The name of the account whose factors these are, as the system spells it.
  public var userName: String {
    get throws(MultiFactorError) {
      try begin()
      return conversation?.userName ?? ""
    }
  }

  /// The issuer of the codes, from the host's configuration.
  public var issuer: String {
    get throws(MultiFactorError) {
      try begin()
      return conversation?.issuer ?? ""
    }
  }

  // MARK: Sessions

  /// Verifies that the user owns the account, and begins a session. The closure that the initialiser
  /// got asks the user.
  ///
  /// - Returns: the session, which operations that change something need.
  /// - Throws: as `session(reauthenticate:)`.
  public func session() async throws(MultiFactorError) -> MultiFactorSession {
    try await recognise(reauthenticate, withTicket: false)
  }

  /// Verifies that the user owns the account, and begins a session.
  ///
  /// - Parameter reauthenticate: asks the user the host's questions, usually for the password.
  /// - Returns: the session, which operations that change something need.
  /// - Throws: `reauthenticationFailed` if the answers were wrong or declined,
  ///   `operationInProgress` while another session is being started.
  public func session(
    reauthenticate: Reauthenticator
  ) async throws(MultiFactorError) -> MultiFactorSession {
    try await recognise(reauthenticate, withTicket: false)
  }

  /// Begins a session for a user without a password, as `ticketSession(reauthenticate:)` does. The
  /// closure that the initialiser got asks the user.
  ///
  /// - Returns: the session, which operations that change something need.
  /// - Throws: as `ticketSession(reauthenticate:)`.
  public func ticketSession() async throws(MultiFactorError) -> MultiFactorSession {
    try await recognise(reauthenticate, withTicket: true)
  }

  /// Begins a session for a user without a password. A ticket from an administrator takes the place
  /// of the password, and can be used once.
  ///
  /// - Parameter reauthenticate: asks the user for the ticket, and for a code if a factor is
  ///   already enrolled.
  /// - Returns: the session, which operations that change something need.
  /// - Throws: `ticketInvalid` if the ticket belongs to a different account, was used or has
  ///   expired; otherwise as `session(reauthenticate:)`.
  public func ticketSession(
    reauthenticate: Reauthenticator
  ) async throws(MultiFactorError) -> MultiFactorSession {
    try await recognise(reauthenticate, withTicket: true)
  }

  /// Passes the helper's prompts to the user until a session begins.
  private func recognise(
    _ reauthenticate: Reauthenticator, withTicket: Bool
  ) async throws(MultiFactorError) -> MultiFactorSession {
    var response = try exchange(withTicket ? .ticketSession : .session)
    isAsking = true
    defer { isAsking = false }
    while true {
      switch consume response {
      case .prompt(let text, let kind):
        let prompt = ReauthenticationPrompt(
          kind, text: String(decoding: text.utf8, as: UTF8.self))
        if let answer = await reauthenticate(prompt), answer.count <= HelperRequest.longestAnswer {
          try send(.answer(answer))
        } else {
          try send(.cancel)
        }
      case .sessionStarted(let secondsLeft):
        sessionsBegun += 1
        return MultiFactorSession(
          multiFactor: self, purpose: .changes, conversation: conversationsBegun,
          number: sessionsBegun, duration: .seconds(Int64(secondsLeft)))
      case _: throw closeAfterProtocolError()
      }
      response = try receive()
    }
  }

  // MARK: Factors

  /// The enrolled factors, oldest first.
  public var enrolledFactors: [MultiFactorInfo] {
    get throws(MultiFactorError) {
      guard case .factors(let factors) = try exchange(.list) else {
        throw closeAfterProtocolError()
      }
      return factors.map { MultiFactorInfo.make($0) }
    }
  }

  /// The state of the account: the policy that applies, the number of recovery codes left, and
  /// whether codes are verified now.
  public var status: MultiFactorStatus {
    get throws(MultiFactorError) {
      guard case .status(let status) = try exchange(.status) else {
        throw closeAfterProtocolError()
      }
      return MultiFactorStatus(status)
    }
  }

  /// The number of recovery codes left.
  public var recoveryCodesLeft: Int {
    get throws(MultiFactorError) { try status.recoveryCodesLeft }
  }

  /// Requests a new secret from the helper; see `TOTPMultiFactorGenerator`.
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
    else { throw closeAfterProtocolError() }
    return TOTPSecret(secret, session: session, now: .now)
  }

  /// Enrols a secret that is in an authenticator, or a phone, and returns the factor's `uid`.
  ///
  /// A phone that takes the place of another one can be used only after a waiting time. The closure
  /// that shows texts of the host then gets a text with the time.
  ///
  /// - Parameters:
  ///   - assertion: an assertion from `TOTPMultiFactorGenerator.assertionForEnrollment` or
  ///     `PhoneMultiFactorGenerator.assertion`.
  ///   - displayName: the factor's name: 1 to 64 Unicode scalars (`isSupported(displayName:)`). With
  ///     nil, the factor is called "Authenticator app" or "Phone" in the language of this value, with
  ///     a number if that name is taken.
  /// - Returns: the factor's `uid`.
  /// - Throws: `invalidVerificationCode` or `notACode` if the code was wrong, after which the same
  ///   secret or verification ID can be tried with another code; `sessionExpired` after the secret's
  ///   or the code's deadline, and after three wrong codes for a phone; `invalidVerificationID`;
  ///   `secondFactorAlreadyEnrolled` if the name is taken; `invalidArgument` for an assertion for a
  ///   sign-in; or any other failure that the helper reports.
  @discardableResult
  public func enroll(
    with assertion: consuming MultiFactorAssertion, displayName: String?
  ) throws(MultiFactorError) -> String {
    let (session, usualName): (MultiFactorSession, HelperMessage)
    switch assertion.claim {
    case .newAuthenticator(let secret):
      guard secret.enrollmentCompletionDeadline > .now else { throw .sessionExpired }
      (session, usualName) = (secret.session, .authenticatorAppName)
    case .phone(let id):
      guard case .enrollment(let begun) = try purpose(ofVerification: id) else {
        throw .invalidVerificationID
      }
      (session, usualName) = (begun, .phoneName)
    case .enrolledFactor: throw .invalidArgument
    }
    try check(session)
    let name = if let displayName { displayName } else { try unusedDisplayName(usualName) }
    let displayName = try Self.displayName(name)
    let isPhone = usualName == .phoneName
    let code = assertion.take()
    guard code.count <= HelperRequest.longestAnswer else { throw .notACode }
    let request = EnrollmentRequest(code: code, displayName: displayName)
    guard
      case .enrolled(let factor) = try exchange(
        isPhone ? .confirmPhone(request) : .enroll(request))
    else { throw closeAfterProtocolError() }
    if isPhone { verification = nil }
    return String(decoding: factor.hexadecimal, as: UTF8.self)
  }

  /// Returns a name for a factor that the user did not name.
  private func unusedDisplayName(_ usual: HelperMessage) throws(MultiFactorError) -> String {
    let name = usual.text(in: language).string
    let taken = try enrolledFactors.map(\.displayName)
    var number = 2
    var unused = name
    while taken.contains(unused) {
      unused = "\(name) \(number)"
      number += 1
    }
    return unused
  }

  /// Returns whether a factor may have this name: 1 to 64 Unicode scalars, none of which changes
  /// how a terminal or a log shows the text around it.
  public static func isSupported(displayName: String) -> Bool {
    do throws(MultiFactorError) {
      _ = try self.displayName(displayName)
      return true
    } catch {
      return false
    }
  }

  /// Checks that a factor could be enrolled with this name. A program calls this before it asks the
  /// user for anything.
  ///
  /// - Parameters:
  ///   - displayName: the name of the new factor.
  ///   - kind: what the new factor is.
  /// - Throws: `secondFactorAlreadyEnrolled` if the name is taken; `maximumSecondFactorCountExceeded`;
  ///   `unsupportedDisplayName`; `multiFactorDisabled`; `totpNotSupported` or `phonesNotSupported`; or any other
  ///   failure that the helper reports.
  public func checkEnrollment(
    displayName: String, of kind: MultiFactorInfo.FactorKind = .totp
  ) throws(MultiFactorError) {
    let name = try Self.displayName(displayName)
    guard case .done = try exchange(.checkEnrollment(name, isPhone: kind == .phone)) else {
      throw closeAfterProtocolError()
    }
  }

  /// Renames a factor. Needs a session in this conversation.
  ///
  /// - Parameters:
  ///   - factor: one of `enrolledFactors`.
  ///   - displayName: the new name: 1 to 64 Unicode scalars (`isSupported(displayName:)`).
  /// - Throws: `secondFactorAlreadyEnrolled` if the name is taken; `unsupportedDisplayName`;
  ///   `factorNotFound`, `requiresRecentLogin`, `sessionExpired`, or any other failure that the helper
  ///   reports.
  public func rename(
    _ factor: MultiFactorInfo, to displayName: String
  ) throws(MultiFactorError) {
    try checkSignedIn()
    let name = try Self.displayName(displayName)
    let identifier = try Self.identifier(factor.uid)
    guard case .done = try exchange(.rename(factor: identifier, displayName: name)) else {
      throw closeAfterProtocolError()
    }
  }

  /// Removes a factor. Needs a session in this conversation.
  ///
  /// Identity Platform reports the sign-out by throwing `userTokenExpired` from a call that succeeded.
  /// This function throws only if the factor was not removed. The result cannot be discarded
  /// silently, because a user who does not notice the sign-out would be surprised at the next change.
  ///
  /// - Parameter factor: one of `enrolledFactors`.
  /// - Returns: the consequences. If the user is signed out, the conversation is closed and its
  ///   session is invalid: operations that need a session throw `userTokenExpired` until a new one
  ///   begins.
  /// - Throws: `lastFactorRequired` if policy requires a factor and this is the only one;
  ///   `factorNotFound`, `requiresRecentLogin`, `sessionExpired`, or any other failure that the
  ///   helper reports.
  public func unenroll(
    with factor: MultiFactorInfo
  ) throws(MultiFactorError) -> Unenrollment {
    try unenroll(withFactorUID: factor.uid)
  }

  /// Removes the factor with this `uid`, as `unenroll(with:)` does.
  ///
  /// - Parameter uid: the `uid` of one of `enrolledFactors`.
  /// - Returns: the consequences.
  /// - Throws: as `unenroll(with:)`.
  public func unenroll(
    withFactorUID uid: String
  ) throws(MultiFactorError) -> Unenrollment {
    try checkSignedIn()
    let identifier = try Self.identifier(uid)
    guard
      case .unenrolled(let signedOut, let endsSessions) = try exchange(
        .unenroll(factor: identifier))
    else { throw closeAfterProtocolError() }
    if signedOut {
      latestVoidSession = sessionsBegun
      close()
    }
    return Unenrollment(signedOut: signedOut, endsSessions: endsSessions)
  }

  /// Sends the helper a code of a factor whose clock is off. Call `completeResync` with the next
  /// code as soon as the authenticator shows it, at most two minutes later.
  ///
  /// - Parameters:
  ///   - factor: the factor.
  ///   - code: a code as typed.
  ///   - session: a fresh session.
  /// - Throws: `notACode`; `tooManyAttempts`; or any other failure that the helper reports. The
  ///   helper reports whether the code is correct only after it has received the second one.
  public func resync(
    _ factor: MultiFactorInfo, code: consuming SecretBytes, with session: MultiFactorSession
  ) throws(MultiFactorError) {
    try check(session)
    guard code.count <= HelperRequest.longestAnswer else { throw .notACode }
    let request = ResyncRequest(factor: try Self.identifier(factor.uid), code: code)
    guard case .done = try exchange(.resync(request)) else { throw closeAfterProtocolError() }
  }

  /// Sends the helper the code that follows the code sent by `resync`. The helper determines from
  /// the two codes how far the factor's clock is off. If that succeeds, both codes are used up.
  ///
  /// - Throws: `codesNotConsecutive` if the codes are not consecutive, if one of them was wrong or
  ///   used, if they were sent too far apart, or if the clock is off by more than five minutes;
  ///   `notACode`; or any other failure that the helper reports.
  public func completeResync(
    code: consuming SecretBytes, with session: MultiFactorSession
  ) throws(MultiFactorError) {
    try check(session)
    guard code.count <= HelperRequest.longestAnswer else { throw .notACode }
    guard case .done = try exchange(.completeResync(code)) else { throw closeAfterProtocolError() }
  }

  /// Imports a factor that another program created, and returns the factor's `uid`.
  ///
  /// Codes that the other program recorded as used are not accepted again. Ask the user to delete
  /// that program's file afterwards: it contains the key.
  ///
  /// - Throws: `secretTooShort` for a key that the host does not accept; `invalidArgument` for a
  ///   value out of range; `alreadyImported` if a factor has this key;
  ///   `secondFactorAlreadyEnrolled` if the name is taken; or any other failure that the helper
  ///   reports.
  @discardableResult
  public func importFactor(
    _ factor: consuming ImportedFactor, displayName: String, with session: MultiFactorSession
  ) throws(MultiFactorError) -> String {
    let request = try Self.importRequest(factor, displayName: displayName)
    try check(session)
    guard case .enrolled(let factor) = try exchange(.importFactor(request)) else {
      throw closeAfterProtocolError()
    }
    return String(decoding: factor.hexadecimal, as: UTF8.self)
  }

  // MARK: Phones

  /// A code that was sent to a phone.
  struct PhoneVerification {
    /// What the code is for.
    enum Purpose {
      case enrollment(MultiFactorSession)
      /// A sign-in with the factor with this `uid`.
      case signIn(uid: String)
    }

    /// The ID of the request, which is random.
    let id: String
    let purpose: Purpose
    /// The number of the conversation, in which alone the code is accepted.
    let conversation: Int
  }

  /// Sends a code to a number; see `PhoneAuthProvider`.
  func verifyPhoneNumber(
    _ number: consuming SecretBytes, with session: MultiFactorSession
  ) throws(MultiFactorError) -> String {
    try check(session)
    guard number.count <= HelperRequest.longestAnswer else { throw .invalidPhoneNumber(.tooLong) }
    guard case .codeSent = try exchange(.beginPhone(number)) else {
      throw closeAfterProtocolError()
    }
    return remember(.enrollment(session))
  }

  /// Sends a code to an enrolled phone; see `PhoneAuthProvider`.
  func sendCode(
    to hint: PhoneMultiFactorInfo, with session: MultiFactorSession
  ) throws(MultiFactorError) -> String {
    guard session.multiFactor === self, session.purpose == .signIn else { throw .invalidArgument }
    let factor = try Self.identifier(hint.uid)
    guard case .codeSent = try exchange(.sendCode(factor: factor)) else {
      throw closeAfterProtocolError()
    }
    return remember(.signIn(uid: hint.uid))
  }

  private func remember(_ purpose: PhoneVerification.Purpose) -> String {
    var id = ""
    for _ in 0..<2 {
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      id += String(repeating: "0", count: 16 - digits.count) + digits
    }
    verification = PhoneVerification(id: id, purpose: purpose, conversation: conversationsBegun)
    return id
  }

  private func purpose(
    ofVerification id: String
  ) throws(MultiFactorError) -> PhoneVerification.Purpose {
    guard let verification, verification.id == id else { throw .invalidVerificationID }
    // The helper accepts the code only in the conversation in which the code was requested.
    guard verification.conversation == conversationsBegun, conversation?.hasEnded == false else {
      throw .sessionExpired
    }
    return verification.purpose
  }

  /// Verifies a code that was sent to a phone; see `MultiFactorResolver.resolveSignIn`.
  func signIn(
    verificationID: String, verificationCode: consuming SecretBytes, hints: [MultiFactorInfo]
  ) throws(MultiFactorError) -> MultiFactorSignInResult {
    guard case .signIn(let uid) = try purpose(ofVerification: verificationID) else {
      throw .invalidVerificationID
    }
    guard hints.contains(where: { $0.uid == uid }) else { throw .factorNotFound }
    let result = try signIn(factor: uid, oneTimePassword: verificationCode, hints: hints)
    // The code is used up.
    verification = nil
    return result
  }

  // MARK: Recovery codes

  /// Requests new recovery codes from the helper. All earlier ones become invalid.
  ///
  /// - Returns: the codes, which cannot be shown again.
  /// - Throws: `factorNotFound` if no factor is enrolled, or any other failure that the helper
  ///   reports.
  public func generateRecoveryCodes(
    with session: MultiFactorSession
  ) throws(MultiFactorError) -> RecoveryCodes {
    try check(session)
    guard case .recoveryCodes(let codes) = try exchange(.generateRecoveryCodes) else {
      throw closeAfterProtocolError()
    }
    return RecoveryCodes(codes)
  }

  /// Creates offline recovery codes, which replace all earlier ones for the group of hosts. Hosts of a realm accept
  /// them while they cannot reach a verifier.
  ///
  /// - Parameters:
  ///   - group: the name of the group, or nil for the group of this host.
  ///   - session: the session in which the user proved to own the account.
  /// - Returns: the codes, which cannot be shown again.
  /// - Throws: `invalidArgument` if there is no such group, `factorNotFound` if no factor is enrolled, or any other
  ///   failure that the helper reports.
  public func generateOfflineRecoveryCodes(
    forHosts group: String? = nil, with session: MultiFactorSession
  ) throws(MultiFactorError) -> RecoveryCodes {
    try check(session)
    let name = Array((group ?? "").utf8)
    guard name.count <= HelperRequest.longestGroup else { throw .invalidArgument }
    guard case .recoveryCodes(let codes) = try exchange(.generateOfflineCodes(group: name)) else {
      throw closeAfterProtocolError()
    }
    return RecoveryCodes(codes)
  }

  /// Clears remembered sign-ins, so that the next sign-in from any place asks for a code. If policy
  /// allows sign-ins to be remembered, further sign-ins from the same place do not ask for a code.
  ///
  /// - Returns: the number of places from which a sign-in was remembered.
  @discardableResult
  public func clearRememberedSignIns() throws(MultiFactorError) -> Int {
    guard case .forgotten(let places) = try exchange(.forget) else {
      throw closeAfterProtocolError()
    }
    return Int(places)
  }

  // MARK: Notices

  /// Passes the pending notices to the closure that shows texts of the host, or a text that there are
  /// none. Notices that need no confirmation are then no longer pending.
  public func readNotices() throws(MultiFactorError) {
    guard case .done = try exchange(.readNotices) else { throw closeAfterProtocolError() }
  }

  // MARK: Signing in

  /// Begins a sign-in to the program. The user has already proved the first factor: the operating
  /// system lets only the user run programs as the user.
  ///
  /// A program calls this before it shows sensitive data, and continues after the call returns, or
  /// after `MultiFactorResolver.resolveSignIn` returns.
  ///
  /// - Returns: why no second factor is needed: `notEnrolled` or `switchedOff`.
  /// - Throws: `secondFactorRequired` with a resolver if a factor is enrolled; or any other failure
  ///   that the helper reports.
  public func signIn() throws(MultiFactorError) -> MultiFactorSignInResult {
    guard try status.state != .disabled else { return .switchedOff }
    let hints = try enrolledFactors
    guard !hints.isEmpty else { return .notEnrolled }
    throw .secondFactorRequired(resolver(hints))
  }

  /// Returns a resolver, through which the user presents a second factor before the program
  /// continues. Unlike `signIn`, returns a resolver even if second factors are switched off.
  ///
  /// - Throws: `factorNotFound` if no factor is enrolled. The program decides whether to continue
  ///   in that case; `status` contains the host's policy.
  public func signInResolver() throws(MultiFactorError) -> MultiFactorResolver {
    let hints = try enrolledFactors
    guard !hints.isEmpty else { throw .factorNotFound }
    return resolver(hints)
  }

  private func resolver(_ hints: [MultiFactorInfo]) -> MultiFactorResolver {
    MultiFactorResolver(
      session: MultiFactorSession(
        multiFactor: self, purpose: .signIn, conversation: conversationsBegun, number: 0,
        duration: nil),
      hints: hints)
  }

  /// Verifies a code; see `MultiFactorResolver.resolveSignIn`.
  func signIn(
    factor: String?, oneTimePassword: consuming SecretBytes, hints: [MultiFactorInfo]
  ) throws(MultiFactorError) -> MultiFactorSignInResult {
    guard oneTimePassword.count <= HelperRequest.longestAnswer else { throw .notACode }
    var identifier: FactorID?
    if let factor { identifier = try Self.identifier(factor) }
    let request = CodeRequest(factor: identifier, code: oneTimePassword)
    guard case .signedIn(let used) = try exchange(.signIn(request)) else {
      throw closeAfterProtocolError()
    }
    switch used {
    case .recoveryCode: return .recoveryCode
    case .bypassCode: return .bypassCode
    case .factor(let accepted):
      let uid = accepted.map { String(decoding: $0.hexadecimal, as: UTF8.self) } ?? factor
      return usedFactor(uid, hints).map { .factor($0) } ?? .unknownFactor
    }
  }

  /// Returns the factor whose code was used up, or nil if it is unknown. An error at this point must
  /// not look like a code that was refused.
  private func usedFactor(_ uid: String?, _ hints: [MultiFactorInfo]) -> MultiFactorInfo? {
    guard let uid else { return nil }
    if let hint = hints.first(where: { $0.uid == uid }) { return hint }
    do throws(MultiFactorError) {
      // The factor was enrolled after the resolver was created.
      return try enrolledFactors.first { $0.uid == uid }
    } catch {
      return nil
    }
  }

  /// Verifies a code as at sign-in: it counts as an attempt, and an accepted code of a factor is used
  /// up. A recovery code or a bypass code is not used up.
  @discardableResult
  public func test(oneTimePassword: consuming SecretBytes) throws(MultiFactorError) -> TestedCode {
    guard oneTimePassword.count <= HelperRequest.longestAnswer else { throw .notACode }
    switch try exchange(.test(oneTimePassword)) {
    case .signedIn(.factor(let factor)):
      return .factorCode(uid: factor.map { String(decoding: $0.hexadecimal, as: UTF8.self) })
    case .recognized(let code): return TestedCode(code)
    case _: throw closeAfterProtocolError()
    }
  }

  /// Ends the conversation and waits for the helper to end. The next operation begins a new one.
  public func close() {
    guard conversation != nil else { return }
    do throws(MultiFactorError) {
      try send(.bye)
    } catch {
      // The helper has already ended.
    }
    conversation = nil
  }

  // MARK: Conversation

  private struct Conversation: ~Copyable {
    let pipes: HelperPipes
    let userName: String
    let issuer: String

    /// Whether the helper has ended or sent an unrequested message.
    var hasEnded: Bool { pipes.hasSomethingToRead }

    func send(_ message: borrowing SecretBytes) throws(MultiFactorError) {
      try pipes.send(message)
    }

    func receive(tell: (String) -> Void) throws(MultiFactorError) -> HelperResponse {
      try pipes.receive(tell: tell)
    }
  }

  /// Begins a conversation, unless one has begun.
  private func begin() throws(MultiFactorError) {
    guard !isAsking else { throw .operationInProgress }
    // A helper without a session ends after one idle minute.
    if conversation?.hasEnded == true { conversation = nil }
    guard conversation == nil else { return }
    let pipes = try open()
    try pipes.send(Self.encoded(.hello(language)))
    guard case .welcome(let user, let issuer) = try pipes.receive(tell: tell) else {
      throw .protocolError
    }
    conversationsBegun += 1
    conversation = Conversation(
      pipes: pipes, userName: String(decoding: user.bytes, as: UTF8.self),
      issuer: String(decoding: issuer.utf8, as: UTF8.self))
  }

  func exchange(
    _ request: consuming HelperRequest
  ) throws(MultiFactorError) -> HelperResponse {
    // Encodes first, so that an invalid request is refused even without a helper.
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

  /// Returns the next response. Closes the conversation after an error that ends it.
  private func receive() throws(MultiFactorError) -> HelperResponse {
    do throws(MultiFactorError) {
      guard let response = try conversation?.receive(tell: tell) else { throw .helperEnded }
      return response
    } catch {
      if error.endsConversation { conversation = nil }
      throw error
    }
  }

  /// Ends a conversation in which a response did not match the request.
  func closeAfterProtocolError() -> MultiFactorError {
    conversation = nil
    return .protocolError
  }

  private func check(_ session: MultiFactorSession) throws(MultiFactorError) {
    guard session.multiFactor === self else { throw .sessionExpired }
    guard session.purpose == .changes else { throw .requiresRecentLogin }
    guard session.number > latestVoidSession else { throw .userTokenExpired }
    // The helper ends when the session does.
    guard session.conversation == conversationsBegun, conversation?.hasEnded == false else {
      throw .sessionExpired
    }
  }

  /// Throws if the latest session was invalidated, for operations that need a session.
  func checkSignedIn() throws(MultiFactorError) {
    guard sessionsBegun > latestVoidSession || latestVoidSession == 0 else {
      throw .userTokenExpired
    }
  }

  // MARK: Conversions

  private static func encoded(
    _ request: consuming HelperRequest
  ) throws(MultiFactorError) -> SecretBytes {
    do throws(PacketError) {
      return try request.encoded()
    } catch {
      throw .invalidArgument
    }
  }

  static func displayName(_ text: String) throws(MultiFactorError) -> DisplayName {
    guard let name = DisplayName(Array(text.utf8)) else { throw .unsupportedDisplayName }
    return name
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
  /// Returns nil if a value is out of range.
  fileprivate init?(hashingAlgorithm: HashAlgorithm, codeLength: Int, codeIntervalSeconds: Int) {
    guard let codeLength = UInt8(exactly: codeLength).flatMap({ CodeLength(rawValue: $0) }),
      let period = UInt16(exactly: codeIntervalSeconds)
    else { return nil }
    self.init(algorithm: hashingAlgorithm, codeLength: codeLength, period: period)
  }
}
