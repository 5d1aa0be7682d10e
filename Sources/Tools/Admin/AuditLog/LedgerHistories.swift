import MFAStore

/// What the audit log of a host or a realm says about every user, up to the last entry that was read.
struct LedgerHistories {
  /// What the audit log says about one user.
  struct History {
    /// The UID in the user's last entry that has one; 0 if none has.
    private(set) var uid: UInt32 = 0
    /// The number of the last entry about the user.
    private(set) var last: UInt32 = 0
    /// The fingerprint in that entry; empty if the record was removed.
    private(set) var lastFingerprint: [UInt8] = []
    /// The number of the last entry with each fingerprint.
    private(set) var entries: [[UInt8]: UInt32] = [:]

    /// Adds an entry, with the fingerprint of the user's record after it.
    fileprivate mutating func add(
      _ entry: LedgerEntry, _ mark: AuditLogCheckpoint, _ fingerprint: [UInt8]
    ) {
      // The entry of a record that was removed unread has no UID.
      uid = entry.uid ?? uid
      last = mark.number
      lastFingerprint = fingerprint
      entries[fingerprint] = mark.number
    }

    /// Returns how a record with this fingerprint differs from what the audit log says, or nil if it does not.
    /// The fingerprint is empty if there is no record.
    func difference(of fingerprint: [UInt8]) -> LedgerFinding.Kind? {
      guard fingerprint != lastFingerprint else { return nil }
      if let entry = entries[fingerprint] { return .older(entry: entry) }
      return fingerprint.isEmpty ? .gone : .unknown
    }
  }

  /// The history of each user.
  private(set) var users: [[UInt8]: History] = [:]
  /// The number of the last entry that was read.
  private(set) var last: UInt32 = 0

  /// Adds the next entry.
  mutating func add(_ entry: LedgerEntry, _ mark: AuditLogCheckpoint) {
    last = mark.number
    for (user, fingerprint) in entry.records {
      users[user, default: History()].add(entry, mark, fingerprint)
    }
  }

  /// Adds the entries that were written since the audit log of this host was read. The audit log is read again only
  /// if its head counts more entries, because it can be long, and changes of factors wait meanwhile. After an
  /// interrupted write, the head does not yet count an entry that was read.
  mutating func update(from store: borrowing LocalFactorStore) throws(FactorStoreError) {
    guard try store.recordedLedgerCount() ?? .max > last else { return }
    _ = try store.inspectLedger { line in
      guard case .entry(let mark) = line.kind, mark.number > last else { return }
      add(LedgerEntry(line), mark)
    }
  }
}
