import FactorStore
public import Factors
public import Policy

extension Attempt {
  /// Under which an attempt is made. A class, because it is handed from function to function, and each
  /// copy of a large value is code in the module.
  public final class Circumstances {
    /// What is in force.
    public let settings: Settings
    /// Seconds since the epoch, once `start()` has read the clock.
    public private(set) var now: Int64 = 0
    /// Reads the clock.
    private let clock: () throws(FactorStoreError) -> Int64
    /// From where.
    public let source: Source
    /// The PAM service, or the program, in which it is made.
    public let program: [UInt8]
    /// The one factor whose codes are right; nil where each one's are, and recovery codes too.
    public let factor: FactorID?
    /// The places from which a right code is remembered.
    public let places: [Place]
    /// Whether the person sees what is told: a recovery code that is used up is then replaced, and
    /// what has happened is told.
    public let isListening: Bool
    /// Whether text is certain to reach the user's screen. Otherwise notices stay pending until the
    /// user answers a question about them.
    public let isShown: Bool

    /// Which failures the attempt is counted among.
    public let counter: AttemptState.Counter

    /// Puts the circumstances together. `clock` is read under the user's lock: a process that was
    /// stopped before it had the lock must not act on an earlier time.
    public init(
      settings: Settings, clock: @escaping () throws(FactorStoreError) -> Int64,
      source: Source = .unknown, program: [UInt8] = [], factor: FactorID? = nil,
      places: [Place] = [], isListening: Bool = false, isShown: Bool = false,
      counter: AttemptState.Counter = .signIn
    ) {
      self.settings = settings
      self.clock = clock
      self.counter = counter
      self.source = source
      self.program = program
      self.factor = factor
      self.places = places
      self.isListening = isListening
      self.isShown = isShown
    }

    /// Returns what is pending, for a sign-in by `factor`; nothing where the application is silent.
    @inline(never)
    func news(
      _ record: FactorRecord, _ untold: AttemptState.Untold, _ factor: FactorID?
    ) -> News {
      guard isListening else { return .none }
      return News(record, untold, factor: factor, isShown: isShown)
    }

    /// A record, at one point of its history.
    struct Version {
      let id: FactorID?
      let generation: UInt32
    }

    /// The record that the attempt is for; nil for whichever is there.
    private(set) var expected: Version?

    /// Makes the attempt one for this record alone, and none that was changed since.
    public func expect(id: FactorID?, generation: UInt32) {
      expected = Version(id: id, generation: generation)
    }

    /// Whether the attempt is for a record as it is now.
    func allows(_ kept: FactorRecord?) -> Bool {
      guard let expected else { return true }
      return kept?.id == expected.id && kept?.generation ?? 0 == expected.generation
    }

    /// Reads the clock. The caller holds the user's lock.
    func start() throws(FactorStoreError) { now = try clock() }

    /// The owner of a record, as who makes the attempt.
    func actor(_ record: FactorRecord) -> LedgerEvent.Actor {
      LedgerEvent.Actor(
        name: record.user.bytes, uid: record.uid, program: program, source: source)
    }
  }
}
