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
    case done(Factor, LedgerMark?)
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
    guard var record = entry.record, let factor = record.factor(id) else { return .noSuchFactor }
    let length = factor.parameters.codeLength
    guard let first = first.code(of: length), let second = second.code(of: length) else {
      return .notACode
    }
    let untold = entry.attempts.untold
    let throttle = circumstances.settings.throttle
    switch try begin(entry, circumstances) {
    case .refused(let standing): return .refused(standing)
    case .counted(let counted):
      let found = try finding(first, second, factor, counted, entry, circumstances.now)
      guard let finding = found else {
        try entry.sync()
        return .wrong(wait: throttle.wait(afterFailures: counted.failures))
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
      let state = counted.resynchronized(id, at: finding.step)
      try entry.write(state.restoring(untold))
      try entry.sync()
      return .done(factor, mark)
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
