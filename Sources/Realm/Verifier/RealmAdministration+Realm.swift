import MFABase
import MFARealmStore
import MFAStore

// What root on a verifier does with the realm as a whole.
extension RealmAdministration {
  /// Begins a new epoch of the realm. Returns lines that say what it does.
  package func beginEpoch() throws(RealmError) -> [String] {
    let state = try onRealm { () throws(FactorStoreError) in
      try realm.storeWithoutHost().beginEpoch(by: Self.actor)
    }
    return Self.lines(ofEpoch: state)
  }

  /// Returns what a new epoch means for users.
  static func lines(ofEpoch state: RealmState) -> [String] {
    // The standard period of TOTP (RFC 6238, section 4.1), in seconds.
    let period: Int64 = 30
    let (steps, _) = (state.fence / period).addingReportingOverflow(
      Int64(state.fenceIntervals) + 1)
    let (end, overflow) = steps.multipliedReportingOverflow(by: period)
    let time = String(decoding: UTCTime.precise(overflow ? state.fence : end), as: UTF8.self)
    return [
      "epoch \(state.epoch) of the realm has begun",
      "codes are accepted again from \(time) on, if their period is \(period) seconds",
      "remembered sign-ins, and codes that were sent to phones, are void",
      "not brought back: changes since the backup; see AFTER A FAILOVER OR A RESTORE in mfa-verifier(8)",
    ]
  }
}
