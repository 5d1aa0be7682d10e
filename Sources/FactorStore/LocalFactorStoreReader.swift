import Factors
import Secrets
public import System

/// Reads the records of many users of the local store: directories are opened and the key is read
/// once, rather than once a user.
///
/// It goes on using the key that was there when it was made: it is meant for one listing.
public final class LocalFactorStoreReader {
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

  /// The user's record and attempt state, as `LocalFactorStore.snapshot(of:)` gives them.
  public func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    guard let name = FileName(percentEncoding: account.name) else { throw .nameTooLong }
    // Nothing enrolled, damaged, or changed between two reads: the store tells which.
    if let snapshot = try quickSnapshot(of: account, in: name) { return snapshot }
    return try store.snapshot(of: account)
  }

  /// The record and attempt state in the files `name`, where both are there, belong together and are
  /// the account's; else nil. Of what readers of one store share, this changes nothing.
  public func quickSnapshot(
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
