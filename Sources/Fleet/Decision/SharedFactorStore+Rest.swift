import MFASharedStore
import MFAStoreFiles

extension SharedFactorStore {
  /// Removes what the realm keeps about a user beside the factors: the offline recovery codes, and the entry in the
  /// directory. Codes that outlived the factors would be accepted again after the next enrolment.
  func removeRest(of user: [UInt8]) throws(FactorStoreError) {
    try OfflineRegistry(self).removeCodes(of: user)
    try DirectoryRegistry(self).setEntry(nil, of: user)
  }
}
