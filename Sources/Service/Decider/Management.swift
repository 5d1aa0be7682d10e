import MFAAttempt
import MFABase
import MFACrypto
import MFAMessages
import MFAModel
import MFAStore
import MFAWire

/// What a user's own requests do: a function from a request of `mfa-helper` to its reply. What the next request
/// needs is sealed in the reply's continuation.
///
/// MUST 1: the account is that of the caller's real user ID, never one named in a message.
/// (`ManagementTests`; Tests/EndToEnd)
/// MUST 2: no factor is enrolled, renamed or removed without a session. A session requires proof of
/// the account. If the account has a factor, the session also requires a code; without a code, it
/// allows nothing but resynchronising a factor with two of its codes.
/// (`ManagementTests.needsASession`, `.presentFactorIsAskedFor`, `RecoveryTests.withoutAFactor`)
/// MUST 3: a secret is sent to the client once, before it is enrolled, and is kept sealed, until its deadline.
/// (`ManagementTests.secretIsNotShownAgain`, `.deadline`)
/// MUST 4: an interruption at any point leaves what is stored unchanged.
/// (`ManagementTests.interrupted`; Tests/Faults)
/// MUST 5: a session ends at its deadline, and with any change of the record that the session did
/// not make. Both are checked under the user's lock. (`SessionTests`)
/// MUST 6: a ticket enrols at most one factor, however its session continues, and a valid ticket
/// does not change any failure count. (`TicketTests.emptyCodeThenSession`, `.failuresStay`)
/// MUST 7: requests that a user's process can make without a password do not throttle sign-ins.
/// (`ManagementTests.ownProcessFailures`)
/// MUST 8: no process that waits for the user or for PAM holds a lock: each request is decided by a process that
/// the caller cannot stop. (`HelperConversationTests`; Tests/EndToEnd/StoppedProcessTests)
package struct Management<Machine: AuthenticationHost> {
  let caller: Account
  /// Whether the caller may request delivery of every user's notices.
  let servesAllUsers: Bool
  /// The source of the changes: the caller's terminal, and the client from which the caller's session was opened. If
  /// neither is known, `mfa-enroll`.
  private(set) var source: Source
  let host: Machine
  let log: (LogPriority, LogLine) -> Void
  /// Writes a record about the caller to the kernel's audit trail.
  let audit: (_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) -> Void
  let mail: (_ message: [UInt8], _ recipient: [UInt8]) -> Mailing

  var state = ManagementState()
  /// The frames for the client.
  private let responses = Responses()
  /// The messages that are sent to phones after the reply.
  var phoneNotices: PhoneNotices?
  /// The notices that the reply shows.
  var shownNotices: (PendingNotices, of: FactorRecord)?
  /// Whether the last failure of the store was a conflict.
  let conflict = CommitConflict()
  /// The language of the client, and of the user once a change was made.
  private(set) var language = Language.english

  /// The length of a session in seconds. NIST SP 800-63B-4, section 4.1.2.2, allows the same time
  /// for a binding code.
  package static var sessionLength: Int64 { SessionLimit.seconds }

  /// The longest silence of a client without a session, in seconds.
  private static var idleTime: Int64 { 60 }

  /// The number of failed proofs after which the helper ends.
  private static var maximumFailedProofs: UInt8 { 3 }

  /// Prepares for a request of `caller`. `terminal` is the caller's terminal, or nil.
  package init(
    caller: Account, servesAllUsers: Bool = false, terminal: [UInt8]?, host: Machine,
    log: @escaping (LogPriority, LogLine) -> Void,
    audit: @escaping (_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) -> Void,
    mail: @escaping (_ message: [UInt8], _ recipient: [UInt8]) -> Mailing
  ) {
    self.caller = caller
    self.servesAllUsers = servesAllUsers
    source = host.located(Source(terminal ?? ("mfa-enroll" as StaticString).bytes))
    self.host = host
    self.log = log
    self.audit = audit
    self.mail = mail
  }

  // MARK: Requests

  /// Decides about a request. `finish` is called after the reply was sent.
  package mutating func reply(to call: consuming ManagementCall) -> ManagementReply {
    language = call.language
    if let remoteHost = call.remoteHost {
      source = host.located(Source(terminal: call.terminal ?? [], client: remoteHost))
    }
    noteConfiguration()
    state = opened(call.continuation)
    let isFirst = call.continuation.isEmpty
    var reply = ManagementReply()
    do throws(HelperFailure) {
      if let result = call.proof {
        try takeProof(result)
        reply.next = .request
      } else {
        reply.next = try answer(try Self.request(call.body), isFirst: isFirst)
      }
    } catch {
      respond(.failed(error))
      let isOver =
        error == .protocolError || error == .internalError
        || state.failedProofs >= Self.maximumFailedProofs
      reply.next = isOver ? .end : .request
    }
    reply.frames = responses.take()
    reply.seconds = UInt32(clamping: patience)
    if reply.next != .end { reply.continuation = sealed() }
    return reply
  }

  /// Does what the client need not wait for, once the reply was sent.
  package mutating func finish(wasSent: Bool) {
    if wasSent { markShown() }
    sendPhoneNotices()
  }

  private static func request(
    _ body: borrowing SecretBytes
  ) throws(HelperFailure) -> HelperRequest {
    do throws(PacketError) {
      return try HelperRequest(body: body.span)
    } catch {
      throw error == .unsupportedDisplayName ? .unsupportedDisplayName : .protocolError
    }
  }

  /// The longest silence of the client that is allowed now, in seconds: at a question, enough to find a phone.
  /// During a session, this is the rest of the session, and after a code was sent the time for which it can be
  /// used; in any case, the idle time.
  private var patience: Int64 {
    guard state.phase == .idle else { return ProtocolDeadline.answer }
    do throws(HelperFailure) {
      let now = try now()
      let deadline = max(state.session?.deadline ?? now, state.sentCodeDeadline)
      return max(deadline &- now, Self.idleTime)
    } catch {
      return Self.idleTime
    }
  }

  /// Adds a response for the client.
  func respond(_ response: consuming HelperResponse) { responses.add(response) }

  private func welcome() throws(HelperFailure) {
    guard let user = UserName(caller.name) else { throw .protocolError }
    let issuer = try settings().issuer ?? Self.hostName()
    respond(.welcome(user: user, issuer: DisplayText(cleaning: issuer)))
  }

  /// Answers one request. Returns what the helper does next.
  private mutating func answer(
    _ request: consuming HelperRequest, isFirst: Bool
  ) throws(HelperFailure) -> ManagementReply.Next {
    switch state.phase {
    case .idle: break
    case .account: throw .protocolError
    case .ticket, .code:
      let phase = state.phase
      state.phase = .idle
      // Another request declines to answer.
      guard case .answer(let typed) = consume request else { throw proofFailed() }
      if phase == .ticket { try takeTicket(typed) } else { try takeCode(typed) }
      return .request
    }
    switch consume request {
    case .bye: return .end
    case .hello:
      guard isFirst else { throw .protocolError }
      try welcome()
    case .session: return try beginSession(withTicket: false)
    case .list: respond(.factors(try list()))
    case .generateSecret(let parameters):
      let generated = try generate(parameters)
      respond(.secret(generated))
    case .enroll(let request):
      respond(.enrolled(try enroll(request)))
    case .rename(let factor, let displayName):
      try rename(factor, to: displayName)
      respond(.done)
    case .unenroll(let factor):
      let settings = try settings()
      let signedOut = try unenroll(factor, settings)
      respond(
        .unenrolled(
          signedOut: signedOut,
          endsSessions: signedOut && settings.endsSessionsOnUnenrolling))
    case .test(let code):
      respond(try test(code))
    case .answer: throw .protocolError
    case .cancel: throw .protocolError
    case .ticketSession: return try beginSession(withTicket: true)
    case .status: respond(.status(try status()))
    case .generateRecoveryCodes:
      respond(
        .recoveryCodes(try generateRecoveryCodes(try requireSession(for: .recoveryCodes))))
    case .generateOfflineCodes(let group):
      respond(
        .recoveryCodes(
          try generateOfflineCodes(group, try requireSession(for: .otherChange))))
    case .makeProgramPassword(let request):
      // What is wrong with the request is said before the user is asked for anything.
      let scope = try scope(of: request)
      let session = try requireSession(for: .otherChange)
      let made = try makeProgramPassword(request, scope, session)
      respond(.programPassword(made))
    case .listProgramPasswords: respond(.programPasswords(try programPasswords()))
    case .removeProgramPassword(let id):
      try removeProgramPassword(id, try requireSession(for: .otherChange))
      respond(.done)
    case .resync(let request):
      let session = try requireSession(for: .resynchronizing)
      state.resync = nil
      state.resync = try beginResynchronizing(request, session)
      respond(.done)
    case .completeResync(let code):
      let session = try requireSession(for: .resynchronizing)
      let begun = state.resync
      state.resync = nil
      try resynchronize(begun, second: code, session)
      respond(.done)
    case .importFactor(let request):
      let session = try requireSession(for: .otherChange)
      _ = try settingsForEnrolling(.totp)
      let factor = try importFactor(request, session)
      respond(.enrolled(factor.id))
    case .signIn(let request):
      guard try snapshot() != nil else { throw .factorNotFound }
      let shown = try attempt(request.code, with: request.factor, counter: .ownProcess)
      switch shown {
      case .code(let factor), .sentCode(let factor):
        respond(.signedIn(.factor(factor)))
      case .usedUp(let code):
        state.session?.noteUse()
        respond(.signedIn(code))
      }
    case .deliver(let user):
      try deliver(to: user)
      respond(.done)
    case .forget: respond(.forgotten(places: try forget()))
    case .checkEnrollment(let displayName, let isPhone):
      try checkEnrollment(displayName, isPhone: isPhone)
      respond(.done)
    case .readNotices:
      try readNotices()
      respond(.done)
    case .beginPhone(let number):
      let sent = try beginPhone(number)
      respond(.codeSent(number: sent.number, secondsLeft: sent.secondsLeft))
    case .confirmPhone(let request):
      let factor = try confirmPhone(request)
      respond(.enrolled(factor))
    case .sendCode(let factor):
      let sent = try sendCode(to: factor)
      respond(.codeSent(number: sent.number, secondsLeft: sent.secondsLeft))
    }
    return .request
  }

  // MARK: Proof of the account

  /// Begins a session, or asks again for the code of an existing factor.
  private mutating func beginSession(
    withTicket: Bool
  ) throws(HelperFailure) -> ManagementReply.Next {
    if state.session != nil {
      let present = try requireSession(for: .resynchronizing)
      guard present.scope == .resynchronizing else {
        try respondSession()
        return .request
      }
      if let snapshot = try snapshot() { try requireOpen(snapshot, present.basis.counter) }
      try askForCode()
      return .request
    }
    // The record is read before the snapshot, and kept until the account is proven. A factor that is
    // enrolled meanwhile either ends the session or is asked for.
    let kept = try keptRecord()
    if let snapshot = try snapshot() {
      try requireOpen(snapshot, withTicket ? .ownProcess : .signIn)
    }
    (state.record, state.generation) = (kept?.id, kept?.generation ?? 0)
    if withTicket {
      state.phase = .ticket
      let prompt = HelperMessage.ticketPrompt.text(in: language)
      respond(.prompt(text: DisplayText(cleaning: prompt.utf8), .ticket))
      return .request
    }
    // Root is not asked for a password.
    if caller.uid != 0 { try countPassword() }
    state.phase = .account
    return .proof
  }

  /// Begins the session of a user whose account was proven.
  private mutating func begin(_ basis: Basis) throws(HelperFailure) {
    var started = Session(
      deadline: try now() &+ Self.sessionLength, basis: basis, record: state.record,
      generation: state.generation, scope: basis.scope)
    guard try snapshot() != nil else {
      state.session = started
      return try respondSession()
    }
    // The session begins before the code is verified, as after an empty answer. After a wrong code,
    // the next request asks for the code alone.
    started.scope = .resynchronizing
    state.session = started
    try askForCode()
  }

  private func respondSession() throws(HelperFailure) {
    guard let session = state.session else { throw .internalError }
    respond(.sessionStarted(secondsLeft: Self.seconds(session.deadline &- (try now()))))
  }

  /// Takes the result of the proof that the helper obtained from PAM.
  private mutating func takeProof(_ result: ProofResult) throws(HelperFailure) {
    guard state.phase == .account else { throw .protocolError }
    state.phase = .idle
    switch result {
    case .proven:
      try endPassword(.proven)
      try begin(.password)
    case .wrong: throw proofFailed()
    case .noAnswer:
      try endPassword(.withdrawn)
      throw proofFailed()
    case .refused(let refusal):
      try endPassword(.withdrawn)
      state.failedProofs &+= 1
      logFailure("account-refused")
      throw .accountRefused(refusal)
    }
  }

  /// Counts a proof of the password before the password is tried.
  private func countPassword() throws(HelperFailure) {
    let context = try context(counter: .ownProcess)
    let wait = try storing { () throws(FactorStoreError) in
      try PasswordAttempt.count(by: caller, in: try host.store(), context)
    }
    guard wait == 0 else {
      logFailure("reauthentication-throttled")
      throw .tooManyPasswords(seconds: Self.seconds(wait))
    }
  }

  /// Records how a counted proof of the password ended.
  private func endPassword(_ ending: PasswordAttempt.Ending) throws(HelperFailure) {
    guard caller.uid != 0 else { return }
    do throws(FactorStoreError) {
      try PasswordAttempt.end(ending, by: caller, in: try host.store())
    } catch {
      throw failure(error)
    }
  }

  /// Verifies an administrator's ticket, which proves the account of a user without a password. The
  /// ticket is used up by the factor that is enrolled with it, so an interrupted enrolment can
  /// begin again.
  private mutating func takeTicket(_ typed: borrowing SecretBytes) throws(HelperFailure) {
    guard let ticket = RecoveryCode(answer: typed.span) else {
      state.failedProofs &+= 1
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
    case .good(let id): try begin(.ticket(id))
    case .wrong(let wait):
      _ = proofFailed()
      guard wait == 0 else { throw .tooManyAttempts(seconds: Self.seconds(wait)) }
      throw .ticketInvalid
    case .refused(let standing): throw HelperFailure(Attempt.Rejected(standing))
    case .tooManyChanges(let wait): throw .tooManyChanges(seconds: Self.seconds(wait))
    }
  }

  private mutating func proofFailed() -> HelperFailure {
    state.failedProofs &+= 1
    logFailure("reauthentication-failed")
    return .reauthenticationFailed
  }

  /// Takes a code of an existing factor, because knowing the password must not be enough to
  /// change the second factor. An empty answer is allowed. The session then allows only
  /// resynchronising a factor, which the factor's own codes prove.
  private mutating func takeCode(_ typed: borrowing SecretBytes) throws(HelperFailure) {
    guard let session = state.session else { throw .internalError }
    if try sendsCode(typed, session.basis.counter) { return }
    let now = try now()
    let enrollment = try storing { () throws(FactorStoreError) in
      try Attempt.enrollment(
        by: TypedCodes(whole: typed.span), of: caller, in: try host.store(), now: now)
    }
    if let enrollment {
      state.session?.take(enrollment)
    } else if typed.count > 0 {
      do throws(HelperFailure) {
        let shown = try attempt(typed, counter: session.basis.counter, showsClockHint: true)
        state.session?.take(shown)
      } catch {
        state.failedProofs &+= 1
        throw error
      }
    }
    try respondSession()
  }

  /// Verifies a code in the same way as a sign-in.
  private func attempt(
    _ typed: borrowing SecretBytes, with factor: FactorID? = nil, counter: AttemptState.Counter,
    showsClockHint: Bool = false
  ) throws(HelperFailure) -> ShownFactor {
    let codes = TypedCodes(whole: typed.span)
    let context = try context(factor: factor, counter: counter, showsClockHint: showsClockHint)
    let attempt = try storing { () throws(FactorStoreError) in
      try Attempt.make(codes, by: caller, in: try host.store(), context)
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
      // At once: whatever becomes of the request, the code is used up. The program says at its end if few are left.
      tell(.recoveryCodeAccepted(left: Int64(left), areFew: false))
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
    guard let session = state.session else { throw .requiresRecentLogin }
    guard session.isOpen(at: try now()) else { throw .sessionExpired }
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
    let draft: EnrollmentDraft
    do throws(SystemError) { draft = try EnrollmentDraft(parameters) } catch {
      throw .internalError
    }
    state.secret = draft
    return GeneratedSecret(
      key: draft.withSecret { SecretBytes(copying: $0) }, parameters: parameters,
      secondsLeft: Self.seconds(session.deadline &- (try now())))
  }

  /// The number of wrong codes after which a secret can no longer be enrolled.
  private static var maximumWrongCodes: UInt8 { 10 }

  private mutating func enroll(
    _ request: borrowing EnrollmentRequest
  ) throws(HelperFailure) -> FactorID {
    let session = try requireSession(for: .binding)
    let settings = try settingsForEnrolling(.totp)
    guard var draft = state.secret, draft.wrongCodes < Self.maximumWrongCodes else {
      throw .sessionExpired
    }
    let step = try confirming(request.code, &draft, settings)
    let (name, confirmed) = (request.displayName, draft)
    let enrolled = try enroll(in: session) {
      entry, record, now throws(HelperFailure) -> (Factor, confirmedAt: Int64) in
      let factor = try storing { () throws(FactorStoreError) in
        try confirmed.factor(named: name, at: now, in: record, sealedBy: entry)
      }
      return (factor, step)
    }
    state.secret = nil
    return finishEnrollment(enrolled, session)
  }

  /// Commits the factor that `draft` returns for the user's record.
  func enroll(
    in session: Session,
    _ draft: (
      Machine.Store.Entry, FactorRecord, _ now: Int64
    ) throws(HelperFailure) -> (Factor, confirmedAt: Int64)
  ) throws(HelperFailure) -> (Factor, CommittedChange) {
    try deciding { () throws(HelperFailure) -> (Factor, CommittedChange) in
      let entry = try entry(creating: true, session)
      let now = try now()
      let allowed = try countedChange(entry, at: now)
      var record = try record(entry)
      let (factor, confirmed) = try draft(entry, record, now)
      try change { () throws(FactorRecord.ChangeRefusal) in try record.add(factor) }
      let event = try note(factor, session, in: &record, at: now)
      let attempts = entry.record == nil ? allowed.beginning(record) : allowed
      let committed = try replace(
        entry, record, attempts.keeping(record).adding(factor.id, confirmedAt: confirmed),
        entering: event)
      return (factor, committed)
    }
  }

  /// Updates the session after an enrolment, and reports it.
  mutating func finishEnrollment(
    _ enrolled: (factor: Factor, committed: CommittedChange), _ session: Session
  ) -> FactorID {
    let (factor, committed) = enrolled
    state.session?.advance(to: committed.kept)
    if session.scope == .oneFactor { state.session?.scope = .recoveryCodes }
    if committed.record.factors.count == 1 { state.isFirstEnrollment = true }
    logChange("enrolled", factor, committed.checkpoint)
    deliverInBackground()
    return factor.id
  }

  /// Returns the time step whose code was typed. A wrong code is counted.
  private mutating func confirming(
    _ typed: borrowing SecretBytes, _ draft: inout EnrollmentDraft, _ settings: Settings
  ) throws(HelperFailure) -> Int64 {
    let now = try now()
    defer { state.secret = draft }
    return try Self.step(
      of: storing { () throws(FactorStoreError) in
        try draft.confirm(typed, adjacentIntervals: settings.adjacentIntervals, now: now)
      })
  }

  /// Returns the time step of the right code.
  static func step(of code: EnrollmentDraft.TypedCode) throws(HelperFailure) -> Int64 {
    switch code {
    case .right(let step): return step
    case .wrong(nil): throw .invalidVerificationCode
    case .wrong(let secondsAhead?):
      throw .codeOfAnotherTime(secondsAhead: Int32(clamping: secondsAhead))
    case .notACode: throw .notACode
    }
  }

  /// Calls `body`, which uses the store, and reports its error.
  func storing<Result: ~Copyable>(
    _ body: () throws(FactorStoreError) -> Result
  ) throws(HelperFailure) -> Result {
    do throws(FactorStoreError) { return try body() } catch { throw failure(error) }
  }

  /// Adds the notice of a new factor to the record, and uses up the session's ticket, if it has
  /// one, in the same write that enrols the factor.
  private func note(
    _ factor: Factor, _ session: Session, in record: inout FactorRecord, at now: Int64
  ) throws(HelperFailure) -> AuditLogEvent {
    guard session.scope == .oneFactor, case .ticket(let ticket) = session.basis else {
      record.note(
        .enrolled, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
        at: now)
      return AuditLogEvent(.enrolled, factor, by: actor, at: now)
    }
    // The ticket may have been withdrawn, used or expired in the meantime.
    guard let grant = record.grants.first(where: { $0.id == ticket && $0.isGood(at: now) }),
      record.use(ticket)
    else { throw .ticketInvalid }
    guard grant.kind == .ticket else {
      record.note(
        .enrolled, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
        at: now)
      return AuditLogEvent(.enrolled, factor, by: actor, at: now)
    }
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
    state.session?.advance(to: committed.kept)
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
      if factor.parameters == nil, factor.origin != .testNumber { record.notePhoneRemoved(at: now) }
      return (factor, try replace(entry, record, allowed.forgetting(), entering: event))
    }
    phoneNotices = notices
    state.session?.advance(to: committed.kept)
    logChange("unenrolled", factor, committed.checkpoint)
    deliverInBackground()
    return wasNewest
  }

  // MARK: Requests without a session

  private func list() throws(HelperFailure) -> [FactorSummary] {
    guard let snapshot = try snapshot() else { return [] }
    let now = try now()
    return snapshot.record.factors.map { factor in
      var summary = FactorSummary(factor)
      summary.lastUse = snapshot.attempts.lastUse(of: factor, now: now) ?? 0
      return summary
    }
  }

  /// Clears remembered sign-ins. No session is needed, because the only effect is that the next
  /// sign-in asks for a code.
  private func forget() throws(HelperFailure) -> UInt8 {
    try deciding { () throws(HelperFailure) -> UInt8 in
      let entry = try storing { () throws(FactorStoreError) in
        try host.store().existingEntry(of: caller)
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
