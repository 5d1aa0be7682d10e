import MFAStore
import MFAAttempt
import MFAModel
import MFAWire

/// A flag that tells whether a conflict caused the last failure of the store. `HelperFailure` does not tell.
final class CommitConflict {
  var hasOccurred = false
}

extension Management {
  /// Calls `decide`, which loads the caller's entry, decides and commits. Calls it again if the data
  /// changed between its load and its commit: see `FactorStore.deciding`.
  func deciding<Result>(
    _ decide: () throws(HelperFailure) -> Result
  ) throws(HelperFailure) -> Result {
    let conflict = conflict
    return try Machine.Store.deciding(unless: { _ in !conflict.hasOccurred }) {
      () throws(HelperFailure) in
      conflict.hasOccurred = false
      return try decide()
    }
  }
}

/// A committed change of the caller's record.
struct CommittedChange {
  /// The record as it was changed.
  let record: FactorRecord
  /// The stored record after the commit.
  let kept: FactorRecord?
  /// The audit log entry.
  let checkpoint: AuditLogCheckpoint?
}
