import MFAStore
import MFAAttempt
import MFABase
import MFACrypto
import MFAModel

// Puts a backup in the place of the store, user by user, while users sign in.
//
// MUST 1: nothing is changed unless the whole backup was read and verified with its key.
// (`RestoreTests.damaged`)
// MUST 2: the present key stays, and what the backup has is sealed with it. (`RestoreTests.otherKey`)
// MUST 3: after a kill at any point, every user has the data from before or from the backup, and the
// command can be repeated. (Tests/Faults)
extension Administration {
  /// What an administrator wants restored.
  package struct BackupRestoration {
    /// The backup.
    package let path: String
    /// The file with the key of the backup; nil if the backup or the host has it.
    package let keyPath: String?
    /// Whether a store with records is replaced.
    package let replaces: Bool
    /// Whether recovery codes stay valid.
    package let keepsRecoveryCodes: Bool
    /// Where a store with records is backed up before it is replaced.
    package let earlierStorePath: String
    /// The largest number of adjacent time steps that the configuration accepts.
    package let adjacentIntervals: UInt8

    package init(
      path: String, keyPath: String? = nil, replaces: Bool = false,
      keepsRecoveryCodes: Bool = false, earlierStorePath: String, adjacentIntervals: UInt8
    ) {
      self.path = path
      self.keyPath = keyPath
      self.replaces = replaces
      self.keepsRecoveryCodes = keepsRecoveryCodes
      self.earlierStorePath = earlierStorePath
      self.adjacentIntervals = adjacentIntervals
    }
  }

  /// What was restored.
  package struct RestorationReport: Equatable {
    package let path: String
    /// The time of the backup.
    package let time: Int64
    package let restored: Int
    package let removed: Int
    /// The users who could not be restored, and why.
    package let refused: [AuditLogFinding]
    /// The backup of the store that was replaced, or nil if it was empty.
    package let earlierStore: String?
    package let keptRecoveryCodes: Bool
    /// The seconds until each user has a code that was not valid before; 0 if the store knew of each factor
    /// which codes were used.
    package let wait: Int64
    /// The files of the configuration in the backup, which were not written.
    package let configuration: [ConfigurationFile.Layer]
    /// The services that asked for a code when the backup was made, each with the options of `mfa-admin enable`.
    package let services: [String]

    /// The report as text for an administrator.
    package var text: String {
      var text = refused.map(\.line).joined()
      let users = restored == 1 ? "1 user" : "\(restored) users"
      text += "restored the data of \(users) from the backup of \(Timestamp(time)?.full ?? "?")\n"
      if removed > 0 {
        text += "removed the data of \(removed) "
        text +=
          removed == 1 ? "user who is not in the backup\n" : "users who are not in the backup\n"
      }
      if let earlierStore {
        text +=
          "the store from before is in \(VisibleText.escaping(earlierStore)), without the key\n"
      }
      text +=
        wait > 0
        ? "Codes of the time before may have been used: users can sign in with the codes that their apps "
          + "show in \((wait + 59) / 60) minutes.\n"
        : "Users can sign in at once.\n"
      text +=
        keptRecoveryCodes
        ? "WARNING: recovery codes that were used after the backup are valid again.\n"
        : "Recovery codes are void, because it is not known which were used after the backup: users make "
          + "new ones with mfa-enroll recovery-codes --new.\n"
      text += "Tickets, bypass codes, program passwords and remembered sign-ins are void.\n"
      if !services.isEmpty {
        text += "These services asked for a code when the backup was made. To enable them again:\n"
        for service in services {
          text += "  mfa-admin enable \(VisibleText.escaping(Array(service.utf8)))\n"
        }
      }
      return text
    }
  }

  /// Restores a backup.
  package func restoreBackup(
    _ wanted: BackupRestoration
  ) throws(AdminError) -> RestorationReport {
    let content = try BackupContent.read(wanted.path)
    var backupKey = try key(of: content, wanted)
    try content.verify(&backupKey)
    var users: [LocalFactorStore.BackedUpUser] = []
    var refused: [AuditLogFinding] = []
    for user in content.users {
      do throws(FactorStoreError) {
        guard let opened = try LocalFactorStore.open(user, &backupKey) else { continue }
        users.append(opened)
      } catch {
        let shown = user.name.percentDecoded ?? user.name.bytes
        refused.append(AuditLogFinding(user: shown, kind: .unusable(RecordProblem(error)), last: 0))
      }
    }
    let present = try files()
    guard present.isEmpty || wanted.replaces else {
      throw .backup(.storeInUse(records: present.count))
    }
    // A host without a key and without records, such as a new one, gets that of the backup.
    if present.isEmpty, try !onStore(try store.hasKey()),
      let master = try master(of: content, wanted)
    {
      do throws(FactorStoreError) { try store.createKey(master) } catch { throw .store(error) }
    }
    let earlier = present.isEmpty ? nil : wanted.earlierStorePath
    if let earlier { _ = try backUp(to: earlier, key: .apart, overwriting: false) }
    let lock = try ConfigurationLock()
    guard try !isKeyChanging() else { throw .backup(.keyChanging) }
    // Attempt states of users without a record name positions in the present log.
    let isEmpty = try userFiles().isEmpty
    try putLog(content, &backupKey, hasData: !isEmpty)
    let begun = try onStore(
      try store.adopt(
        entering: event(.restoreBegun, detail: Array("\(content.manifest.time)".utf8))))
    note("restore-begun", begun)
    // A user whose data in the backup is damaged keeps what is stored.
    let removed = try remove(present, except: content.users.map(\.name))
    let restoring = LocalFactorStore.Restoring(
      keepsRecoveryCodes: wanted.keepsRecoveryCodes,
      lastUsableStep: { factor in
        // A code that was sent to a phone before the restore is void.
        guard let parameters = factor.parameters else { return now }
        return parameters.step(at: factor.clock(at: now)) + Int64(wanted.adjacentIntervals)
      }, event: event(.restored))
    var wait: Int64 = 0
    var count = 0
    for user in users {
      let isWaiting: Bool
      if let problem = try problem(with: user) {
        refused.append(AuditLogFinding(user: user.account.name, kind: .unusable(problem), last: 0))
        continue
      }
      do throws(FactorStoreError) {
        isWaiting = try store.restore(user, from: &backupKey, restoring)
      } catch {
        throw .unusable(user.record.user, RecordProblem(error))
      }
      count += 1
      for factor in user.record.factors where isWaiting {
        guard let period = factor.parameters?.period else { continue }
        wait = max(wait, Int64(period) * (Int64(wanted.adjacentIntervals) + 1))
      }
    }
    let ended = try onStore(try store.enter(event(.restoreEnded)))
    note("restored", ended)
    withExtendedLifetime(lock) {}
    return RestorationReport(
      path: wanted.path, time: content.manifest.time, restored: count, removed: removed,
      refused: refused, earlierStore: earlier, keptRecoveryCodes: wanted.keepsRecoveryCodes,
      wait: wait, configuration: content.configuration, services: content.services)
  }

  /// Returns the key in the named file or, if none is named, the one in the backup, or nil.
  private func master(
    of content: borrowing BackupContent, _ wanted: BackupRestoration
  ) throws(AdminError) -> SecretBytes? {
    guard let path = wanted.keyPath else {
      switch content.key {
      case .some(let key): return key.prefix(key.count)
      case .none: return nil
      }
    }
    let place = try BackupPlace(path)
    let file = try place.open()
    var master = SecretBytes(count: SealingKey.length)
    let size = try place.onFile(try file.status()).size
    let isWhole = try place.onFile(
      try master.withMutableSpan { span throws(SystemError) in try file.read(into: &span) })
    guard isWhole, size == Int64(SealingKey.length) else {
      throw .backup(.otherKey(wanted.path, key: path))
    }
    return master
  }

  /// Returns the key that a backup was sealed with, and puts it in place if the host has none.
  private func key(
    of content: borrowing BackupContent, _ wanted: BackupRestoration
  ) throws(AdminError) -> SealingKey {
    let identity = content.manifest.keyIdentity
    guard let master = try master(of: content, wanted) else {
      var key = try sealingKey()
      guard try Self.identity(&key) == identity else { throw .backup(.noKey(wanted.path)) }
      return key
    }
    var key: SealingKey
    do throws(SystemError) { key = try SealingKey(master: master.span) } catch {
      throw .store(.cryptography)
    }
    guard try Self.identity(&key) == identity else {
      throw .backup(.otherKey(wanted.path, key: wanted.keyPath ?? wanted.path))
    }
    return key
  }

  /// Returns why a user cannot be restored: the account has another uid now.
  private func problem(
    with user: LocalFactorStore.BackedUpUser
  ) throws(AdminError) -> RecordProblem? {
    do throws(SystemError) {
      guard let account = try accounts.named(user.account.name), account.name == user.account.name
      else { return nil }
      return account.uid == user.account.uid ? nil : .belongsToAnother
    } catch {
      return .account(error)
    }
  }

  /// Removes the users who are not in the backup, and returns their number.
  private func remove(
    _ present: [StoredFile], except kept: [FileName]
  ) throws(AdminError) -> Int {
    let kept = Set(kept.map(\.bytes))
    var count = 0
    for file in present {
      guard let user = file.user, !kept.contains(file.name.bytes) else { continue }
      let subject = try subject(String(decoding: user.bytes, as: UTF8.self))
      let result = try onUser(
        subject,
        try store.discard(
          user: user, account: subject.account, entering: event(.removedByRestore)))
      if result != .nothing { count += 1 }
    }
    return count
  }

  /// Continues the audit log of the backup, if the store has no data and the key is the same.
  /// Otherwise the present log continues, and the backup's is put beside it.
  private func putLog(
    _ content: borrowing BackupContent, _ backupKey: inout SealingKey, hasData: Bool
  ) throws(AdminError) {
    let log = content.log
    guard !log.isEmpty else { return }
    var present = try sealingKey()
    let isSameKey = try Self.identity(&present) == Self.identity(&backupKey)
    let suffix = Array("\(now)".utf8)
    try onStore { () throws(FactorStoreError) in
      if isSameKey, !hasData {
        _ = try store.moveAuditLogAside(suffix: suffix)
        try store.putAuditLog(log, suffix: nil)
      } else {
        try store.putAuditLog(log, suffix: Array("backup-".utf8) + suffix)
      }
    }
  }
}
