import MFABase
import MFACrypto
import MFAModel

// What `mfa-admin backup` copies and `mfa-admin restore-backup` puts back.
extension LocalFactorStore {
  /// The files of one user as they are stored.
  package struct StoredUser: Equatable, Sendable {
    /// The name of both files.
    package let name: FileName
    /// The content of the file in `factors/`, or nil if it does not exist.
    package let record: [UInt8]?
    /// The content of the file in `attempts/`, or nil if it does not exist.
    package let attempts: [UInt8]?

    /// Creates a value.
    package init(name: FileName, record: [UInt8]?, attempts: [UInt8]?) {
      self.name = name
      self.record = record
      self.attempts = attempts
    }
  }

  /// What a backup has about one user, opened with the key of the backup.
  package struct BackedUpUser: Equatable, Sendable {
    /// The account that the record names.
    package let account: Account
    /// The record.
    package let record: FactorRecord
    /// The attempt state, or nil if it is missing or damaged.
    package let attempts: AttemptState?
  }

  /// Returns the key, which seals everything in the store.
  package func presentKey() throws(FactorStoreError) -> SealingKey { try key() }

  /// Returns the content of the key file.
  package func masterKey() throws(FactorStoreError) -> SecretBytes {
    try SealingKey.master(try openedKeyFile(), storeOwner: ownerIdentity)
  }

  /// Returns whether there is a key file, whatever is in it.
  package func hasKey() throws(FactorStoreError) -> Bool { try openedKeyFile().version().exists }

  /// Writes the key file of a store that has none and has no records. It gets the owner and the group
  /// of the store's folder.
  package func createKey(_ master: borrowing SecretBytes) throws(FactorStoreError) {
    let keyFile = try openedKeyFile()
    let folder = try directoryStatus()
    do throws(SystemError) {
      try keyFile.create(keyFile.name, master, like: folder)
    } catch {
      throw .system(.key, error)
    }
  }

  /// Returns the files of one user, under the user's lock.
  package func copy(_ name: FileName) throws(FactorStoreError) -> StoredUser {
    let attempts = AttemptsFile(directory: try attempts(), name: name, owner: ownerIdentity)
    guard try attempts.readIfPresent() != nil else {
      return StoredUser(
        name: name, record: try RecordFile.read(name, in: factors(), owner: ownerIdentity)?.bytes,
        attempts: nil)
    }
    let section = try onPart(.attempts) { () throws(SystemError) in try UninterruptedSection() }
    let locked = try attempts.lockForReading()
    let user = StoredUser(
      name: name, record: try RecordFile.read(name, in: factors(), owner: ownerIdentity)?.bytes,
      attempts: try attempts.read())
    // The lock ends with the open file, which must stay open until here.
    withExtendedLifetime(locked) {}
    _ = consume section
    return user
  }

  /// Opens the files of one user with the key of a backup. Returns nil if there is no record.
  package static func open(
    _ user: StoredUser, _ key: inout SealingKey
  ) throws(FactorStoreError) -> BackedUpUser? {
    guard let bytes = user.record else { return nil }
    let sealed = SealedRecord(bytes: bytes)
    guard let account = sealed.claimedAccount, FileName(percentEncoding: account.name) == user.name
    else { throw .damaged(.record) }
    guard let record = try sealed.open(&key, account: account) else { return nil }
    var attempts: AttemptState?
    if let bytes = user.attempts {
      attempts = try AttemptSlots(bytes: bytes, &key).state
      if let state = attempts, !state.goes(with: record.id, checksum: sealed.identity) {
        attempts = nil
      }
    }
    return BackedUpUser(account: account, record: record, attempts: attempts)
  }

  /// How a user is put back.
  package struct Restoring {
    /// Whether recovery codes stay valid. Some may have been used since the backup.
    package let keepsRecoveryCodes: Bool
    /// Returns the last time step of a factor that may have been used since the backup.
    package let lastUsableStep: (Factor) -> Int64
    /// The entry in the audit log.
    package let event: AuditLogEvent

    /// Creates a value.
    package init(
      keepsRecoveryCodes: Bool, lastUsableStep: @escaping (Factor) -> Int64, event: AuditLogEvent
    ) {
      self.keepsRecoveryCodes = keepsRecoveryCodes
      self.lastUsableStep = lastUsableStep
      self.event = event
    }
  }

  /// Restores a user from a backup: seals the data with the present key, and replaces what is stored.
  ///
  /// Returns whether a factor has no acceptable code until then.
  ///
  /// MUST 1: no code that may have been used since the backup is accepted: the watermark of every factor
  /// that the store does not have is at least `lastUsableStep`, and that of every other one is kept.
  /// (`RestoreTests.usedCode`, `.laterWatermark`)
  /// MUST 2: no failure is forgotten: the larger count of the backup and of the store stays.
  /// (`RestoreTests.failures`)
  /// MUST 3: tickets, bypass codes and remembered sign-ins end. (`RestoreTests.grants`)
  package func restore(
    _ user: BackedUpUser, from key: inout SealingKey, _ restoring: Restoring
  ) throws(FactorStoreError) -> Bool {
    let entry = try entryForRestoring(user, restoring.event)
    var record = user.record
    if !restoring.keepsRecoveryCodes { record.removeRecoveryCodes() }
    record.removeExpiredGrants(at: .max)
    record = try entry.adopting(record, from: &key)
    if let kept = entry.kept { record.continueGenerations(after: kept.generation) }
    guard !record.isVacant || entry.kept != nil else { return false }
    let known = entry.kept
    let floor = record.factors.filter { known?.factor($0.id) == nil }.map { factor in
      AttemptState.Watermark(factor: factor.id, step: restoring.lastUsableStep(factor))
    }
    let attempts = (user.attempts ?? AttemptState(record: record.id)).restored(
      for: record, over: entry.attempts, refusing: floor)
    _ = try entry.replace(record: record, attempts: attempts, entering: restoring.event)
    return !floor.isEmpty
  }

  /// Returns access to a user's data. Data that a sign-in refuses is removed first.
  private func entryForRestoring(
    _ user: BackedUpUser, _ event: AuditLogEvent
  ) throws(FactorStoreError) -> LocalFactorStoreEntry {
    do throws(FactorStoreError) {
      return try entry(of: user.account, creating: true)
    } catch {
      switch error {
      case .system(.record, let cause), .system(.attempts, let cause):
        guard cause.distrust != nil else { throw error }
      case .damaged(.record), .damaged(.attempts), .otherVersion, .otherKey, .belongsToAnother,
        .rolledBack(.record), .rolledBack(.attempts):
        break
      case .system, .damaged, .rolledBack, .busy, .nameTooLong, .engine,
        .foreign, .renamed:
        throw error
      }
    }
    _ = try discard(user: user.record.user, account: user.account, entering: event)
    return try entry(of: user.account, creating: true)
  }

  // MARK: The audit log

  /// A file of the audit log.
  package struct LogFile: Equatable, Sendable {
    /// The name in the store's folder.
    package let name: [UInt8]
    /// The content.
    package let content: [UInt8]

    /// Creates a value.
    package init(name: [UInt8], content: [UInt8]) {
      self.name = name
      self.content = content
    }
  }

  /// Returns the files of the audit log, at one moment. Changes of factors wait meanwhile.
  package func copyAuditLog() throws(FactorStoreError) -> [LogFile] {
    let section = try onPart(.auditLogHead) { () throws(SystemError) in try UninterruptedSection() }
    let files = try auditLog().copy()
    _ = consume section
    return files.map { LogFile(name: $0.name, content: $0.content) }
  }

  /// Puts the files of an audit log in the place of the present ones, or beside them if `suffix` is
  /// given.
  package func putAuditLog(_ files: [LogFile], suffix: [UInt8]?) throws(FactorStoreError) {
    let section = try onPart(.auditLogHead) { () throws(SystemError) in try UninterruptedSection() }
    try auditLog().put(files.map { ($0.name, $0.content) }, suffix: suffix)
    _ = consume section
  }
}
