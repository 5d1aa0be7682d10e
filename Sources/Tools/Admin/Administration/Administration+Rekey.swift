import MFAStore
import MFABase

// Changes the key that seals all records. `LocalFactorStore+Rekeying.swift` explains the steps.
extension Administration {
  /// A change of the key that is complete.
  package struct KeyChange: Equatable {
    /// The number of users whose data was sealed with the next key by this command.
    package let resealed: Int
    /// Whether an earlier command had begun the change.
    package let wasBegun: Bool
    /// The last entry of the change in the audit log.
    package let checkpoint: AuditLogCheckpoint

    /// The change as a sentence for an administrator.
    package var sentence: String {
      let users = resealed == 1 ? "the data of 1 user" : "the data of \(resealed) users"
      return (wasBegun ? "completed the change that was begun earlier: " : "")
        + "sealed \(users) with a new key, and removed the earlier one from \(InstalledPath.key)\n"
        + "Make a new backup, and copy the new key: earlier backups need the earlier key."
    }
  }

  /// Whether a change of the key was begun and is not complete.
  package func isKeyChanging() throws(AdminError) -> Bool {
    try onStore { () throws(FactorStoreError) in try store.isKeyChanging() }
  }

  /// Makes a new key, and seals everything with it while users sign in. Completes a change that an
  /// earlier command began.
  ///
  /// Throws `.ledger` if a stored record does not match the audit log, because the new entries would hide
  /// that.
  package func rekey(progress: Progress = .silent) throws(AdminError) -> KeyChange {
    // Only one process changes the key at a time.
    let lock = try ConfigurationLock()
    let wasBegun = try isKeyChanging()
    if !wasBegun { try requireIntactStore() }
    let last = try onStore { () throws(FactorStoreError) in
      try store.beginKeyChange()
      return try store.beginNextKey(entering: event(.rekeyBegun))
    }
    note("rekey-begun", last)
    var progress = progress
    var resealed = 0
    // Nothing can be sealed with the earlier key again, so the second round finds everything done.
    while true {
      let count = try resealAll(&progress)
      resealed += count
      if count == 0 { break }
    }
    progress.finish()
    try requireIntactStore()
    let checkpoint = try onStore { () throws(FactorStoreError) in
      let checkpoint = try store.enter(event(.rekeyed))
      try store.endKeyChange()
      return checkpoint
    }
    note("rekeyed", checkpoint)
    withExtendedLifetime(lock) {}
    return KeyChange(resealed: resealed, wasBegun: wasBegun, checkpoint: checkpoint)
  }

  /// Throws if the audit log is damaged, or a stored record does not match it.
  private func requireIntactStore() throws(AdminError) {
    let problem = try Self.lasting { () throws(AdminError) in
      try verifyLedger(expecting: nil, allowsUnlistedRecords: false).problem
    }
    if let problem { throw .ledger(problem) }
  }

  /// Seals the data of all users, and returns for how many that was necessary.
  private func resealAll(_ progress: inout Progress) throws(AdminError) -> Int {
    let names = try userFiles()
    var count = 0
    for (index, name) in names.enumerated() {
      let result = try onFile(name) { () throws(FactorStoreError) in
        try store.reseal(name, entering: event(.resealed))
      }
      if result == .resealed { count += 1 }
      progress.step(index + 1, of: names.count)
    }
    return count
  }

  private func event(_ kind: AuditLogEvent.Kind) -> AuditLogEvent {
    AuditLogEvent(kind, by: ledgerActor, at: now)
  }

  private func note(_ result: StaticString, _ checkpoint: AuditLogCheckpoint?) {
    guard let checkpoint else { return }
    var line = LogLine()
    line.add("result", result)
    line.add("by", escaping: actor)
    line.add("checkpoint", escaping: checkpoint.text)
    log(.notice, line)
  }
}
