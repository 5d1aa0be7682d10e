/// What the attempts of one user have come to: the part of the store that changes at each attempt.
///
/// MUST 1: a guess is counted before it is compared. (`AttemptStateTests`; `begin` is the only way
/// to a state that `judge` takes)
/// MUST 2: an accepted step, and every earlier one, is never accepted again.
/// (`AttemptStateTests.acceptedOnce`)
/// MUST 3: setting the clock back ends no wait. (`AttemptStateTests.clockSetBack`)
public struct AttemptState: Equatable, Sendable {
  /// The last step of a factor that was accepted: nothing up to it is accepted again.
  public struct Watermark: Equatable, Sendable {
    /// The factor.
    public let factor: FactorID
    /// The step (RFC 6238, section 4.2).
    public var step: Int64

    /// Puts a watermark together.
    public init(factor: FactorID, step: Int64) {
      self.factor = factor
      self.step = step
    }
  }

  /// The record that the state belongs to.
  public let record: FactorID

  /// Consecutive failures, in any factor.
  public private(set) var failures: UInt32

  /// When the last of them was, in seconds since the epoch.
  public private(set) var lastFailure: Int64

  /// One for each factor of the record.
  public private(set) var watermarks: [Watermark]

  /// How many sign-ins somebody without a factor has made while one was offered.
  public private(set) var signInsPutOff: UInt32

  /// What the person was not told yet.
  public private(set) var untold: Untold

  /// The codes that make up for one that would be asked for.
  public private(set) var remembered: RememberedCodes

  /// Puts a state together.
  public init(
    record: FactorID, failures: UInt32 = 0, lastFailure: Int64 = 0, watermarks: [Watermark] = [],
    signInsPutOff: UInt32 = 0, untold: Untold = Untold(),
    remembered: RememberedCodes = RememberedCodes()
  ) {
    self.remembered = remembered
    self.record = record
    self.signInsPutOff = signInsPutOff
    self.untold = untold
    self.failures = failures
    self.lastFailure = lastFailure
    self.watermarks = watermarks
  }

  /// What the person is to be told at the next sign-in.
  public struct Untold: Equatable, Sendable {
    /// How many attempts failed since the person was told last.
    public var failures: UInt32
    /// When the last of them was, in seconds since the epoch; 0 before there is any.
    public var lastFailure: Int64
    /// Where the last of them came from.
    public var source: Source
    /// The number of the last notice in the record that was told.
    public var noticesTold: UInt32

    /// Nothing happened.
    public init(
      failures: UInt32 = 0, lastFailure: Int64 = 0, source: Source = .unknown,
      noticesTold: UInt32 = 0
    ) {
      self.failures = failures
      self.lastFailure = lastFailure
      self.source = source
      self.noticesTold = noticesTold
    }
  }

  // MARK: Attempts

  /// Whether a code may be tried now.
  public enum Standing: Equatable, Sendable {
    case open
    /// Not for so many seconds.
    case waiting(seconds: Int64)
    /// Not before an administrator unlocks the user or takes the factors away.
    case disabled
  }

  /// Whether a code may be tried at `now` (seconds since the epoch).
  ///
  /// A failure in the future counts as one right now.
  public func standing(_ policy: ThrottlePolicy, now: Int64) -> Standing {
    guard failures < policy.disablesAfter else { return .disabled }
    let wait = policy.wait(afterFailures: failures)
    guard wait > 0 else { return .open }
    let (elapsed, overflow) = now.subtractingReportingOverflow(lastFailure)
    guard !overflow, elapsed >= 0 else { return .waiting(seconds: wait) }
    return elapsed >= wait ? .open : .waiting(seconds: wait - elapsed)
  }

  /// How an attempt begins.
  public enum Beginning: Equatable, Sendable {
    /// It is counted: to be written down before anything is compared.
    case counted(AttemptState)
    /// It is refused, and nothing may be compared. `correction` is to be written down where there is
    /// one: the clock was set back, and the wait runs from now.
    case refused(Standing, correction: AttemptState?)
  }

  /// Counts an attempt at `now` from `source`, or refuses it.
  public func begin(
    _ policy: ThrottlePolicy, now: Int64, from source: Source = .unknown
  ) -> Beginning {
    let standing = standing(policy, now: now)
    var next = self
    switch standing {
    case .open:
      next.failures = failures.addingSaturated(1)
      next.lastFailure = now
      next.untold.failures = untold.failures.addingSaturated(1)
      next.untold.lastFailure = now
      next.untold.source = source
      return .counted(next)
    case .waiting:
      guard lastFailure > now else { return .refused(standing, correction: nil) }
      next.lastFailure = now
      return .refused(standing, correction: next)
    case .disabled:
      return .refused(standing, correction: nil)
    }
  }

  /// A factor one of whose codes in the window was the one typed, at the latest such step.
  public struct Match: Equatable, Sendable {
    /// The factor.
    public let factor: FactorID
    /// The step.
    public let step: Int64

    /// Puts a match together.
    public init(factor: FactorID, step: Int64) {
      self.factor = factor
      self.step = step
    }
  }

  /// What an attempt came to.
  public enum Outcome: Equatable, Sendable {
    case accepted(FactorID)
    case wrong
    /// The right code, and it, or a later one, was accepted before.
    case replayed(FactorID)
  }

  /// The verdict on a counted attempt, and the state that goes with it.
  ///
  /// An accepted code moves the watermark of every factor that it matched, so that two factors with
  /// one secret do not make one code good twice.
  public func judge(_ matches: [Match]) -> (outcome: Outcome, state: AttemptState) {
    guard let first = matches.first else { return (.wrong, self) }
    guard let fresh = matches.first(where: { isFresh($0) }) else {
      return (.replayed(first.factor), self)
    }
    var next = self
    next.failures = 0
    next.lastFailure = 0
    for match in matches { next.raiseWatermark(of: match.factor, to: match.step) }
    return (.accepted(fresh.factor), next)
  }

  /// A factor without a watermark accepts nothing: its state was lost.
  private func isFresh(_ match: Match) -> Bool {
    guard let mark = watermarks.first(where: { $0.factor == match.factor }) else { return false }
    return match.step > mark.step
  }

  private mutating func raiseWatermark(of factor: FactorID, to step: Int64) {
    guard let index = watermarks.firstIndex(where: { $0.factor == factor }) else { return }
    watermarks[index].step = max(watermarks[index].step, step)
  }

  // MARK: What is told

  /// The state after an attempt that was none of the failures that it was counted among: with what
  /// was untold before it.
  public func restoring(_ untold: Untold) -> AttemptState {
    var next = self
    next.untold = untold
    return next
  }

  /// The state once the person was told of everything, up to the notice `number`.
  public func told(upTo number: UInt32) -> AttemptState {
    restoring(Untold(noticesTold: number))
  }

  // MARK: Codes that are remembered

  /// The state that remembers a code from `place` at `time`.
  public func remembering(_ place: PlaceDigest, at time: Int64) -> AttemptState {
    var next = self
    next.remembered.add(place, at: time)
    return next
  }

  /// The state that remembers no code.
  public func forgetting() -> AttemptState {
    var next = self
    next.remembered = RememberedCodes()
    return next
  }

  // MARK: Factors that come and go

  /// The state for the first factor of `record`: no failures and no watermarks, for there was nothing
  /// to guess. What was not told is told yet.
  public func beginning(_ record: FactorRecord) -> AttemptState {
    AttemptState(record: record.id, signInsPutOff: signInsPutOff, untold: untold)
  }

  /// The state with a new factor, whose first watermark is the step that confirmed it.
  public func adding(_ factor: FactorID, confirmedAt step: Int64) -> AttemptState {
    var next = self
    next.watermarks.removeAll { $0.factor == factor }
    next.watermarks.append(Watermark(factor: factor, step: step))
    return next
  }

  /// The state without watermarks of factors that the record does not hold, and without codes that are
  /// remembered: who takes a factor away has everyone prove another one.
  public func keeping(_ record: FactorRecord) -> AttemptState {
    var next = forgetting()
    next.watermarks.removeAll { mark in record.factor(mark.factor) == nil }
    return next
  }

  /// The state after one more sign-in without a factor.
  public func puttingOff() -> AttemptState {
    var next = self
    next.signInsPutOff = signInsPutOff.addingSaturated(1)
    return next
  }

  /// The state after a factor was resynchronised: no failures, and nothing up to `step` is accepted.
  public func resynchronized(_ factor: FactorID, at step: Int64) -> AttemptState {
    var next = unlocked()
    next.raiseWatermark(of: factor, to: step)
    return next
  }

  /// The last step of a factor that was accepted; nil when the state was lost.
  public func watermark(of factor: FactorID) -> Int64? {
    watermarks.first { $0.factor == factor }?.step
  }

  /// The state once failures are forgiven: a recovery code or a bypass code was accepted, or an
  /// administrator unlocked the user. The watermarks stay, for what was accepted once is never
  /// accepted again.
  public func unlocked() -> AttemptState {
    var next = self
    next.failures = 0
    next.lastFailure = 0
    return next
  }

  // MARK: Binary form

  /// The format that is written and read.
  public static let version: UInt16 = 1

  /// The length of the binary form in bytes, whatever it holds: half a disk sector's worth of slot.
  public static let encodedLength = 480

  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x53]  // MFAS

  /// The binary form, with the slot's sequence number.
  public func encoded(sequence: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.version)
    writer.write(sequence)
    writer.write(record.bytes)
    writer.write(failures)
    writer.write(lastFailure)
    writer.write(signInsPutOff)
    writer.write(UInt8(truncatingIfNeeded: watermarks.count))
    for mark in watermarks.prefix(FactorRecord.maximumFactors) {
      writer.write(mark.factor.bytes)
      writer.write(mark.step)
    }
    writer.write(untold.failures)
    writer.write(untold.lastFailure)
    writer.writeShort(untold.source.text)
    writer.write(untold.noticesTold)
    remembered.encode(to: &writer)
    writer.pad(to: Self.encodedLength)
    return writer.bytes
  }

  /// The sequence number that a binary form says it has, which may be none; 0 where it has no room for one.
  public static func claimedSequence(of encoded: Span<UInt8>) -> UInt64 {
    var reader = ByteReader(encoded)
    guard reader.read(UInt32.self) != nil, reader.read(UInt16.self) != nil else { return 0 }
    return reader.read(UInt64.self) ?? 0
  }

  /// Reads the binary form. Nil when it is none, or of another version.
  public static func decode(_ encoded: Span<UInt8>) -> (state: AttemptState, sequence: UInt64)? {
    var reader = ByteReader(encoded)
    guard encoded.count == encodedLength, reader.read(count: 4) == magic,
      reader.read(UInt16.self) == version, let sequence = reader.read(UInt64.self),
      let record = reader.read(count: FactorID.length).flatMap({ FactorID(bytes: $0) }),
      let failures = reader.read(UInt32.self), let lastFailure = reader.read(Int64.self),
      let signInsPutOff = reader.read(UInt32.self),
      let count = reader.read(UInt8.self), count <= FactorRecord.maximumFactors
    else { return nil }
    var watermarks: [Watermark] = []
    for _ in 0..<count {
      guard let factor = reader.read(count: FactorID.length).flatMap({ FactorID(bytes: $0) }),
        let step = reader.read(Int64.self)
      else { return nil }
      watermarks.append(Watermark(factor: factor, step: step))
    }
    guard let untoldFailures = reader.read(UInt32.self),
      let lastUntoldFailure = reader.read(Int64.self), let source = reader.readShort(),
      Source(source).text == source, let noticesTold = reader.read(UInt32.self),
      let remembered = RememberedCodes(&reader)
    else { return nil }
    guard reader.isRestZero else { return nil }
    let state = AttemptState(
      record: record, failures: failures, lastFailure: lastFailure, watermarks: watermarks,
      signInsPutOff: signInsPutOff,
      untold: Untold(
        failures: untoldFailures, lastFailure: lastUntoldFailure, source: Source(source),
        noticesTold: noticesTold),
      remembered: remembered)
    return (state, sequence)
  }
}

extension UInt32 {
  fileprivate func addingSaturated(_ other: UInt32) -> UInt32 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
