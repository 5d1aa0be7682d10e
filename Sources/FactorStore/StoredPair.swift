import Factors
import Secrets
import System

/// A user's record and attempt state as they were read, before the audit log was asked about them.
///
/// A class, because each copy of such large values is code in the module.
final class StoredPair {
  /// The record; nil when there is none.
  let record: FactorRecord?
  /// The attempt state; nil when there is none, or neither of its slots is valid.
  let state: AttemptState?
  /// What `RecordBinding.Identity.checksum` is for the record; 0 when there is none.
  let identity: UInt64

  /// Opens both. Nil stands for a file that is not there.
  // Throws before there is an object: see `LocalFactorStoreEntry`.
  convenience init(
    _ sealed: SealedRecord?, _ attempts: [UInt8]?, _ account: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let record = try sealed.flatMap { sealed throws(FactorStoreError) in
      try sealed.open(&key, account: account)
    }
    var state: AttemptState?
    // A record that is not opened is of an account that had the name before, and so is the state.
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

  /// Whether the record and the attempt state were written for one another.
  var isWhole: Bool {
    guard let record else { return state?.goesWithoutRecord ?? true }
    return state?.goes(with: record.id, checksum: identity) ?? false
  }
}
