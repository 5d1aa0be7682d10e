import FactorStore
import Factors
import HelperProtocol
import OneTimePassword
import Policy
import Secrets
public import SignIn
public import System

/// The privileged side of enrolment: one client, from `hello` to the end.
///
/// MUST 1: whose factors these are is the caller's real identity, never something said.
/// (`ConversationTests`; Tests/EndToEnd)
/// MUST 2: nothing is bound, renamed or taken away without a session, and there is no session without
/// the account's own proof and, where there is a factor, a code of it; without that code, a factor can
/// be resynchronised with two of its codes, and nothing else be done.
/// (`ConversationTests.needsASession`, `.presentFactorIsAskedFor`, `RecoveryTests.withoutAFactor`)
/// MUST 3: a secret leaves once, before it is enrolled, and lives here only until its deadline.
/// (`ConversationTests.secretIsNotShownAgain`, `.deadline`)
/// MUST 4: interrupted anywhere, nothing has changed. (`ConversationTests.interrupted`; Tests/Faults)
/// MUST 5: a session ends with its deadline, and with any change of the record that it did not make:
/// both are checked under the user's lock. (`SessionTests`)
/// MUST 6: a ticket gives one factor, however a session that rests on it goes on, and changes no count
/// of failures. (`TicketTests.emptyCodeThenSession`, `.failuresStay`)
/// MUST 7: what a process of the user's can do without a password throttles no sign-in.
/// (`ConversationTests.ownChecks`)
/// MUST 8: the caller can stop this process only while it holds no lock: the caller's identity is given
/// up before the first lock. (`RetirementTests.leavesCallerFirst`; Tests/EndToEnd/StoppedProcessTests)
public struct Conversation<Machine: Host, Proof: AccountProof, Client: Link> {
  let caller: Account
  /// Whether the caller may have everybody's notices mailed.
  let servesEverybody: Bool
  /// From where changes are made here: the caller's terminal, where there is one.
  let source: Source
  let host: Machine
  let proof: Proof
  let client: Client
  let sinceBoot: () -> Int64?
  let log: (LogPriority, LogLine) -> Void
  /// Has the kernel's audit trail say something about the caller.
  let audit: (_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) -> Void
  let mail: (_ message: [UInt8], _ recipient: [UInt8]) -> Mailing

  var session: Session?
  private var pending: PendingSecret?
  private var resync: PendingResync?
  /// Whether the account's first factor was enrolled in this conversation.
  private(set) var isFirstEnrolment = false
  private var failedProofs = 0

  /// How long a session lasts, in seconds. NIST SP 800-63B-4, section 4.1.2.2,
  /// gives a code for binding as long.
  public static var sessionLength: Int64 { 600 }

  /// How long a client without a session may be silent, in seconds.
  private static var idleTime: Int64 { 60 }

  /// How long the client may be silent now, in seconds. During a session this is the rest of it.
  private var patience: Int64 {
    guard let session, let now = sinceBoot() else { return Self.idleTime }
    return max(session.deadline &- now, Self.idleTime)
  }

  /// How often a proof may fail before the helper ends.
  private static var mostFailedProofs: Int { 3 }

  /// Prepares a conversation with `caller`, who is at `terminal`, nil where there is none.
  public init(
    caller: Account, servesEverybody: Bool, terminal: [UInt8]?, host: Machine, proof: Proof,
    client: Client, sinceBoot: @escaping () -> Int64?,
    log: @escaping (LogPriority, LogLine) -> Void,
    audit: @escaping (_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) -> Void,
    mail: @escaping (_ message: [UInt8], _ recipient: [UInt8]) -> Mailing
  ) {
    self.caller = caller
    self.servesEverybody = servesEverybody
    source = Source(terminal ?? ("mfa-enroll" as StaticString).bytes)
    self.host = host
    self.proof = proof
    self.client = client
    self.sinceBoot = sinceBoot
    self.log = log
    self.audit = audit
    self.mail = mail
  }

  /// What re-authentication has established.
  struct Session {
    /// Seconds since the machine was started.
    let deadline: Int64
    /// How the account was proven.
    let basis: Basis
    /// The record that was there; nil when nothing was kept.
    var record: FactorID?
    /// The generation of that record. A change by anybody else makes it another one.
    var generation: UInt32
    /// What was proven, and so what the session is good for.
    var scope: Scope

    /// Takes note of the factor that the user showed.
    mutating func take(_ shown: ShownFactor) {
      switch shown {
      case .none: return
      case .code: scope = basis.scope
      case .usedUp:
        noteUse()
        scope = basis.scope
      }
    }

    /// Takes note that a recovery code or a bypass code was used, which is a change of the record. Any
    /// other change since the session began still ends it.
    mutating func noteUse() { generation = FactorRecord.generation(after: generation) }

    /// Takes note of a change that the session itself made.
    mutating func advance(to record: FactorRecord?) {
      self.record = record?.id
      generation = record?.generation ?? 0
    }
  }

  /// How an account was proven.
  enum Basis: Equatable {
    case password
    case ticket(GrantID)

    /// Which attempts of the session are counted together: without the password they hold up no sign-in.
    var counter: AttemptState.Counter {
      switch self {
      case .password: .signIn
      case .ticket: .ownCheck
      }
    }

    /// What is allowed once a present factor was verified too, or when there is none.
    var scope: Scope {
      switch self {
      case .password: .everything
      case .ticket(let id): .oneFactor(id)
      }
    }
  }

  /// What a user showed of a present factor.
  enum ShownFactor {
    /// Nothing.
    case none
    /// A code of a factor.
    case code
    /// A recovery code or a bypass code, one use of which is gone.
    case usedUp
  }

  /// What a session is good for.
  enum Scope: Equatable {
    /// Everything: the account was proven, and a present factor where there is one.
    case everything
    /// Binding one factor: an administrator's ticket proved the account.
    case oneFactor(GrantID)
    /// Making recovery codes: the ticket was used.
    case recoveryCodes
    /// Resynchronising a factor: none could be shown.
    case resynchronizing
  }

  /// What a session is needed for.
  enum Purpose {
    case binding
    case recoveryCodes
    case resynchronizing
    case otherChange
  }

  // MARK: The conversation

  /// Answers requests until the client is gone, a message is none, or a proof fails too often.
  public mutating func run() {
    guard greet() else { return }
    converse()
    // Requests that take no lock have used the configuration too.
    do throws(HelperFailure) { try leaveCaller() } catch {}
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

  private func greet() -> Bool {
    guard case .request(.hello) = client.receive(seconds: Self.idleTime),
      let user = UserName(caller.name)
    else {
      _ = client.send(.failed(.protocolError))
      return false
    }
    do throws(HelperFailure) {
      let configuration = try configuration()
      let issuer = settings(configuration).issuer ?? Self.hostName()
      return client.send(.welcome(user: user, issuer: ShownText(cleaning: issuer)))
    } catch {
      _ = client.send(.failed(error))
      return false
    }
  }

  /// Answers one request, and tells whether there may be another.
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
        return client.send(
          .unenrolled(
            signedOut: signedOut,
            endsSessions: signedOut && settings.endsSessionsOnUnenrolling))
      case .test(let code):
        try test(code)
        return client.send(.tested)
      case .hello: throw .protocolError
      case .answer: throw .protocolError
      case .cancel: throw .protocolError
      case .ticketSession:
        return client.send(.sessionStarted(secondsLeft: try startSession(withTicket: true)))
      case .status: return client.send(.status(try status()))
      case .generateRecoveryCodes:
        return client.send(
          .recoveryCodes(try generateRecoveryCodes(try requireSession(for: .recoveryCodes))))
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
        guard try settings().state != .disabled else { throw .multiFactorDisabled }
        let factor = try importFactor(request, session)
        return client.send(.enrolled(factor.id))
      case .signIn(let request):
        try leaveCaller()
        guard try snapshot() != nil else { throw .factorNotFound }
        let shown = try attempt(request.code, with: request.factor, counter: .ownCheck)
        if case .usedUp = shown { session?.noteUse() }
        return client.send(.tested)
      case .deliver(let user):
        try deliver(to: user)
        return client.send(.done)
      case .forget: return client.send(.forgotten(places: try forget()))
      }
    } catch {
      guard client.send(.failed(error)) else { return false }
      return error != .protocolError && error != .internalError
        && failedProofs < Self.mostFailedProofs
    }
  }

  // MARK: Proving the account

  private mutating func startSession(withTicket: Bool) throws(HelperFailure) -> UInt32 {
    let person = ClientPerson(client: client)
    if session != nil {
      let present = try requireSession(for: .resynchronizing)
      if present.scope == .resynchronizing {
        let shown = try provePresentFactor(person, present.basis)
        session?.take(shown)
      }
      return Self.seconds(present.deadline - (try bootTime()))
    }
    // In this order: what is enrolled between the two ends the session, or is asked for.
    let kept = try keptRecord()
    let snapshot = try snapshot()
    if let snapshot { try requireOpen(snapshot, withTicket ? .ownCheck : .signIn) }
    let basis = try proveAccount(person, withTicket: withTicket)
    var started = Session(
      deadline: try bootTime() &+ Self.sessionLength, basis: basis, record: kept?.id,
      generation: kept?.generation ?? 0, scope: basis.scope)
    // What follows takes locks, and needs the caller's identity no more.
    try leaveCaller()
    if snapshot != nil {
      started.scope = .resynchronizing
      started.take(try provePresentFactor(person, basis))
    }
    session = started
    return Self.seconds(Self.sessionLength)
  }

  private mutating func proveAccount(
    _ person: ClientPerson<Client>, withTicket: Bool
  ) throws(HelperFailure) -> Basis {
    if withTicket { return .ticket(try proveTicket(person)) }
    guard !proof.isRetired else { throw .requiresRecentLogin }
    guard proof.prove(caller, by: person) else { throw proofFailed() }
    return .password
  }

  /// Verifies an administrator's ticket, which proves the account to a user without a password. It is
  /// used up by the factor that is bound with it, so an enrolment that is interrupted can begin again.
  private mutating func proveTicket(
    _ person: ClientPerson<Client>
  ) throws(HelperFailure) -> GrantID {
    try leaveCaller()
    let prompt = ShownText(cleaning: ("Enrolment ticket: " as StaticString).bytes)
    guard let typed = person.ask(prompt, echo: false) else { throw proofFailed() }
    guard let ticket = RecoveryCode(answer: typed.span) else {
      failedProofs += 1
      throw .ticketInvalid
    }
    let result: Attempt.Redeeming
    let circumstances = try circumstances(counter: .ownCheck)
    do throws(FactorStoreError) {
      result = try Attempt.redeem(
        ticket: ticket, by: caller, in: try host.store(), circumstances)
    } catch {
      throw failure(error)
    }
    switch result {
    case .good(let id): return id
    case .wrong(let wait):
      _ = proofFailed()
      guard wait == 0 else { throw .tooManyAttempts(seconds: Self.seconds(wait)) }
      throw .ticketInvalid
    case .refused(.waiting(let wait)): throw .tooManyAttempts(seconds: Self.seconds(wait))
    case .refused(.disabled), .refused(.open): throw .factorsDisabled
    case .tooManyChanges(let wait): throw .tooManyChanges(seconds: Self.seconds(wait))
    }
  }

  private mutating func proofFailed() -> HelperFailure {
    failedProofs += 1
    logFailure("reauthentication-failed")
    return .reauthenticationFailed
  }

  /// Somebody who knows the password alone must not get at the second factor with it. An empty answer
  /// shows none: all that is left then is to resynchronise a factor, which its own codes prove.
  private mutating func provePresentFactor(
    _ person: ClientPerson<Client>, _ basis: Basis
  ) throws(HelperFailure) -> ShownFactor {
    let prompt = ShownText(cleaning: ("One-time code of a present factor: " as StaticString).bytes)
    guard let typed = person.ask(prompt, echo: false) else { throw proofFailed() }
    guard typed.count > 0 else { return .none }
    do throws(HelperFailure) {
      return try attempt(typed, counter: basis.counter)
    } catch {
      failedProofs += 1
      throw error
    }
  }

  /// Verifies a code as at a sign-in.
  private func attempt(
    _ typed: borrowing SecretBytes, with factor: FactorID? = nil, counter: AttemptState.Counter
  ) throws(HelperFailure) -> ShownFactor {
    let codes = TypedCodes(whole: typed.span)
    let circumstances = try circumstances(factor: factor, counter: counter)
    let result: Attempt.Result
    do throws(FactorStoreError) {
      result = try Attempt.make(codes, by: caller, in: try host.store(), circumstances).result
    } catch {
      throw failure(error)
    }
    report(Outcome(result), state: circumstances.settings.state)
    switch result {
    case .accepted: return .code
    case .recovered, .bypassed:
      deliverInBackground()
      return .usedUp
    case .wrong(0): throw .invalidVerificationCode
    case .replayed(_, 0): throw .codeAlreadyUsed
    case .wrong(let wait), .replayed(_, let wait):
      throw .tooManyAttempts(seconds: Self.seconds(wait))
    case .refused(.waiting(let wait)): throw .tooManyAttempts(seconds: Self.seconds(wait))
    case .refused(.disabled), .refused(.open): throw .factorsDisabled
    case .notACode: throw .notACode
    case .notEnrolled: throw .factorNotFound
    }
  }

  private func requireOpen(
    _ snapshot: FactorSnapshot, _ counter: AttemptState.Counter
  ) throws(HelperFailure) {
    let standing = snapshot.attempts.standing(
      try settings().throttle, now: try now(), counter: counter)
    switch standing {
    case .open: return
    case .waiting(let seconds): throw .tooManyAttempts(seconds: Self.seconds(seconds))
    case .disabled: throw .factorsDisabled
    }
  }

  private func requireSession(for purpose: Purpose) throws(HelperFailure) -> Session {
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

  // MARK: What a session allows

  private mutating func generate(
    _ parameters: TOTPParameters
  ) throws(HelperFailure) -> GeneratedSecret {
    let session = try requireSession(for: .binding)
    guard try settings().state != .disabled else { throw .multiFactorDisabled }
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
    let settings = try settings()
    guard settings.state != .disabled else { throw .multiFactorDisabled }
    guard let pending, !pending.isExhausted else { throw .sessionExpired }
    let step = try pending.confirm(request.code, settings, now: try now())
    let entry = try entry(creating: true, session)
    let now = try now()
    let allowed = try countedChange(entry, at: now)
    var record = try record(entry)
    let factor = try pending.factor(
      named: request.displayName, at: now, in: record, sealedBy: entry)
    try change { () throws(FactorRecord.ChangeRefusal) in try record.add(factor) }
    let event = try note(factor, session.scope, in: &record, at: now)
    let attempts = entry.record == nil ? allowed.beginning(record) : allowed
    let mark = try replace(
      entry, record, attempts.keeping(record).adding(factor.id, confirmedAt: step),
      entering: event)
    self.session?.advance(to: entry.kept)
    if case .oneFactor = session.scope { self.session?.scope = .recoveryCodes }
    self.pending = nil
    if record.factors.count == 1 { isFirstEnrolment = true }
    logChange("enrolled", factor, mark)
    deliverInBackground()
    return factor.id
  }

  /// Uses the ticket up that the session rests on, in the same step that binds the factor.
  private func note(
    _ factor: Factor, _ scope: Scope, in record: inout FactorRecord, at now: Int64
  ) throws(HelperFailure) -> LedgerEvent {
    guard case .oneFactor(let ticket) = scope else {
      record.note(
        .enrolled, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
        at: now)
      return LedgerEvent(.enrolled, factor, by: actor, at: now)
    }
    // It was withdrawn meanwhile, or is used, or is past its time.
    guard record.grants.contains(where: { $0.id == ticket && $0.isGood(at: now) }),
      record.use(ticket)
    else { throw .ticketInvalid }
    record.note(
      .ticketUsed, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
      at: now)
    return LedgerEvent(
      .enrolledByTicket,
      ids: factor.id.hexadecimal + [UInt8(ascii: ",")] + ticket.hexadecimal,
      detail: factor.displayName.utf8, by: actor, at: now)
  }

  private mutating func rename(
    _ id: FactorID, to name: DisplayName
  ) throws(HelperFailure) {
    let session = try requireSession(for: .otherChange)
    guard try snapshot() != nil else { throw .factorNotFound }
    let entry = try entry(creating: false, session)
    guard var record = entry.record else { throw .factorNotFound }
    try change { () throws(FactorRecord.ChangeRefusal) in try record.rename(id, to: name) }
    let now = try now()
    let event = LedgerEvent(
      .renamed, ids: id.hexadecimal, detail: name.utf8, by: actor, at: now)
    let mark = try replace(entry, record, try countedChange(entry, at: now), entering: event)
    self.session?.advance(to: entry.kept)
    logChange("renamed", record.factor(id), mark)
  }

  private mutating func unenroll(
    _ id: FactorID, _ settings: Settings
  ) throws(HelperFailure) -> Bool {
    let session = try requireSession(for: .otherChange)
    guard try snapshot() != nil else { throw .factorNotFound }
    let entry = try entry(creating: false, session)
    guard var record = entry.record, let factor = record.factor(id) else { throw .factorNotFound }
    let isLast = record.factors.count == 1
    guard !isLast || settings.enrollment != .required else { throw .lastFactorRequired }
    let wasNewest = try change { () throws(FactorRecord.ChangeRefusal) in try record.remove(id) }
    let now = try now()
    record.note(
      .unenrolled, factor.displayName.utf8, about: record.subject(of: id), from: source, at: now)
    // The watermark stays until there is another factor. Were it gone before the record is, a crash
    // in between would leave a factor that accepts nothing.
    let event = LedgerEvent(.unenrolled, factor, by: actor, at: now)
    let allowed = try countedChange(entry, at: now)
    let mark = try replace(entry, record, allowed.forgetting(), entering: event)
    self.session?.advance(to: entry.kept)
    logChange("unenrolled", factor, mark)
    deliverInBackground()
    return wasNewest
  }

  // MARK: What needs no session

  private func list() throws(HelperFailure) -> [FactorSummary] {
    guard let record = try snapshot()?.record else { return [] }
    return record.factors.map {
      FactorSummary(
        id: $0.id, displayName: $0.displayName, enrolledAt: $0.enrolledAt,
        parameters: $0.parameters)
    }
  }

  /// Anybody who acts as the user may make the next sign-in ask for more.
  private func forget() throws(HelperFailure) -> UInt8 {
    try leaveCaller()
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
      let mark = try entry.write(
        allowed.forgetting(), entering: LedgerEvent(.forgotten, by: actor, at: now))
      logChange("forgotten", nil, mark)
      return UInt8(clamping: places)
    } catch {
      throw failure(error)
    }
  }

  private mutating func test(_ typed: borrowing SecretBytes) throws(HelperFailure) {
    try leaveCaller()
    guard try snapshot() != nil else { throw .factorNotFound }
    let shown = try attempt(typed, counter: .ownCheck)
    if case .usedUp = shown { session?.noteUse() }
  }
}
