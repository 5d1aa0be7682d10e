import MFAModel
import MFABase

/// A reader for the records of many users in the local store. It opens the directories and reads
/// the key once, rather than once per user.
///
/// The reader keeps using the same key, so it is meant for a single listing.
package final class LocalFactorStoreReader {
  private let store: LocalFactorStore
  private let factors: StoreDirectory
  private let attempts: StoreDirectory
  private let owner: UInt32
  private var key: SealingKey

  init(
    store: LocalFactorStore, factors: StoreDirectory, attempts: StoreDirectory,
    owner: UInt32, key: consuming SealingKey
  ) {
    self.store = store
    self.factors = factors
    self.attempts = attempts
    self.owner = owner
    self.key = key
  }

  /// Returns the user's record and attempt state, as `LocalFactorStore.snapshot(of:)` does, but
  /// does not check files that match each other against the audit log.
  package func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    guard let name = FileName(percentEncoding: account.name) else { return nil }
    // If the user is not enrolled, the two files do not match, or the key has changed since it was
    // read, the store decides.
    do throws(FactorStoreError) {
      if let snapshot = try quickSnapshot(of: account, in: name) { return snapshot }
    } catch .otherKey {}
    return try store.snapshot(of: account)
  }

  /// Returns the record and attempt state in the files `name`, or nil if the user is not enrolled
  /// or the files do not match each other. Throws if a file cannot be read, or the record is
  /// damaged or belongs to a different user. Changes nothing that several readers of one store
  /// share.
  package func quickSnapshot(
    of account: Account, in name: FileName
  ) throws(FactorStoreError) -> FactorSnapshot? {
    guard let sealed = try RecordFile.read(name, in: factors, owner: owner) else { return nil }
    guard let record = try sealed.open(&key, account: account), record.isEnrolled else {
      return nil
    }
    let bytes = try AttemptsFile.read(name, in: attempts, owner: owner)
    let slots = try AttemptSlots(bytes: bytes, &key)
    if let state = slots.state, state.goes(with: record.id, checksum: sealed.identity) {
      return FactorSnapshot(record: record, attempts: state)
    }
    return nil
  }
}
