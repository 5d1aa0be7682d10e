import MFABase
import MFAModel

/// A user's record and attempt state as read from the disk, before they are checked against the
/// audit log.
///
/// This is a class because each copy of a large value adds code to the module.
final class StoredPair {
  /// The record, or nil if the user has no record.
  let record: FactorRecord?
  /// The slots of the attempts file, or nil if its file is missing or belongs to an earlier account.
  let slots: AttemptSlots?
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
    var slots: AttemptSlots?
    // If `open` returns nil, the record and the state belong to an earlier account with this name.
    if let attempts, sealed == nil || record != nil {
      slots = try AttemptSlots(bytes: attempts, &key)
    }
    self.init(record, slots, identity: record == nil ? 0 : sealed?.identity ?? 0)
  }

  /// Takes over a record and slots that were not read.
  init(_ record: FactorRecord?, _ slots: AttemptSlots?, identity: UInt64) {
    self.record = record
    self.slots = slots
    self.identity = identity
  }

  /// The attempt state, or nil if its file is missing or neither slot is valid.
  var state: AttemptState? { slots?.state }

  /// Whether the record and the attempt state belong together.
  var isWhole: Bool {
    guard let record else { return state?.allowsMissingRecord ?? true }
    return state?.goes(with: record.id, checksum: identity) ?? false
  }
}
