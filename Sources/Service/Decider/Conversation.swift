import MFAStore
import MFAAttempt
import MFABase
import MFAModel
import MFAMessages
import MFAWire

/// The privileged side of enrolment: a conversation with one client, from `hello` to the end.
///
/// MUST 1: the account is that of the caller's real user ID, never one named in a message.
/// (`ConversationTests`; Tests/EndToEnd)
/// MUST 2: no factor is enrolled, renamed or removed without a session. A session requires proof of
/// the account. If the account has a factor, the session also requires a code; without a code, it
/// allows nothing but resynchronising a factor with two of its codes.
/// (`ConversationTests.needsASession`, `.presentFactorIsAskedFor`, `RecoveryTests.withoutAFactor`)
/// MUST 3: a secret is sent to the client once, before it is enrolled, and is kept in this process
/// only until its deadline. (`ConversationTests.secretIsNotShownAgain`, `.deadline`)
/// MUST 4: an interruption at any point leaves what is stored unchanged.
/// (`ConversationTests.interrupted`; Tests/Faults)
/// MUST 5: a session ends at its deadline, and with any change of the record that the session did
/// not make. Both are checked under the user's lock. (`SessionTests`)
/// MUST 6: a ticket enrols at most one factor, however its session continues, and a valid ticket
/// does not change any failure count. (`TicketTests.emptyCodeThenSession`, `.failuresStay`)
/// MUST 7: requests that a user's process can make without a password do not throttle sign-ins.
/// (`ConversationTests.ownProcessFailures`)
/// MUST 8: the caller can stop this process only while it holds no lock: it gives up the caller's
/// identity before it takes the first lock. (`RetirementTests.leavesCallerFirst`;
/// Tests/EndToEnd/StoppedProcessTests)
package struct Conversation<Machine: AuthenticationHost, Proof: AccountProof, Client: Link> {
  let caller: Account
  /// Whether the caller may request delivery of every user's notices.
  let servesAllUsers: Bool
  /// The source of the changes: the caller's terminal, or `mfa-enroll` if the caller has no
  /// terminal.
  let source: Source
  let host: Machine
  let proof: Proof
  let client: Client
  let sinceBoot: () -> Int64?
  let log: (LogPriority, LogLine) -> Void
  /// Writes a record about the caller to the kernel's audit trail.
  let audit: (_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) -> Void
  let mail: (_ message: [UInt8], _ recipient: [UInt8]) -> Mailing

  var session: Session?
  private var pending: PendingSecret?
  private var resync: PendingResync?
  /// The number that the user is enrolling.
  var pendingPhone: PendingPhone?
  /// The messages that are sent to phones after the next response.
  var phoneNotices: PhoneNotices?
  /// The session that codes are sent for: this conversation. Nil until the first one is sent.
  var sendingSession: SignInOrigin?
  /// Until when the last code that was sent can be used, in seconds since the host was started.
  var sentCodeDeadline: Int64?
  /// Whether this conversation enrolled the account's first factor.
  private(set) var isFirstEnrolment = false
  private var failedProofs = 0
  /// Whether the last failure of the store was a conflict.
  let conflict = CommitConflict()
  /// The language of the client, and of the user once a change was made.
  private(set) var language = Language.english

  /// The length of a session in seconds. NIST SP 800-63B-4, section 4.1.2.2, allows the same time
  /// for a binding code.
  package static var sessionLength: Int64 { SessionLimit.seconds }

  /// The longest silence of a client without a session, in seconds.
  private static var idleTime: Int64 { 60 }

  /// The longest silence of the client that is allowed now, in seconds. During a session, this is
  /// the rest of the session, and after a code was sent the time for which it can be used; in any
  /// case, the idle time.
  private var patience: Int64 {
    guard let now = sinceBoot() else { return Self.idleTime }
    let deadline = max(session?.deadline ?? now, sentCodeDeadline ?? now)
    return max(deadline &- now, Self.idleTime)
  }

  /// The number of failed proofs after which the helper ends.
  private static var maximumFailedProofs: Int { 3 }

  /// Prepares a conversation with `caller`. `terminal` is the caller's terminal, or nil.
  package init(
    caller: Account, servesAllUsers: Bool, terminal: [UInt8]?, host: Machine, proof: Proof,
    client: Client, sinceBoot: @escaping () -> Int64?,
    log: @escaping (LogPriority, LogLine) -> Void,
    audit: @escaping (_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) -> Void,
    mail: @escaping (_ message: [UInt8], _ recipient: [UInt8]) -> Mailing
  ) {
    self.caller = caller
    self.servesAllUsers = servesAllUsers
    source = host.located(Source(terminal ?? ("mfa-enroll" as StaticString).bytes))
    self.host = host
    self.proof = proof
    self.client = client
    self.sinceBoot = sinceBoot
    self.log = log
    self.audit = audit
    self.mail = mail
  }

  /// A session, which begins with re-authentication.
  struct Session {
    /// The end of the session, in seconds since the host was started.
    let deadline: Int64
    /// How the user proved to own the account.
    let basis: Basis
    /// The record at the beginning of the session or after its last change, or nil if there is no
    /// record.
    var record: FactorID?
    /// The generation of that record. A change by another process changes the generation too.
    var generation: UInt32
    /// What the session allows, depending on what was proven.
    var scope: Scope
    /// What the user proved that is not a phone.
    private(set) var otherProof = PhoneDraft.OtherProof.none

    init(
      deadline: Int64, basis: Basis, record: FactorID?, generation: UInt32, scope: Scope
    ) {
      self.deadline = deadline
      self.basis = basis
      self.record = record
      self.generation = generation
      self.scope = scope
    }

    /// Updates the session after the user proved a factor.
    mutating func take(_ shown: ShownFactor) {
      switch shown {
      case .none: return
      case .code(let factor):
        if let factor { otherProof = .factor(factor) }
        scope = basis.scope
      case .sentCode: scope = basis.scope
      case .usedUp(let code):
        noteUse()
        if case .recoveryCode = code { otherProof = .recoveryCode }
        scope = basis.scope
      }
    }

    /// Updates the session after the use of a recovery code or a bypass code, which changes the
    /// record. Any other change since the session began still ends the session.
    mutating func noteUse() { generation = FactorRecord.generation(after: generation) }

    /// Updates the session after a change that the session itself made.
    mutating func advance(to record: FactorRecord?) {
      self.record = record?.id
      generation = record?.generation ?? 0
    }
  }

  /// How the user proved to own an account.
  enum Basis: Equatable {
    case password
    case ticket(GrantID)

    /// The count of failures for attempts in the session. Without a password, attempts do not delay
    /// sign-ins.
    var counter: AttemptState.Counter {
      switch self {
      case .password: .signIn
      case .ticket: .ownProcess
      }
    }

    /// What a session allows once an existing factor has been proven too, or if there is no factor.
    var scope: Scope {
      switch self {
      case .password: .everything
      case .ticket(let id): .oneFactor(id)
      }
    }
  }

  /// How a user proved an existing factor.
  enum ShownFactor {
    /// The user did not prove a factor.
    case none
    /// With a code of an authenticator app.
    case code(FactorID?)
    /// With a code that was sent to a phone.
    case sentCode(FactorID?)
    /// With a recovery code, or one use of a bypass code.
    case usedUp(UsedCode)
  }

  /// What a session allows.
  enum Scope: Equatable {
    /// Every change. The user proved to own the account, and proved a factor if one is enrolled.
    case everything
    /// Enrolling one factor. The account was proven with an administrator's ticket.
    case oneFactor(GrantID)
    /// Creating recovery codes. The ticket has been used.
    case recoveryCodes
    /// Resynchronising a factor. The user did not prove an existing factor.
    case resynchronizing
  }

  /// The kinds of request that need a session.
  enum Purpose {
    case binding
    case recoveryCodes
    case resynchronizing
    case otherChange
  }

  // MARK: Conversation

  /// Answers requests until the client ends the conversation, a message is invalid, or too many
  /// proofs have failed.
  package mutating func run() {
    guard greet() else { return }
    converse()
    // Requests that take no lock also used the configuration, so a change of it is recorded here.
    do throws(HelperFailure) { try dropCallerIdentity() } catch {}
  }

  private mutating func converse() {
    while true {
      switch client.receive(seconds: patience) {
      case .ended: return
      case .malformed:
        _ = client.send(.failed(.protocolError))
        return
      case .unsupportedDisplayName:
        guard client.send(.failed(.unsupportedDisplayName)) else { return }
      case .request(let request):
        guard answer(request) else { return }
      }
    }
  }

  /// Answers the next request. A client in the same process calls this in place of `run`.
  package mutating func serve(_ request: consuming HelperRequest) {
    switch consume request {
    case .hello(let language):
      self.language = language
      _ = welcome()
    case let request: _ = answer(request)
    }
  }

  private mutating func greet() -> Bool {
    guard case .request(let request) = client.receive(seconds: Self.idleTime),
      case .hello(let language) = request
    else {
      _ = client.send(.failed(.protocolError))
      return false
    }
    self.language = language
    return welcome()
  }

  private func welcome() -> Bool {
    guard let user = UserName(caller.name) else {
      _ = client.send(.failed(.protocolError))
      return false
    }
    do throws(HelperFailure) {
      let configuration = try configuration()
      let issuer = settings(configuration).issuer ?? Self.hostName()
      return client.send(.welcome(user: user, issuer: DisplayText(cleaning: issuer)))
    } catch {
      _ = client.send(.failed(error))
      return false
    }
  }

  /// Answers one request, and returns whether the conversation continues.
  private mutating func answer(
    _ request: consuming HelperRequest
  ) -> Bool {
    do throws(HelperFailure) {
      switch consume request {
      case .bye: return false
      case .session:
        return client.send(.sessionStarted(secondsLeft: try startSession(withTicket: false)))
      case .list: return client.send(.factors(try list()))
      case .generateSecret(let parameters):
        let generated = try generate(parameters)
        return client.send(.secret(generated))
      case .enroll(let request):
        return client.send(.enrolled(try enroll(request)))
      case .rename(let factor, let displayName):
        try rename(factor, to: displayName)
        return client.send(.done)
      case .unenroll(let factor):
        let settings = try settings()
        let signedOut = try unenroll(factor, settings)
        defer { sendPhoneNotices() }
        return client.send(
          .unenrolled(
            signedOut: signedOut,
            endsSessions: signedOut && settings.endsSessionsOnUnenrolling))
      case .test(let code):
        guard let recognized = try test(code) else { return client.send(.tested) }
        return client.send(.recognized(recognized))
      case .hello: throw .protocolError
      case .answer: throw .protocolError
      case .cancel: throw .protocolError
      case .ticketSession:
        return client.send(.sessionStarted(secondsLeft: try startSession(withTicket: true)))
      case .status: return client.send(.status(try status()))
      case .generateRecoveryCodes:
        return client.send(
          .recoveryCodes(try generateRecoveryCodes(try requireSession(for: .recoveryCodes))))
      case .generateOfflineCodes(let group):
        return client.send(
          .recoveryCodes(
            try generateOfflineCodes(group, try requireSession(for: .otherChange))))
      case .resync(let request):
        let session = try requireSession(for: .resynchronizing)
        resync = nil
        resync = try beginResynchronizing(request, session)
        return client.send(.done)
      case .completeResync(let code):
        let session = try requireSession(for: .resynchronizing)
        let begun = resync
        resync = nil
        try resynchronize(begun, second: code, session)
        return client.send(.done)
      case .importFactor(let request):
        let session = try requireSession(for: .otherChange)
        _ = try settingsForEnrolling(.totp)
        let factor = try importFactor(request, session)
        return client.send(.enrolled(factor.id))
      case .signIn(let request):
        try dropCallerIdentity()
        guard try snapshot() != nil else { throw .factorNotFound }
        let shown = try attempt(request.code, with: request.factor, counter: .ownProcess)
        switch shown {
        case .none: throw .internalError
        case .code(let factor), .sentCode(let factor):
          return client.send(.signedIn(.factor(factor)))
        case .usedUp(let code):
          session?.noteUse()
          return client.send(.signedIn(code))
        }
      case .deliver(let user):
        try deliver(to: user)
        return client.send(.done)
      case .forget: return client.send(.forgotten(places: try forget()))
      case .checkEnrollment(let displayName):
        try checkEnrollment(displayName)
        return client.send(.done)
      case .readNotices:
        try readNotices()
        return client.send(.done)
      case .beginPhone(let number):
        let sent = try beginPhone(number)
        return client.send(.codeSent(number: sent.number, secondsLeft: sent.secondsLeft))
      case .confirmPhone(let request):
        let factor = try confirmPhone(request)
        defer { sendPhoneNotices() }
        return client.send(.enrolled(factor))
      case .sendCode(let factor):
        let sent = try sendCode(to: factor)
        return client.send(.codeSent(number: sent.number, secondsLeft: sent.secondsLeft))
      }
    } catch {
      guard client.send(.failed(error)) else { return false }
      return error != .protocolError && error != .internalError
        && failedProofs < Self.maximumFailedProofs
    }
  }

  // MARK: Proof of the account

  private mutating func startSession(withTicket: Bool) throws(HelperFailure) -> UInt32 {
    let prompter = ClientPrompter(client: client)
    if session != nil {
      let present = try requireSession(for: .resynchronizing)
      if present.scope == .resynchronizing {
        if let snapshot = try snapshot() { try requireOpen(snapshot, present.basis.counter) }
        let shown = try provePresentFactor(prompter, present.basis)
        session?.take(shown)
      }
      return Self.seconds(present.deadline - (try bootTime()))
    }
    // The record is read before the snapshot. A factor that is enrolled between the two reads
    // either ends the session or is asked for.
    let kept = try keptRecord()
    let snapshot = try snapshot()
    if let snapshot { try requireOpen(snapshot, withTicket ? .ownProcess : .signIn) }
    let basis = try proveAccount(prompter, withTicket: withTicket)
    var started = Session(
      deadline: try bootTime() &+ Self.sessionLength, basis: basis, record: kept?.id,
      generation: kept?.generation ?? 0, scope: basis.scope)
    // The following steps take locks and do not need the caller's identity.
    try dropCallerIdentity()
    if basis == .password { try endPassword(.proven) }
    guard snapshot != nil else {
      session = started
      return Self.seconds(Self.sessionLength)
    }
    // The session begins before the code is verified, as after an empty answer. After a wrong code,
    // the next request asks for the code alone.
    started.scope = .resynchronizing
    session = started
    let shown = try provePresentFactor(prompter, basis)
    session?.take(shown)
    return Self.seconds(Self.sessionLength)
  }

  private mutating func proveAccount(
    _ prompter: ClientPrompter<Client>, withTicket: Bool
  ) throws(HelperFailure) -> Basis {
    if withTicket { return .ticket(try proveTicket(prompter)) }
    guard !proof.hasDroppedCallerIdentity else { throw .requiresRecentLogin }
    // Root is not asked for a password.
    if caller.uid != 0 { try countPassword() }
    switch proof.prove(caller, by: prompter) {
    case .proven: return .password
    case .wrong: throw proofFailed()
    case .noAnswer:
      try endPassword(.withdrawn)
      throw proofFailed()
    case .refused(let refusal):
      try endPassword(.withdrawn)
      failedProofs += 1
      logFailure("account-refused")
      throw .accountRefused(refusal)
    }
  }

  /// Counts a proof of the password before the password is tried.
  private func countPassword() throws(HelperFailure) {
    let context = try context(counter: .ownProcess)
    let wait = try apart { store throws(FactorStoreError) in
      UInt32(clamping: try PasswordAttempt.count(by: caller, in: store, context))
    }
    guard wait == 0 else {
      logFailure("reauthentication-throttled")
      throw .tooManyPasswords(seconds: wait)
    }
  }

  /// Records how a counted proof of the password ended.
  private func endPassword(_ ending: PasswordAttempt.Ending) throws(HelperFailure) {
    guard caller.uid != 0 else { return }
    _ = try apart { store throws(FactorStoreError) in
      try PasswordAttempt.end(ending, by: caller, in: store)
      return 0
    }
  }

  /// Calls `body` where the caller cannot stop it, and returns its result.
  private func apart(
    _ body: (Machine.Store) throws(FactorStoreError) -> UInt32
  ) throws(HelperFailure) -> UInt32 {
    let result = proof.apart {
      do throws(FactorStoreError) {
        // 0 stands for a failure.
        return try body(try host.store()) &+ 1
      } catch {
        _ = failure(error)
        return 0
      }
    }
    guard let result, result > 0 else { throw .storeUnavailable }
    return result &- 1
  }

  /// Verifies an administrator's ticket, which proves the account of a user without a password. The
  /// ticket is used up by the factor that is enrolled with it, so an interrupted enrolment can
  /// begin again.
  private mutating func proveTicket(
    _ prompter: ClientPrompter<Client>
  ) throws(HelperFailure) -> GrantID {
    try dropCallerIdentity()
    let prompt = DisplayText(cleaning: HelperMessage.ticketPrompt.text(in: language).utf8)
    guard let typed = prompter.ask(prompt, echo: false) else { throw proofFailed() }
    guard let ticket = RecoveryCode(answer: typed.span) else {
      failedProofs += 1
      throw .ticketInvalid
    }
    let result: Attempt.RedemptionResult
    let context = try context(counter: .ownProcess)
    do throws(FactorStoreError) {
      result = try Attempt.redeem(
        ticket: ticket, by: caller, in: try host.store(), context)
    } catch {
      throw failure(error)
    }
    switch result {
    case .good(let id): return id
    case .wrong(let wait):
      _ = proofFailed()
      guard wait == 0 else { throw .tooManyAttempts(seconds: Self.seconds(wait)) }
      throw .ticketInvalid
    case .refused(let standing): throw HelperFailure(Attempt.Rejected(standing))
    case .tooManyChanges(let wait): throw .tooManyChanges(seconds: Self.seconds(wait))
    }
  }

  private mutating func proofFailed() -> HelperFailure {
    failedProofs += 1
    logFailure("reauthentication-failed")
    return .reauthenticationFailed
  }

  /// Asks for a code of an existing factor, because knowing the password must not be enough to
  /// change the second factor. An empty answer is allowed. The session then allows only
  /// resynchronising a factor, which the factor's own codes prove.
  private mutating func provePresentFactor(
    _ prompter: ClientPrompter<Client>, _ basis: Basis
  ) throws(HelperFailure) -> ShownFactor {
    guard let typed = try askForCode(prompter, basis.counter) else { throw proofFailed() }
    guard typed.count > 0 else { return .none }
    do throws(HelperFailure) {
      return try attempt(typed, counter: basis.counter, showsClockHint: true)
    } catch {
      failedProofs += 1
      throw error
    }
  }

  /// Verifies a code in the same way as a sign-in.
  private func attempt(
    _ typed: borrowing SecretBytes, with factor: FactorID? = nil, counter: AttemptState.Counter,
    showsClockHint: Bool = false
  ) throws(HelperFailure) -> ShownFactor {
    let codes = TypedCodes(whole: typed.span)
    let context = try context(factor: factor, counter: counter, showsClockHint: showsClockHint)
    let attempt: Attempt.Report
    do throws(FactorStoreError) {
      attempt = try Attempt.make(codes, by: caller, in: try host.store(), context)
    } catch {
      throw failure(error)
    }
    let result = attempt.result
    report(result, state: context.settings.state)
    tellClockHint(attempt)
    if let message = attempt.message { host.codeSender.markReturned(message) }
    switch result {
    case .accepted(.factor(let factor)):
      return attempt.message == nil ? .code(factor) : .sentCode(factor)
    case .accepted(.recoveryCode(let left, _)):
      deliverInBackground()
      return .usedUp(.recoveryCode(left: UInt8(clamping: left)))
    case .accepted(.bypassCode(_, let usesLeft, _)):
      deliverInBackground()
      return .usedUp(.bypassCode(usesLeft: usesLeft))
    case .rejected(let rejected): throw HelperFailure(rejected)
    }
  }

  private func requireOpen(
    _ snapshot: FactorSnapshot, _ counter: AttemptState.Counter
  ) throws(HelperFailure) {
    let settings = try settings()
    let standing = snapshot.attempts.standing(
      settings.throttle, now: try now(), counter: counter)
    guard !settings.mayUnlock(snapshot.record, standing) else { return }
    switch standing {
    case .open: return
    case .throttled(let seconds): throw .tooManyAttempts(seconds: Self.seconds(seconds))
    case .locked: throw .factorsLocked
    }
  }

  func requireSession(for purpose: Purpose) throws(HelperFailure) -> Session {
    guard let session else { throw .requiresRecentLogin }
    guard try bootTime() < session.deadline else { throw .sessionExpired }
    switch (session.scope, purpose) {
    case (.everything, _), (_, .resynchronizing), (.oneFactor, .binding),
      (.recoveryCodes, .recoveryCodes):
      return session
    case (.resynchronizing, _): throw .secondFactorRequired
    case (.oneFactor, _): throw .requiresRecentLogin
    case (.recoveryCodes, .binding): throw .ticketInvalid
    case (.recoveryCodes, _): throw .requiresRecentLogin
    }
  }

  // MARK: Requests that need a session

  /// Returns the settings, unless they forbid factors of a type.
  func settingsForEnrolling(
    _ type: Configuration.FactorType
  ) throws(HelperFailure) -> Settings {
    let settings = try settings()
    guard settings.state != .disabled else { throw .multiFactorDisabled }
    guard settings.allows(type) else {
      switch type {
      case .totp: throw .totpNotSupported
      case .phone: throw .phonesNotSupported
      }
    }
    return settings
  }

  private mutating func generate(
    _ parameters: TOTPParameters
  ) throws(HelperFailure) -> GeneratedSecret {
    let session = try requireSession(for: .binding)
    _ = try settingsForEnrolling(.totp)
    let count = try snapshot()?.record.factors.count ?? 0
    guard count < FactorRecord.maximumFactors else { throw .maximumSecondFactorCountExceeded }
    let secret = try PendingSecret(parameters)
    pending = secret
    return secret.shown(secondsLeft: Self.seconds(session.deadline &- (try bootTime())))
  }

  private mutating func enroll(
    _ request: borrowing EnrollmentRequest
  ) throws(HelperFailure) -> FactorID {
    let session = try requireSession(for: .binding)
    let settings = try settingsForEnrolling(.totp)
    guard let pending, !pending.isExhausted else { throw .sessionExpired }
    let step = try pending.confirm(request.code, settings, now: try now())
    let name = request.displayName
    let (factor, committed) = try deciding {
      () throws(HelperFailure) -> (Factor, CommittedChange) in
      let entry = try entry(creating: true, session)
      let now = try now()
      let allowed = try countedChange(entry, at: now)
      var record = try record(entry)
      let factor = try pending.factor(named: name, at: now, in: record, sealedBy: entry)
      try change { () throws(FactorRecord.ChangeRefusal) in try record.add(factor) }
      let event = try note(factor, session.scope, in: &record, at: now)
      let attempts = entry.record == nil ? allowed.beginning(record) : allowed
      let committed = try replace(
        entry, record, attempts.keeping(record).adding(factor.id, confirmedAt: step),
        entering: event)
      return (factor, committed)
    }
    finishEnrollment(committed, session)
    self.pending = nil
    logChange("enrolled", factor, committed.checkpoint)
    deliverInBackground()
    return factor.id
  }

  /// Updates the session after an enrolment.
  mutating func finishEnrollment(_ committed: CommittedChange, _ session: Session) {
    self.session?.advance(to: committed.kept)
    if case .oneFactor = session.scope { self.session?.scope = .recoveryCodes }
    if committed.record.factors.count == 1 { isFirstEnrolment = true }
  }

  /// Adds the notice of a new factor to the record, and uses up the session's ticket, if it has
  /// one, in the same write that enrols the factor.
  func note(
    _ factor: Factor, _ scope: Scope, in record: inout FactorRecord, at now: Int64
  ) throws(HelperFailure) -> AuditLogEvent {
    guard case .oneFactor(let ticket) = scope else {
      record.note(
        .enrolled, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
        at: now)
      return AuditLogEvent(.enrolled, factor, by: actor, at: now)
    }
    // The ticket may have been withdrawn, used or expired in the meantime.
    guard record.grants.contains(where: { $0.id == ticket && $0.isGood(at: now) }),
      record.use(ticket)
    else { throw .ticketInvalid }
    record.note(
      .ticketUsed, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
      at: now)
    return AuditLogEvent(
      .enrolledByTicket,
      ids: factor.id.hexadecimal + [UInt8(ascii: ",")] + ticket.hexadecimal,
      detail: factor.displayName.utf8, by: actor, at: now)
  }

  private mutating func rename(
    _ id: FactorID, to name: DisplayName
  ) throws(HelperFailure) {
    let session = try requireSession(for: .otherChange)
    guard try snapshot() != nil else { throw .factorNotFound }
    let committed = try deciding { () throws(HelperFailure) -> CommittedChange in
      let entry = try entry(creating: false, session)
      guard var record = entry.record else { throw .factorNotFound }
      try change { () throws(FactorRecord.ChangeRefusal) in try record.rename(id, to: name) }
      let now = try now()
      let event = AuditLogEvent(
        .renamed, ids: id.hexadecimal, detail: name.utf8, by: actor, at: now)
      return try replace(entry, record, try countedChange(entry, at: now), entering: event)
    }
    self.session?.advance(to: committed.kept)
    logChange("renamed", committed.record.factor(id), committed.checkpoint)
  }

  private mutating func unenroll(
    _ id: FactorID, _ settings: Settings
  ) throws(HelperFailure) -> Bool {
    let session = try requireSession(for: .otherChange)
    guard try snapshot() != nil else { throw .factorNotFound }
    var wasNewest = false
    var notices: PhoneNotices?
    let (factor, committed) = try deciding {
      () throws(HelperFailure) -> (Factor, CommittedChange) in
      let entry = try entry(creating: false, session)
      guard var record = entry.record, let factor = record.factor(id) else {
        throw .factorNotFound
      }
      let isLast = record.factors.count == 1
      guard !isLast || settings.enrollment != .required else { throw .lastFactorRequired }
      let now = try now()
      wasNewest = try change { () throws(FactorRecord.ChangeRefusal) in
        try record.unenroll(id, from: source, at: now)
      }
      // The watermark stays until another factor is enrolled. If it were removed before the record is
      // written, a crash between the two would leave a factor that accepts no code.
      let event = AuditLogEvent(.unenrolled, factor, by: actor, at: now)
      let allowed = try countedChange(entry, at: now)
      // The number cannot be read after the removal.
      notices = noticesOfRemoval(of: factor, in: entry, settings)
      if factor.parameters == nil { record.notePhoneRemoved(at: now) }
      return (factor, try replace(entry, record, allowed.forgetting(), entering: event))
    }
    phoneNotices = notices
    self.session?.advance(to: committed.kept)
    logChange("unenrolled", factor, committed.checkpoint)
    deliverInBackground()
    return wasNewest
  }

  // MARK: Requests without a session

  private func list() throws(HelperFailure) -> [FactorSummary] {
    guard let record = try snapshot()?.record else { return [] }
    return record.factors.map { FactorSummary($0) }
  }

  /// Clears remembered sign-ins. No session is needed, because the only effect is that the next
  /// sign-in asks for a code.
  private func forget() throws(HelperFailure) -> UInt8 {
    try dropCallerIdentity()
    return try deciding { () throws(HelperFailure) -> UInt8 in
      let entry: Machine.Store.Entry?
      do throws(FactorStoreError) {
        entry = try host.store().existingEntry(of: caller)
      } catch {
        throw failure(error)
      }
      guard let entry else { return 0 }
      let places = entry.attempts.remembered.entries.count
      guard places > 0 else { return 0 }
      let now = try now()
      let allowed = try countedChange(entry, at: now)
      do throws(FactorStoreError) {
        let checkpoint = try entry.write(
          allowed.forgetting(), entering: AuditLogEvent(.forgotten, by: actor, at: now))
        logChange("forgotten", nil, checkpoint)
        return UInt8(clamping: places)
      } catch {
        throw failure(error)
      }
    }
  }
}
