import MFAAuditLog
import MFABytes
import MFAFactorStore
import MFAStoreFiles

/// What the audit log of this host says about every user, up to the last entry that was read.
struct LedgerHistories {
  /// What the audit log says about one user.
  struct History {
    /// The UID in the user's last entry that has one.
    private(set) var uid: UInt32 = 0
    /// The number of the user's last entry.
    private(set) var last: UInt32 = 0
    /// The fingerprint in the user's last entry; empty if the record was removed.
    private(set) var lastFingerprint: [UInt8] = []
    /// The number of the last entry with each fingerprint.
    private(set) var entries: [[UInt8]: UInt32] = [:]

    fileprivate mutating func add(_ entry: LedgerEntry, _ mark: AuditLogCheckpoint) {
      // The entry of a record that was removed unread has no UID.
      uid = entry.uid ?? uid
      last = mark.number
      lastFingerprint = entry.fingerprint
      entries[lastFingerprint] = mark.number
    }
  }

  /// The history of each user.
  private(set) var users: [[UInt8]: History] = [:]
  /// The number of the last entry that was read.
  private var last: UInt32 = 0

  /// Adds the next entry.
  mutating func add(_ entry: LedgerEntry, _ mark: AuditLogCheckpoint) {
    last = mark.number
    if let user = entry.bytes("user") { users[user, default: History()].add(entry, mark) }
  }

  /// Adds the entries that were written since the audit log was read. Reads it only if there are any: an audit log can be
  /// long, and changes of factors wait meanwhile. After an interrupted write, the head does not yet count an entry that
  /// was read.
  mutating func update(from store: borrowing LocalFactorStore) throws(FactorStoreError) {
    guard try store.recordedLedgerCount() ?? .max > last else { return }
    var updated = self
    _ = try store.inspectLedger { line in
      guard case .entry(let mark) = line.kind, mark.number > updated.last else { return }
      updated.add(LedgerEntry(line), mark)
    }
    self = updated
  }
}
