import FactorStore
import Factors
import OneTimePassword
import Policy
import Secrets
import System

// A clock that drifted.
extension Attempt {
  /// What the first code of a resynchronisation came to.
  public enum ResynchronizationStart: Sendable {
    /// It was counted as an attempt. What was pending before that.
    case counted(AttemptState.Untold)
    case refused(AttemptState.Standing)
    case notACode
    case noSuchFactor
    /// The record was changed since the user was authenticated.
    case superseded
  }

  /// The two codes of a resynchronisation.
  public struct CodePair: Sendable {
    let first: TypedCodes
    let second: TypedCodes
    /// How many seconds after the first code the second one arrived, by a clock that cannot be set.
    let elapsed: Int64
    /// What was pending before the first code was counted.
    let untold: AttemptState.Untold

    /// Puts a pair together.
    public init(
      first: TypedCodes, second: TypedCodes, elapsed: Int64, untold: AttemptState.Untold
    ) {
      self.first = first
      self.second = second
      self.elapsed = elapsed
      self.untold = untold
    }
  }

  /// What an attempt to resynchronise a factor came to.
  public enum Resynchronizing: Sendable {
    /// It was resynchronised; with the record's new generation.
    case done(Factor, generation: UInt32, LedgerMark?)
    /// The record was changed since the user was authenticated.
    case superseded
    /// The user has made as many changes as are allowed in an hour; with the seconds that are left.
    case tooManyChanges(wait: Int64)
    /// They are no two fresh codes in a row of the factor's, or came too far apart; with how many
    /// seconds to wait, 0 for none.
    case wrong(wait: Int64)
    case notACode
    case noSuchFactor
  }

  /// Counts an attempt for the first code. Nothing is compared before the second code is there, so
  /// that the answer tells nothing about the first.
  public static func beginResynchronizing<Store: FactorStore>(
    _ id: FactorID, first: TypedCodes, by account: Account, in store: Store,
    _ circumstances: Circumstances
  ) throws(FactorStoreError) -> ResynchronizationStart {
    let entry = try store.entry(of: account, creating: false)
    try circumstances.start()
    guard circumstances.allows(entry.kept) else { return .superseded }
    guard let factor = entry.record?.factor(id) else { return .noSuchFactor }
    guard first.code(of: factor.parameters.codeLength) != nil else { return .notACode }
    let untold = entry.attempts.untold
    switch try begin(entry, circumstances) {
    case .refused(let standing): return .refused(standing)
    case .counted:
      try entry.sync()
      return .counted(untold)
    }
  }

  /// Learns from two codes in a row how far ahead a factor's authenticator is. The attempt was counted
  /// with the first code, and both codes are used up.
  public static func resynchronize<Store: FactorStore>(
    _ id: FactorID, with pair: CodePair, by account: Account, in store: Store,
    _ circumstances: Circumstances
  ) throws(FactorStoreError) -> Resynchronizing {
    let entry = try store.entry(of: account, creating: false)
    try circumstances.start()
    guard circumstances.allows(entry.kept) else { return .superseded }
    guard var record = entry.record, let factor = record.factor(id) else { return .noSuchFactor }
    let length = factor.parameters.codeLength
    guard let first = pair.first.code(of: length), let second = pair.second.code(of: length) else {
      return .notACode
    }
    guard let attempts = entry.attempts.countingOwnChange(at: circumstances.now) else {
      return .tooManyChanges(wait: entry.attempts.ownChanges.secondsLeft(at: circumstances.now))
    }
    let wait = attempts.wait(circumstances.settings.throttle, counter: circumstances.counter)
    guard Resynchronization.isTimely(pair.elapsed, period: factor.parameters.period),
      let finding = try finding(first, second, factor, attempts, entry, circumstances.now)
    else { return .wrong(wait: wait) }
    do throws(FactorRecord.ChangeRefusal) {
      try record.setTimeOffset(of: id, to: finding.timeOffset)
    } catch {
      return .noSuchFactor
    }
    record.note(
      .resynchronized, factor.displayName.utf8, about: record.subject(of: id),
      from: circumstances.source, at: circumstances.now)
    // The offset first: with the watermark alone the old clock's codes would all be too early. As
    // long as the watermark is not there, nobody has been told that the codes are used up.
    let event = LedgerEvent(
      .resynchronized, factor, by: circumstances.actor(record), at: circumstances.now)
    let mark = try entry.replace(record: record, attempts: attempts, entering: event)
    let state = attempts.resynchronized(id, at: finding.step)
    try entry.write(state.withdrawingFailure(untold: pair.untold))
    try entry.sync()
    return .done(factor, generation: entry.kept?.generation ?? 0, mark)
  }

  /// A factor whose watermark was lost tells nothing.
  static func finding<Entry: FactorStoreEntry>(
    _ first: Code, _ second: Code, _ factor: Factor, _ state: AttemptState, _ entry: Entry,
    _ now: Int64
  ) throws(FactorStoreError) -> Resynchronization.Finding? {
    guard let watermark = state.watermark(of: factor.id) else { return nil }
    let secret = try entry.secret(of: factor)
    do throws(CryptographyError) {
      return try Resynchronization.finding(
        first: first, second: second, secret: secret.span, parameters: factor.parameters,
        now: now, watermark: watermark)
    } catch {
      throw .cryptography
    }
  }
}
