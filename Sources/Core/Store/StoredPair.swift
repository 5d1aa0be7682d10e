import MFABase
import MFAModel

/// A user's record and attempt state as read from the disk, before they are checked against the
/// audit log.
///
/// This is a class because each copy of a large value adds code to the module.
final class StoredPair {
  /// The record, or nil if the user has no record.
  let record: FactorRecord?
  /// The attempt state, or nil if its file is missing or neither slot is valid.
  let state: AttemptState?
  /// The `RecordBinding.Identity.checksum` of the record; 0 if there is no record.
  let identity: UInt64

  /// Opens the record and the attempt state. Nil stands for a missing file.
  // Throws before the object exists: see `LocalFactorStoreEntry`.
  convenience init(
    _ sealed: SealedRecord?, _ attempts: [UInt8]?, _ account: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let record = try sealed.flatMap { sealed throws(FactorStoreError) in
      try sealed.open(&key, account: account)
    }
    var state: AttemptState?
    // If `open` returns nil, the record and the state belong to an earlier account with this name.
    if let attempts, sealed == nil || record != nil {
      state = try AttemptSlots(bytes: attempts, &key).state
    }
    self.init(record, state, identity: record == nil ? 0 : sealed?.identity ?? 0)
  }

  private init(_ record: FactorRecord?, _ state: AttemptState?, identity: UInt64) {
    self.record = record
    self.state = state
    self.identity = identity
  }

  /// Whether the record and the attempt state belong together.
  var isWhole: Bool {
    guard let record else { return state?.allowsMissingRecord ?? true }
    return state?.goes(with: record.id, checksum: identity) ?? false
  }
}
