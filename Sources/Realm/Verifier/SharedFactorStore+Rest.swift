import MFARealmStore
import MFAStore

extension SharedFactorStore {
  /// Removes what the realm keeps about a user beside the factors: the offline recovery codes, and the entry in the
  /// directory. Codes that outlived the factors would be accepted again after the next enrolment. No other name gets the
  /// entry unless an administrator is `releasing` it.
  func removeRest(of user: [UInt8], releasing: Bool = false) throws(FactorStoreError) {
    try OfflineRegistry(self).removeCodes(of: user)
    let directory = DirectoryRegistry(self)
    if releasing { try directory.release(user) } else { try directory.unbind(user) }
  }
}
