/// What the attempts of one user have come to: the part of the store that changes at each attempt.
///
/// MUST 1: a guess is counted before it is compared. (`AttemptStateTests`; `begin` is the only way
/// to a state that `judge` takes)
/// MUST 2: an accepted step, and every earlier one, is never accepted again.
/// (`AttemptStateTests.acceptedOnce`)
/// MUST 3: setting the clock back ends no wait, and the time of the last failure never goes back.
/// (`AttemptStateTests.clockSetBack`)
/// MUST 4: attempts that the user's own processes make without a password delay only such attempts,
/// and are a fifth at most of the failures that lock the factors. (`AttemptStateTests.ownChecks`)
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

  /// What a state holds. A copy of the state shares it until one of them changes: states are handed from
  /// function to function, and each copy of a large value is code in the module.
  private final class Storage: @unchecked Sendable {
    let record: FactorID
    var failures: UInt32
    var lastFailure: Int64
    var watermarks: [Watermark]
    var signInsPutOff: UInt32
    var untold: Untold
    var remembered: RememberedCodes
    var ownChecks: FailureCount
    var ownChanges: HourlyCount
    var binding: RecordBinding?

    init(
      record: FactorID, failures: UInt32, lastFailure: Int64, watermarks: [Watermark],
      signInsPutOff: UInt32, untold: Untold, remembered: RememberedCodes, ownChecks: FailureCount,
      ownChanges: HourlyCount, binding: RecordBinding?
    ) {
      self.record = record
      self.failures = failures
      self.lastFailure = lastFailure
      self.watermarks = watermarks
      self.signInsPutOff = signInsPutOff
      self.untold = untold
      self.remembered = remembered
      self.ownChecks = ownChecks
      self.ownChanges = ownChanges
      self.binding = binding
    }

    func copy() -> Storage {
      Storage(
        record: record, failures: failures, lastFailure: lastFailure, watermarks: watermarks,
        signInsPutOff: signInsPutOff, untold: untold, remembered: remembered,
        ownChecks: ownChecks, ownChanges: ownChanges, binding: binding)
    }
  }

  private var storage: Storage

  /// The storage, for a change: no other state shares it.
  private var own: Storage {
    @inline(never)
    mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
      return storage
    }
  }

  /// The record that the state belongs to.
  public var record: FactorID { storage.record }

  /// Consecutive failures, in any factor.
  public private(set) var failures: UInt32 {
    get { storage.failures }
    set { own.failures = newValue }
  }

  /// When the last of them was, in seconds since the epoch.
  public private(set) var lastFailure: Int64 {
    get { storage.lastFailure }
    set { own.lastFailure = newValue }
  }

  /// One for each factor of the record.
  public private(set) var watermarks: [Watermark] {
    get { storage.watermarks }
    set { own.watermarks = newValue }
  }

  /// How many sign-ins somebody without a factor has made while one was offered.
  public private(set) var signInsPutOff: UInt32 {
    get { storage.signInsPutOff }
    set { own.signInsPutOff = newValue }
  }

  /// What the person was not told yet.
  public private(set) var untold: Untold {
    get { storage.untold }
    set { own.untold = newValue }
  }

  /// The codes that make up for one that would be asked for.
  public private(set) var remembered: RememberedCodes {
    get { storage.remembered }
    set { own.remembered = newValue }
  }

  /// Consecutive failures of attempts that a process of the user's made without a password.
  public private(set) var ownChecks: FailureCount {
    get { storage.ownChecks }
    set { own.ownChecks = newValue }
  }

  /// The changes that the user made in the present hour.
  public private(set) var ownChanges: HourlyCount {
    get { storage.ownChanges }
    set { own.ownChanges = newValue }
  }

  /// The record that the state goes with, and how far the audit log was checked; nil in a state of
  /// version 1, which names the record by its id alone.
  public var binding: RecordBinding? {
    get { storage.binding }
    set { own.binding = newValue }
  }

  /// Puts a state together.
  public init(
    record: FactorID, failures: UInt32 = 0, lastFailure: Int64 = 0, watermarks: [Watermark] = [],
    signInsPutOff: UInt32 = 0, untold: Untold = Untold(),
    remembered: RememberedCodes = RememberedCodes(), ownChecks: FailureCount = FailureCount(),
    ownChanges: HourlyCount = HourlyCount(), binding: RecordBinding? = nil
  ) {
    storage = Storage(
      record: record, failures: failures, lastFailure: lastFailure, watermarks: watermarks,
      signInsPutOff: signInsPutOff, untold: untold, remembered: remembered, ownChecks: ownChecks,
      ownChanges: ownChanges, binding: binding)
  }

  /// Compares everything that two states hold.
  @inline(never)
  public static func == (left: AttemptState, right: AttemptState) -> Bool {
    let (left, right) = (left.storage, right.storage)
    return left === right
      || (left.record == right.record && left.failures == right.failures
        && left.lastFailure == right.lastFailure && left.watermarks == right.watermarks
        && left.signInsPutOff == right.signInsPutOff && left.untold == right.untold
        && left.remembered == right.remembered && left.ownChecks == right.ownChecks
        && left.ownChanges == right.ownChanges && left.binding == right.binding)
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

  /// Which failures an attempt is counted among.
  public enum Counter: Sendable {
    /// Attempts at a sign-in, and after a password was verified.
    case signIn
    /// Attempts that a process of the user's makes without a password, such as a screen locker.
    case ownCheck
  }

  /// The largest number of failures of `Counter.ownCheck` before such attempts are refused: a fifth
  /// of those that lock the factors, so that a program of the user's cannot lock them alone.
  public static func mostOwnChecks(_ policy: ThrottlePolicy) -> UInt32 {
    max(policy.disablesAfter / 5, 1)
  }

  /// Returns whether a code may be tried at `now` (seconds since the epoch).
  ///
  /// A failure in the future counts as a failure at `now`.
  public func standing(
    _ policy: ThrottlePolicy, now: Int64, counter: Counter = .signIn
  ) -> Standing {
    // All failures together stay below the limit of NIST SP 800-63B-4, section 3.2.2.
    guard failures.addingSaturated(ownChecks.failures) < policy.disablesAfter else {
      return .disabled
    }
    let counted = count(of: counter)
    if counter == .ownCheck, counted.failures >= Self.mostOwnChecks(policy) { return .disabled }
    let wait = policy.wait(afterFailures: counted.failures)
    guard wait > 0 else { return .open }
    let (elapsed, overflow) = now.subtractingReportingOverflow(counted.last)
    guard !overflow, elapsed >= 0 else { return .waiting(seconds: wait) }
    return elapsed >= wait ? .open : .waiting(seconds: wait - elapsed)
  }

  /// How an attempt begins.
  public enum Beginning: Equatable, Sendable {
    /// The attempt is counted. The state must be written before anything is compared.
    case counted(AttemptState)
    /// The attempt is refused, and nothing may be compared.
    case refused(Standing)
  }

  /// Counts an attempt at `now` from `source`, or refuses it.
  public func begin(
    _ policy: ThrottlePolicy, now: Int64, from source: Source = .unknown,
    counter: Counter = .signIn
  ) -> Beginning {
    let standing = standing(policy, now: now, counter: counter)
    guard standing == .open else { return .refused(standing) }
    var next = self
    switch counter {
    case .signIn:
      next.failures = failures.addingSaturated(1)
      next.lastFailure = max(lastFailure, now)
    case .ownCheck:
      next.ownChecks = FailureCount(
        failures: ownChecks.failures.addingSaturated(1), last: max(ownChecks.last, now))
    }
    next.untold.failures = untold.failures.addingSaturated(1)
    next.untold.lastFailure = now
    next.untold.source = source
    return .counted(next)
  }

  /// Returns the wait in seconds that follows the failures of a counter; 0 for none.
  public func wait(_ policy: ThrottlePolicy, counter: Counter) -> Int64 {
    policy.wait(afterFailures: count(of: counter).failures)
  }

  /// The consecutive failures of a kind of attempts.
  public func count(of counter: Counter) -> FailureCount {
    switch counter {
    case .signIn: FailureCount(failures: failures, last: lastFailure)
    case .ownCheck: ownChecks
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
    var next = unlocked()
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

  /// The state after an attempt turned out to be no failure. What was pending before it is restored,
  /// unless other attempts failed since: those stay pending.
  public func withdrawingFailure(untold before: Untold) -> AttemptState {
    var next = self
    guard untold.failures > 0 else { return next }
    next.untold.failures = untold.failures - 1
    guard next.untold.failures == before.failures else { return next }
    next.untold.lastFailure = before.lastFailure
    next.untold.source = before.source
    return next
  }

  /// The state once the person was told of everything, up to the notice `number`.
  public func told(upTo number: UInt32) -> AttemptState {
    restoring(Untold(noticesTold: number))
  }

  /// The state once the user confirmed that they read about so many failures, and the notices up to
  /// `number`. If attempts failed since, all failures stay pending.
  public func confirmed(failures: UInt32, upTo number: UInt32) -> AttemptState {
    var next = self
    next.untold.noticesTold = max(number, untold.noticesTold)
    if untold.failures == failures { next.untold.failures = 0 }
    return next
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
    AttemptState(
      record: record.id, signInsPutOff: signInsPutOff, untold: untold, ownChanges: ownChanges,
      binding: binding)
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

  /// The state once failures are forgiven: a code of a factor was accepted, or an administrator unlocked
  /// the user. The watermarks stay, for what was accepted once is never
  /// accepted again.
  public func unlocked() -> AttemptState {
    var next = self
    next.failures = 0
    next.lastFailure = 0
    next.ownChecks = FailureCount()
    return next
  }

  /// Returns the state with one more change that the user made at `now` (seconds since the epoch), or
  /// nil when the user has made `HourlyCount.most` changes in this hour.
  public func countingOwnChange(at now: Int64) -> AttemptState? {
    guard let count = ownChanges.adding(at: now) else { return nil }
    var next = self
    next.ownChanges = count
    return next
  }

  // MARK: The record that goes with it

  /// Returns whether the state goes with a record whose `RecordBinding.Identity.checksum` is `checksum`.
  public func goes(with id: FactorID, checksum: UInt64) -> Bool {
    guard let binding else { return record == id }
    return binding.current.checksum == checksum || binding.pending?.checksum == checksum
  }

  /// Whether the state says that the user has no record, or may have none because a change was
  /// interrupted. A state of version 1 does not say.
  public var goesWithoutRecord: Bool {
    guard let binding else { return true }
    return binding.current.isNone || binding.pending?.isNone ?? false
  }

  /// Returns this state, before a change, with what the change adds: the watermarks of factors that
  /// only `next` has. Wherever the change is interrupted, the record that is there then has its
  /// watermarks.
  public func preparing(for next: AttemptState) -> AttemptState {
    var state = self
    // A change that is interrupted has been counted.
    state.own.ownChanges = next.ownChanges
    for mark in next.watermarks where state.watermark(of: mark.factor) == nil {
      // A factor that was removed gives way to one that is added.
      if state.watermarks.count >= FactorRecord.maximumFactors,
        let index = state.watermarks.firstIndex(where: { next.watermark(of: $0.factor) == nil })
      {
        state.watermarks.remove(at: index)
      }
      state.watermarks.append(mark)
    }
    return state
  }

  // MARK: Binary form

  /// The format that is written. Version 1 is read too.
  public static let version: UInt16 = 2

  /// The length of the binary form in bytes, whatever it holds.
  public static let encodedLength = 640

  /// The length of the binary form of version 1 in bytes.
  public static let firstEncodedLength = 480

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
    writer.write(ownChecks.failures)
    writer.write(ownChecks.last)
    writer.write(ownChanges.hour)
    writer.write(ownChanges.count)
    RecordBinding.encode(binding, to: &writer)
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
    guard reader.read(count: 4) == magic, let version = reader.read(UInt16.self),
      encoded.count == (version == 1 ? firstEncodedLength : encodedLength),
      version == 1 || version == self.version, let sequence = reader.read(UInt64.self),
      let record = reader.read(count: FactorID.length).flatMap({ FactorID(bytes: $0) }),
      let failures = reader.read(UInt32.self), let lastFailure = reader.read(Int64.self),
      let signInsPutOff = reader.read(UInt32.self),
      let count = reader.read(UInt8.self), count <= FactorRecord.maximumFactors
    else { return nil }
    var watermarks: [Watermark] = []
    for _ in 0..<count {
      guard let factor = reader.read(count: FactorID.length).flatMap({ FactorID(bytes: $0) }),
        let step = reader.read(Int64.self), !watermarks.contains(where: { $0.factor == factor })
      else { return nil }
      watermarks.append(Watermark(factor: factor, step: step))
    }
    guard let untoldFailures = reader.read(UInt32.self),
      let lastUntoldFailure = reader.read(Int64.self), let source = reader.readShort(),
      Source(source).text == source, let noticesTold = reader.read(UInt32.self),
      let remembered = RememberedCodes(&reader)
    else { return nil }
    guard let own = version == 1 ? Own() : Own(&reader), reader.isRestZero else { return nil }
    let state = AttemptState(
      record: record, failures: failures, lastFailure: lastFailure, watermarks: watermarks,
      signInsPutOff: signInsPutOff,
      untold: Untold(
        failures: untoldFailures, lastFailure: lastUntoldFailure, source: Source(source),
        noticesTold: noticesTold),
      remembered: remembered, ownChecks: own.checks, ownChanges: own.changes, binding: own.binding)
    return (state, sequence)
  }

  /// What version 2 added.
  private struct Own {
    var checks = FailureCount()
    var changes = HourlyCount()
    var binding: RecordBinding?

    init() {}

    init?(_ reader: inout ByteReader) {
      guard let failures = reader.read(UInt32.self), let last = reader.read(Int64.self),
        let hour = reader.read(Int64.self), let count = reader.read(UInt16.self),
        let decoded = RecordBinding.decode(&reader)
      else { return nil }
      checks = FailureCount(failures: failures, last: last)
      changes = HourlyCount(hour: hour, count: count)
      binding = decoded.binding
    }
  }
}

extension UInt32 {
  fileprivate func addingSaturated(_ other: UInt32) -> UInt32 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
