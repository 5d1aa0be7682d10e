import MFAStore
import MFAModel
import MFABase

extension Attempt {
  /// Marks pending notices as shown, unless the record was replaced in the meantime.
  package static func markShown<Store: FactorStore>(
    _ pending: PendingNotices, of record: FactorRecord, _ account: Account, in store: Store
  ) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      guard entry.attempts.record == record.id else { return }
      let last = pending.notices.last?.number ?? pending.unreported.lastShownNotice
      try entry.write(entry.attempts.confirmed(failures: pending.unreported.failures, upTo: last))
      try entry.sync()
    }
  }
}
