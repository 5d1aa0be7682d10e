import MFAStore
import MFABase
import MFAModel

extension Attempt {
  /// The context of an attempt: settings, time and source. This is a class because it is passed
  /// between many functions, and each copy of a large value adds code to the module.
  package final class Context {
    /// The settings in force.
    package let settings: Settings
    /// The time in seconds since the epoch. It is 0 until `start()` has read the clock.
    package private(set) var now: Int64 = 0
    /// Reads the clock.
    private let clock: () throws(FactorStoreError) -> Int64
    /// The source of the attempt.
    package let source: Source
    /// What identifies the source for the waits, or nil if no source waits longer than others.
    let client: SignInOrigin?
    /// The PAM service or program that makes the attempt.
    package let program: [UInt8]
    /// The only factor whose codes are accepted, or nil to accept the codes of any factor, and
    /// recovery and bypass codes.
    package let factor: FactorID?
    /// The address and session for which an accepted code is remembered.
    package let places: [SignInOrigin]
    /// Whether the user sees messages. If so, pending notices are shown.
    package let showsMessages: Bool
    /// Whether text certainly reaches the user's screen. Otherwise notices stay pending until the
    /// user answers a question about them.
    package let isShown: Bool

    /// Whether the user is told, after an accepted code, that a clock may be wrong.
    package let showsClockHint: Bool

    /// Whether a rejected code is searched among those of other times. Only if the first factor is certainly proven:
    /// the search takes time, which would reveal that the user has a factor.
    let searchesOtherTimes: Bool

    /// Whether notices that need no confirmation are shown later, in the session.
    /// Asked only after a code was accepted.
    private let tellsInSession: () -> Bool

    /// Whether the last use of a bypass code lets its code enrol a factor: at a sign-in, but not in `mfa-enroll`.
    let allowsEnrollment: Bool

    /// How many attempts before this one failed in the same sign-in. The user was told of each at once.
    let failedTries: UInt32

    /// The failures that the attempt is counted among.
    package let counter: AttemptState.Counter

    /// Returns `session`.
    private let findSession: () -> SignInOrigin?

    /// The sign-in that codes are sent for, and that such a code is accepted in; nil if none is
    /// accepted. It is determined only if a code is sent, or one that was sent can be used: otherwise
    /// the time taken would reveal that a user has a phone.
    package var session: SignInOrigin? { findSession() }

    /// Creates a context. `clock` is read under the user's lock: a process that was stopped before
    /// it had the lock must not use an earlier time.
    package init(
      settings: Settings, clock: @escaping () throws(FactorStoreError) -> Int64,
      source: Source = .unknown, client: SignInOrigin? = nil, program: [UInt8] = [],
      factor: FactorID? = nil,
      places: [SignInOrigin] = [], showsMessages: Bool = false, isShown: Bool = false,
      showsClockHint: Bool = false, searchesOtherTimes: Bool = false,
      tellsInSession: @escaping () -> Bool = { false },
      allowsEnrollment: Bool = false, failedTries: UInt32 = 0,
      counter: AttemptState.Counter = .signIn,
      session: @escaping () -> SignInOrigin? = { nil }
    ) {
      self.settings = settings
      self.clock = clock
      self.counter = counter
      findSession = session
      self.source = source
      self.client = client
      self.program = program
      self.factor = factor
      self.places = places
      self.showsMessages = showsMessages
      self.isShown = isShown
      self.showsClockHint = showsClockHint
      self.searchesOtherTimes = searchesOtherTimes
      self.tellsInSession = tellsInSession
      self.allowsEnrollment = allowsEnrollment
      self.failedTries = failedTries
    }

    /// Returns the pending notices for a sign-in by `factor`, or none if the application asked for
    /// silence.
    @inline(never)
    func notices(
      _ record: FactorRecord, _ unreported: AttemptState.Unreported, _ factor: FactorID?
    ) -> PendingNotices {
      guard showsMessages else { return .none }
      let pending = PendingNotices(
        record, unreported, factor: factor, isShown: isShown, from: source, now: now)
      guard !pending.isEmpty, pending.confirmation == nil, tellsInSession() else { return pending }
      return .none
    }

    /// One version of a record.
    struct Version {
      let id: FactorID?
      let generation: UInt32
    }

    /// The version of the record that a resynchronisation requires, or nil if any version is
    /// allowed.
    private(set) var expected: Version?

    /// Requires this version of the record: a resynchronisation fails if the record has changed
    /// since. Other attempts ignore the version.
    package func expect(id: FactorID?, generation: UInt32) {
      expected = Version(id: id, generation: generation)
    }

    /// Returns whether the record has the required version, or no version is required.
    func allows(_ kept: FactorRecord?) -> Bool {
      guard let expected else { return true }
      return kept?.id == expected.id && kept?.generation ?? 0 == expected.generation
    }

    /// Reads the clock. The caller holds the user's lock.
    func start() throws(FactorStoreError) { now = try clock() }

    /// Returns the owner of a record as the actor for the audit log.
    func actor(_ record: FactorRecord) -> AuditLogEvent.Actor {
      AuditLogEvent.Actor(
        name: record.user.bytes, uid: record.uid, program: program, source: source)
    }
  }
}
