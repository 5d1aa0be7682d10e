import FactorStore
import Factors
import OneTimePassword
import Policy
import Secrets
import System

// A clock that drifted.
extension Attempt {
  /// What an attempt to resynchronise a factor came to.
  public enum Resynchronizing: Sendable {
    /// It was resynchronised; with the record's new generation.
    case done(Factor, generation: UInt32, LedgerMark?)
    /// The record was changed since the user was authenticated.
    case superseded
    /// The user has made as many changes as are allowed in an hour; with the seconds that are left.
    case tooManyChanges(wait: Int64)
    /// They are no two fresh codes in a row of the factor's; with how many seconds to wait, 0 for
    /// none.
    case wrong(wait: Int64)
    case refused(AttemptState.Standing)
    case notACode
    case noSuchFactor
  }

  /// Learns from two codes in a row how far ahead a factor's authenticator is. It counts as an
  /// attempt, and both codes are used up.
  public static func resynchronize<Store: FactorStore>(
    _ id: FactorID, first: TypedCodes, second: TypedCodes, by account: Account, in store: Store,
    _ circumstances: Circumstances
  ) throws(FactorStoreError) -> Resynchronizing {
    let entry = try store.entry(of: account, creating: false)
    try circumstances.start()
    guard circumstances.allows(entry.kept) else { return .superseded }
    guard var record = entry.record, let factor = record.factor(id) else { return .noSuchFactor }
    let length = factor.parameters.codeLength
    guard let first = first.code(of: length), let second = second.code(of: length) else {
      return .notACode
    }
    guard let allowed = entry.attempts.countingOwnChange(at: circumstances.now) else {
      return .tooManyChanges(wait: entry.attempts.ownChanges.secondsLeft(at: circumstances.now))
    }
    let untold = entry.attempts.untold
    let throttle = circumstances.settings.throttle
    switch try begin(entry, circumstances) {
    case .refused(let standing): return .refused(standing)
    case .counted(let counted):
      let found = try finding(first, second, factor, counted, entry, circumstances.now)
      guard let finding = found else {
        try entry.sync()
        return .wrong(wait: counted.wait(throttle, counter: circumstances.counter))
      }
      do throws(FactorRecord.ChangeRefusal) {
        try record.setTimeOffset(of: id, to: finding.timeOffset)
      } catch {
        return .noSuchFactor
      }
      record.note(
        .resynchronized, factor.displayName.utf8, from: circumstances.source, at: circumstances.now)
      // The offset first: with the watermark alone the old clock's codes would all be too early. As
      // long as the watermark is not there, nobody has been told that the codes are used up.
      let event = LedgerEvent(
        .resynchronized, factor, by: circumstances.actor(record), at: circumstances.now)
      let mark = try entry.replace(record: record, attempts: counted, entering: event)
      let state = allowed.resynchronized(id, at: finding.step)
      try entry.write(state.restoring(untold))
      try entry.sync()
      return .done(factor, generation: entry.kept?.generation ?? 0, mark)
    }
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
