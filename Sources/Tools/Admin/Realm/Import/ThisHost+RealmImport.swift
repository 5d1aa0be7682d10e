import MFACrypto
import MFAStore
import MFAModel
import MFABase

extension ThisHost {
  /// Returns the import of this host's local store into its realm.
  package static func realmImport() throws(AdminError) -> RealmImport {
    let realm = try requiredRealm()
    let number: FactorID
    do throws(CryptographyError) { number = try FactorID.generate() } catch {
      throw .store(.cryptography)
    }
    // Nothing is changed, and no configuration is recorded in the local store.
    let administration = Administration(
      store: try store(), settings: .defaults, now: try now(), accounts: .system,
      actor: Console.actor, log: { Log.write($0, $1) }, deliver: { _ in })
    return try RealmImport(
      of: LocalUsers(administration), into: realm, number: number.bytes)
  }

  /// The longest period of codes in seconds that factors usually have.
  private static var period: Int64 { 60 }

  /// Returns the time until which the local store would accept a code that the realm has accepted by now.
  package static func endOfAcceptedCodes() throws(AdminError) -> String? {
    let steps = 2 * Int64(mostAdjacentIntervals) + 1
    let (time, overflow) = try now().addingReportingOverflow(steps * period)
    return overflow ? nil : Timestamp(time)?.full
  }
}
