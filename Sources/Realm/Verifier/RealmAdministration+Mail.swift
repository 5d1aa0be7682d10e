import MFABase
import MFAStore
import MFADecider
import MFARealmStore

extension RealmAdministration {
  /// Mails the pending notices of each account that has a file in the folder of this verifier.
  package func mail() throws(RealmError) {
    do throws(ProcessRefusal) {
      try PrivilegedProcess.settle(name: "mfa-verifier", keepsDescriptors: true)
    } catch {
      throw RealmError("the process cannot be prepared")
    }
    // While the database does not answer, no file is touched.
    _ = try onRealm { () throws(FactorStoreError) in try realm.storeWithoutHost().clockFinding() }
    let folder = MailFolder(StoreFile.realmMailName)
    let haveAllBegun: Bool
    do throws(FactorStoreError) {
      haveAllBegun = try RealmMail(realm: realm, folder: folder, send: Mailing.send).empty()
    } catch {
      throw RealmError(
        "the folder \(StoreFile.realmMailPath) cannot be emptied: \(error.names.reason)",
        hint: "/usr/lib/mfa/make-store creates it, and corrects its mode; its owner is mfa")
    }
    guard haveAllBegun else {
      throw RealmError(
        "the notices of some users could not be read, and stay to be mailed",
        hint: "the system log has the reason (authpriv)")
    }
  }
}
