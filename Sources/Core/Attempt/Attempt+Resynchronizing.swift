import MFABase
import MFAStore
import MFACrypto
import MFAModel

// Resynchronisation with an authenticator whose clock has drifted.
extension Attempt {
  /// The result of submitting the first code of a resynchronisation.
  package enum ResynchronizationStart: Sendable {
    /// The attempt was counted. The associated value holds what was pending before the attempt.
    case counted(AttemptState.Unreported)
    case refused(AttemptState.Standing)
    case notACode
    case noSuchFactor
    /// The record has changed since the user was authenticated.
    case superseded
  }

  /// The two codes of a resynchronisation.
  package struct CodePair: Sendable {
    let first: TypedCodes
    let second: TypedCodes
    /// The number of seconds between the arrival of the two codes.
    let elapsed: Int64
    /// The failures and notices that were pending before the first code was counted.
    let unreported: AttemptState.Unreported

    /// Creates a pair.
    package init(
      first: TypedCodes, second: TypedCodes, elapsed: Int64, unreported: AttemptState.Unreported
    ) {
      self.first = first
      self.second = second
      self.elapsed = elapsed
      self.unreported = unreported
    }
  }

  /// The result of resynchronising a factor.
  package enum ResynchronizationResult: Sendable {
    /// The factor was resynchronised. `generation` is the record's new generation.
    case done(Factor, generation: UInt32, AuditLogCheckpoint?)
    /// The record has changed since the user was authenticated.
    case superseded
    /// The user has made all the changes that are allowed in an hour. `wait` is the number of
    /// seconds until the next one is allowed.
    case tooManyChanges(wait: Int64)
    /// The codes are not two consecutive, unused codes of the factor, or they arrived too far
    /// apart. `wait` is the number of seconds before the next attempt is allowed; 0 for none.
    case wrong(wait: Int64)
    case notACode
    case noSuchFactor
  }

  /// Counts an attempt for the first code. Nothing is compared until the second code has arrived,
  /// so that the response reveals nothing about the first code.
  package static func beginResynchronizing<Store: FactorStore>(
    _ id: FactorID, first: TypedCodes, by account: Account, in store: Store,
    _ context: Context
  ) throws(FactorStoreError) -> ResynchronizationStart {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      try context.start()
      guard context.allows(entry.kept) else { return .superseded }
      guard let parameters = entry.record?.factor(id)?.parameters else { return .noSuchFactor }
      guard first.code(of: parameters.codeLength) != nil else { return .notACode }
      let unreported = entry.attempts.unreported
      switch try begin(entry, context) {
      case .refused(let standing): return .refused(standing)
      case .repeated: return .notACode
      case .counted:
        try entry.sync()
        return .counted(unreported)
      }
    }
  }

  /// Determines from two consecutive codes how far a factor's authenticator clock is ahead. The
  /// attempt was counted with the first code. If the resynchronisation succeeds, both codes are
  /// used up.
  package static func resynchronize<Store: FactorStore>(
    _ id: FactorID, with pair: CodePair, by account: Account, in store: Store,
    _ context: Context
  ) throws(FactorStoreError) -> ResynchronizationResult {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      try context.start()
      guard context.allows(entry.kept) else { return .superseded }
      guard var record = entry.record, let factor = record.factor(id),
        let parameters = factor.parameters
      else { return .noSuchFactor }
      let length = parameters.codeLength
      guard let first = pair.first.code(of: length), let second = pair.second.code(of: length)
      else {
        return .notACode
      }
      guard let attempts = entry.attempts.countingOwnChange(at: context.now) else {
        return .tooManyChanges(wait: entry.attempts.ownChanges.secondsLeft(at: context.now))
      }
      let wait = attempts.wait(
        context.settings.throttle, counter: context.counter,
        client: try client(entry, context))
      guard Resynchronization.isTimely(pair.elapsed, period: parameters.period),
        let finding = try finding(
          first, then: second, of: factor, attempts: attempts, by: entry, now: context.now)
      else { return .wrong(wait: wait) }
      do throws(FactorRecord.ChangeRefusal) {
        try record.setTimeOffset(of: id, to: finding.timeOffset)
      } catch {
        return .noSuchFactor
      }
      record.note(
        .resynchronized, factor.displayName.utf8, about: record.subject(of: id),
        from: context.source, at: context.now)
      // A local store writes the offset first. With the watermark alone, all codes of the old clock would
      // be rejected as too early. If the process ends before it writes the watermark, the user has not been
      // told that the codes are used up.
      let event = AuditLogEvent(
        .resynchronized, factor, by: context.actor(record), at: context.now)
      let state = attempts.resynchronized(id, at: finding.step)
      let mark = try entry.replace(
        record: record, attempts: state.withdrawingFailure(unreported: pair.unreported),
        entering: event)
      return .done(factor, generation: entry.kept?.generation ?? 0, mark)
    }
  }

  /// Returns the offset and time step that the two codes prove, or nil. Also returns nil if the
  /// factor's watermark was lost.
  static func finding<Entry: FactorStoreEntry>(
    _ first: Code, then second: Code, of factor: Factor, attempts: AttemptState, by entry: Entry,
    now: Int64
  ) throws(FactorStoreError) -> Resynchronization.Finding? {
    guard let watermark = attempts.watermark(of: factor.id), let parameters = factor.parameters
    else { return nil }
    let secret = try entry.secret(of: factor)
    return try cryptographic { () throws(SystemError) in
      try Resynchronization.finding(
        first: first, second: second, secret: secret.span, parameters: parameters,
        now: now, watermark: watermark)
    }
  }
}
