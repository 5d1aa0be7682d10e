import MFAAttempt
import MFABase
import MFAModel
import MFAStore
import MFAWire

/// What a user's requests take from one to the next: the session, and what was begun in it. It is sealed with the
/// store's key and kept by `mfa-helper`, bound to the user and the host.
///
/// The state grants nothing that the store does not check again under the user's lock.
struct ManagementState: WireMessage {
  static var kind: UInt8 { 0x02 }

  /// What the user has been asked.
  enum Phase: UInt8 {
    case idle = 0
    /// What PAM asks for, to prove the account.
    case account = 1
    /// An administrator's ticket.
    case ticket = 2
    /// A code of an existing factor.
    case code = 3
  }

  var phase = Phase.idle
  /// The record before the account was proven, or nil if there was none.
  var record: FactorID?
  /// The generation of that record.
  var generation: UInt32 = 0
  var session: Session?
  var failedProofs: UInt8 = 0
  /// How often a code was requested at the present question.
  var codeRequests: UInt8 = 0
  /// A secret that was shown to the user and that no code has confirmed yet.
  var secret: EnrollmentDraft?
  /// The number that the user is enrolling.
  var phone: PhoneDraft?
  var resync: PendingResync?
  /// The name of this conversation, for which codes are sent; empty until the first one is sent.
  var sendingSession: [UInt8] = []
  /// Until when the last code that was sent can be used, in seconds since the epoch.
  var sentCodeDeadline: Int64 = 0
  /// Whether this conversation enrolled the account's first factor.
  var isFirstEnrollment = false

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.choice(&phase)
    try coder.identifier(&record)
    try coder.number(&generation)
    try coder.optional(&session, placeholder: Session()) {
      session, coder throws(PacketError) in try session.fields(&coder)
    }
    try coder.number(&failedProofs)
    try coder.number(&codeRequests)
    try coder.optional(&secret, placeholder: EnrollmentDraft()) {
      draft, coder throws(PacketError) in try draft.fields(&coder)
    }
    try coder.optional(&phone, placeholder: PhoneDraft()) {
      draft, coder throws(PacketError) in try draft.fields(&coder)
    }
    try coder.optional(&resync, placeholder: PendingResync()) {
      pending, coder throws(PacketError) in try pending.fields(&coder)
    }
    try coder.bytes(&sendingSession, longest: 16)
    try coder.number(&sentCodeDeadline)
    try coder.flag(&isFirstEnrollment)
  }
}

/// A session, in which a user's factors can be changed. It begins with re-authentication.
struct Session {
  /// The end of the session, in seconds since the epoch.
  var deadline: Int64 = 0
  /// How the user proved to own the account.
  var basis = Basis.password
  /// The record at the beginning of the session or after its last change, or nil if there is no
  /// record.
  var record: FactorID?
  /// The generation of that record. A change by another process changes the generation too.
  var generation: UInt32 = 0
  /// What the session allows, depending on what was proven.
  var scope = Scope.resynchronizing
  /// What the user proved that is not a phone.
  private(set) var otherProof = PhoneDraft.OtherProof.nothing

  /// Returns whether the session has not ended at this time. If the clock was set back, it has.
  func isOpen(at now: Int64) -> Bool {
    let (left, overflow) = deadline.subtractingReportingOverflow(now)
    return !overflow && left > 0 && left <= SessionLimit.seconds
  }

  /// Updates the session after the user proved a factor.
  mutating func take(_ shown: ShownFactor) {
    switch shown {
    case .code(let factor):
      if let factor { otherProof = .factor(factor) }
    case .sentCode: break
    case .usedUp(let code):
      noteUse()
      if case .recoveryCode = code { otherProof = .recoveryCode }
    }
    scope = basis.scope
  }

  /// Updates the session after the code of a bypass code was typed that was used up at a sign-in. It enrols one factor.
  mutating func take(_ enrollment: GrantID) {
    basis = .ticket(enrollment)
    scope = basis.scope
  }

  /// Updates the session after the use of a recovery code or a bypass code, which changes the
  /// record. Any other change since the session began still ends the session.
  mutating func noteUse() { generation = FactorRecord.generation(after: generation) }

  /// Updates the session after a change that the session itself made.
  mutating func advance(to record: FactorRecord?) {
    self.record = record?.id
    generation = record?.generation ?? 0
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.number(&deadline)
    var ticket: GrantID? = if case .ticket(let id) = basis { id } else { nil }
    try coder.identifier(&ticket)
    basis = if let ticket { .ticket(ticket) } else { .password }
    try coder.identifier(&record)
    try coder.number(&generation)
    try coder.choice(&scope)
    try otherProof.fields(&coder)
  }
}

/// How the user proved to own an account.
enum Basis: Equatable {
  case password
  /// With a grant that enrols one factor: an administrator's ticket, or the password and the code of a bypass code that
  /// was used up.
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
    case .ticket: .oneFactor
    }
  }
}

/// What a session allows.
enum Scope: UInt8 {
  /// Every change. The user proved to own the account, and proved a factor if one is enrolled.
  case everything = 1
  /// Enrolling one factor. The account was proven with an administrator's ticket.
  case oneFactor = 2
  /// Creating recovery codes. The ticket has been used.
  case recoveryCodes = 3
  /// Resynchronising a factor. The user did not prove an existing factor.
  case resynchronizing = 4
}

/// The kinds of request that need a session.
enum Purpose {
  case binding
  case recoveryCodes
  case resynchronizing
  case otherChange
}

/// How a user proved an existing factor.
enum ShownFactor {
  /// With a code of an authenticator app.
  case code(FactorID?)
  /// With a code that was sent to a phone.
  case sentCode(FactorID?)
  /// With a recovery code, or one use of a bypass code.
  case usedUp(UsedCode)
}

/// The first code of a resynchronisation, kept until the second code arrives.
struct PendingResync {
  /// The factor to resynchronise.
  var factor = FactorID.zero
  /// What was typed.
  var first = PrivateText(SecretBytes(count: 0))
  /// When the code arrived, in seconds since the epoch.
  var arrival: Int64 = 0
  /// The failures and notices that were pending before the code was counted as an attempt.
  var unreported = AttemptState.Unreported()

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.identifier(&factor)
    try coder.text(&first, longest: HelperRequest.longestAnswer)
    try coder.number(&arrival)
    try coder.number(&unreported.failures)
    try coder.number(&unreported.lastFailure)
    var source = unreported.source.text
    try coder.bytes(&source, longest: 255)
    unreported.source = Source(source)
    try coder.number(&unreported.lastShownNotice)
  }
}

/// The frames for the client, in the order in which they are sent.
final class Responses {
  private var frames = SecretBytes(count: 0)

  /// Adds a response. One that cannot be encoded is left out.
  func add(_ response: consuming HelperResponse) {
    do throws(PacketError) {
      let frame = try response.encoded()
      frames = SecretBytes(joining: frames.span, frame.span)
    } catch {}
  }

  /// Takes the frames out.
  func take() -> SecretBytes {
    var taken = SecretBytes(count: 0)
    swap(&taken, &frames)
    return taken
  }
}

extension Management {
  /// What a continuation is bound to. No line of a service file has the number 0.
  private var binding: [UInt8] {
    var writer = ByteWriter()
    writer.write(0 as UInt8)
    writer.write(caller.uid)
    for text in [caller.name, host.realmHost] {
      writer.write(UInt16(truncatingIfNeeded: text.count))
      writer.write(text)
    }
    return writer.bytes
  }

  /// Seals the state. Without a store, nothing can be continued.
  func sealed() -> [UInt8] {
    guard let packet = state.packet() else { return [] }
    do throws(FactorStoreError) {
      return try host.store().seal(continuation: packet.span, binding: binding)
    } catch {
      return []
    }
  }

  /// Opens a state. Returns that of a beginning if the store did not seal it for this user.
  func opened(_ continuation: [UInt8]) -> ManagementState {
    guard !continuation.isEmpty else { return ManagementState() }
    do throws(FactorStoreError) {
      let opened = try host.store().open(continuation: continuation, binding: binding)
      guard let packet = consume opened else { return ManagementState() }
      do throws(PacketError) { return try ManagementState(packet: packet) } catch {
        return ManagementState()
      }
    } catch {
      return ManagementState()
    }
  }
}
