import FactorStore
public import Factors
public import Policy

extension Attempt {
  /// Under which an attempt is made.
  public struct Circumstances: Sendable {
    /// What is in force.
    public let settings: Settings
    /// Seconds since the epoch.
    public let now: Int64
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

    /// Puts the circumstances together.
    public init(
      settings: Settings, now: Int64, source: Source = .unknown, program: [UInt8] = [],
      factor: FactorID? = nil, places: [Place] = [], isListening: Bool = false
    ) {
      self.settings = settings
      self.now = now
      self.source = source
      self.program = program
      self.factor = factor
      self.places = places
      self.isListening = isListening
    }

    /// The owner of a record, as who makes the attempt.
    func actor(_ record: FactorRecord) -> LedgerEvent.Actor {
      LedgerEvent.Actor(
        name: record.user.bytes, uid: record.uid, program: program, source: source)
    }
  }
}
