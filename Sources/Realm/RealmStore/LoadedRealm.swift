import MFAStore
import MFABase

/// The state of a realm and the time of its database as they were loaded last, which the stores of one request
/// share.
package final class LoadedRealm {
  var state: RealmState?
  private var clock: DatabaseClock?
  private let sinceBoot: () throws(SystemError) -> Int64

  /// The epoch of the realm as it was loaded last; nil before anything was loaded.
  package var epoch: UInt64? { state?.epoch }

  /// Creates a value before anything was loaded. `sinceBoot` returns the seconds since this machine was started.
  package init(
    sinceBoot: @escaping () throws(SystemError) -> Int64 = Clock.sinceBoot
  ) {
    self.sinceBoot = sinceBoot
  }

  /// Keeps the time of the database, if its engine has a clock.
  ///
  /// - Throws: `.engine(.clock)` if `now`, the time by this machine's clock, is too far ahead of it.
  func compare(_ now: Int64, with time: Int64) throws(FactorStoreError) {
    let sinceBoot: Int64
    do throws(SystemError) { sinceBoot = try self.sinceBoot() } catch {
      throw .system(.clock, error)
    }
    guard let clock = DatabaseClock(time, at: sinceBoot) else { return }
    self.clock = clock
    guard DatabaseClock.Difference(of: now, from: time)?.effect != .denies else {
      throw .engine(.clock)
    }
  }

  /// Returns the time for a decision: `now`, the time by this machine's clock, or if that is too far ahead of the
  /// database's, the latest time that may be used.
  package func limited(_ now: Int64) throws(SystemError) -> Int64 {
    guard let clock else { return now }
    return clock.limited(now, at: try sinceBoot())
  }
}
