import MFABase
import MFACrypto
import MFAModel

/// The store on this machine's disk.
///
///     /var/lib/mfa              0700, owned by the store's owner (the system user `mfa`)
///     /var/lib/mfa/factors/     02700, one file per user: the sealed record, replaced by renaming
///     /var/lib/mfa/attempts/    02700, one file per user: two slots, written in place, and a lock
///     /var/lib/mfa/uids/        02700, one file per uid: the names under which it has a record
///     /var/lib/mfa/audit-log       0600, the audit log: a line of text for each recorded event
///     /var/lib/mfa/audit-log.head  0600, two slots: the end of the audit log's chain, and its lock
///     /var/lib/mfa/audit-log.index 0600, each user's last entry in the audit log
///
/// A user's files are named after the user, percent-encoded.
///
/// MUST 1: a file is trusted only if it is a regular file of mode 0600 with a single link that
/// belongs to the store's owner. (`LocalFactorStoreTests.distrusted`)
/// MUST 2: a record that was modified in any bit, truncated, extended, moved to another user, or
/// written by a different version is refused and not changed. (`.everyByteFlipped`,
/// `.everyTruncation`, `.movedRecord`, `.otherVersion`)
/// MUST 3: a change that is interrupted at any point leaves either the old data or the new data.
/// (`.interruptedAtEachStep`, and Tests/Faults with the real helper)
/// MUST 4: the newer of the two valid slots counts, and a torn slot loses no data. (`.tornSlot`)
/// MUST 5: a store that is not the host's own answers for no user. (`ForeignStoreTests`)
package final class LocalFactorStore: FactorStore {
  private let directory: StoreDirectory
  let owner: UInt32
  private let cachedKey: CachedKey
  private let auditLogMemory = AuditLogMemory()
  /// The identity of the host's own store; nil if the store is not compared with one.
  let identity: StoreIdentityFile?
  /// `factors/`, `attempts/` and `uids/`, once they have been opened.
  private var factorsDirectory: StoreDirectory?
  private var attemptsDirectory: StoreDirectory?
  private var uidsDirectory: StoreDirectory?

  /// Opens the store and checks its directory. The key is read when it is first needed, and each time
  /// after that unless `keepsKey` and its files have not changed.
  ///
  /// Throws before the object exists: see `LocalFactorStoreEntry`.
  package convenience init(
    _ location: StoreLocation, keepsKey: Bool = false
  ) throws(FactorStoreError) {
    let path = location.directory
    try path.checkParents(of: .directory)
    if location.identity != nil, try !Self.exists(path) { throw .foreign(.missing) }
    let opened = try onPart(.directory) { () throws(SystemError) in try path.lastDirectory() }
    let owner: UInt32
    do throws(FactorStoreError) {
      owner = try StoreDirectory.owner(of: opened, .directory)
    } catch {
      // A file system that was mounted here by mistake is not the store, whatever its mode.
      guard location.identity != nil, !Self.isStore(opened) else { throw error }
      throw .foreign(.missing)
    }
    let identity = location.identity.map { StoreIdentityFile(in: $0, owner: owner) }
    self.init(
      StoreDirectory(judged: opened), owner: owner, key: location.key, identity,
      keepsKey: keepsKey)
  }

  private init(
    _ directory: StoreDirectory, owner: UInt32, key: TrustedPath, _ identity: StoreIdentityFile?,
    keepsKey: Bool
  ) {
    self.directory = directory
    self.owner = owner
    self.identity = identity
    cachedKey = CachedKey(key, owner: owner, keepsKey: keepsKey)
  }

  private static func exists(_ path: TrustedPath) throws(FactorStoreError) -> Bool {
    try onPart(.directory) { () throws(SystemError) in try FileIdentity.of(path.bytes) != nil }
  }

  /// Returns whether a folder has the folder of records.
  private static func isStore(_ directory: borrowing Directory) -> Bool {
    guard let factors = FileName(StoreFile.factors.name) else { return false }
    do throws(SystemError) {
      return try directory.identity(of: factors) != nil
    } catch {
      return true
    }
  }

  /// Throws `.foreign` if the store is not the host's own.
  package func requireOwn() throws(FactorStoreError) {
    guard identity != nil else { return }
    _ = try factors()
    _ = try attempts()
    try auditLog().requireOwn { () throws(FactorStoreError) in try self.key() }
  }

  /// Throws if a sign-in could not read the store or count an attempt. Returns the identity of the key.
  package func requireUsable() throws(FactorStoreError) -> [UInt8] {
    try requireOwn()
    for (folder, part) in [(try factors(), .factors), (try attempts(), .attempts)]
      as [(StoreDirectory, FactorStoreError.Part)]
    {
      try onPart(part) { () throws(SystemError) in try folder.opened.requireWritable() }
    }
    try onPart(.directory) { () throws(SystemError) in try directory.opened.requireWritable() }
    var key = try key()
    return try cryptographic { () throws(SystemError) in try key.identity() }
  }

  /// Writes the identity of the host's own store again if it was not written for an hour, so that an
  /// earlier copy of the store is found although nothing was recorded since.
  func advanceIdentity(_ key: borrowing SealingKey) {
    guard let identity, identity.isOlder(than: Self.secondsBetweenAdvances) else { return }
    // A sign-in does not depend on it: the store stays the host's own.
    do throws(FactorStoreError) { try auditLog().advance(key) } catch {}
  }

  private static var secondsBetweenAdvances: Int64 { 3600 }

  /// An entry holds the user's lock.
  package static var mayConflict: Bool { false }

  /// Returns the status of the store's folder.
  func directoryStatus() throws(FactorStoreError) -> FileStatus {
    try onPart(.directory) { () throws(SystemError) in try directory.opened.status() }
  }

  /// The uid that owns everything in the store.
  package var ownerIdentity: UInt32 { owner }

  /// Reads both files as `keptSnapshot` does.
  ///
  /// - Throws: `.renamed` if the user has no factor under this name, and has one under an earlier name.
  package func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    guard let kept = try keptSnapshot(of: account), kept.record.isEnrolled else {
      try requireNoEarlierName(of: account)
      return nil
    }
    return kept
  }

  /// Reads both files without the lock, and again with it if they do not belong together.
  package func keptSnapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    try requireOwn()
    // A user whose name is too long for a file has never enrolled.
    guard let name = FileName(percentEncoding: account.name) else { return nil }
    let recordFile = RecordFile(directory: try factors(), name: name, owner: owner)
    let attemptsFile = AttemptsFile(directory: try attempts(), name: name, owner: owner)
    let sealed = try recordFile.read()
    let bytes = try attemptsFile.readIfPresent()
    // If the user has no files and the audit log is empty, the key is not read and no cryptography
    // is initialised.
    if sealed == nil, bytes == nil, try !auditLog().hasEntries() { return nil }
    var key = try key()
    var refusal: FactorStoreError?
    do throws(FactorStoreError) {
      let pair = try StoredPair(sealed, bytes, account, &key)
      if pair.isWhole {
        _ = try verify(pair, account, &key)
        guard let record = pair.record, let state = pair.state else { return nil }
        return FactorSnapshot(record: record, attempts: state)
      }
    } catch {
      switch error {
      case .otherKey, .rolledBack:
        // The record was sealed with another key before the key was read, or was changed before the
        // audit log was read.
        refusal = error
      case .system, .damaged, .otherVersion, .belongsToAnother, .busy,
        .nameTooLong, .engine, .foreign, .renamed:
        throw error
      }
    }
    // The files are damaged, or changed between the reads. A read under the lock decides which.
    let entry: LocalFactorStoreEntry
    do throws(FactorStoreError) {
      entry = try self.entry(of: account, creating: false)
    } catch {
      // There is no lock without the file.
      if case .system(.attempts, let cause) = error, cause.isNotFound, let refusal { throw refusal }
      throw error
    }
    guard let record = entry.kept else { return nil }
    return FactorSnapshot(record: record, attempts: entry.attempts)
  }

  /// Checks against the audit log that a record and an attempt state are from the user's last
  /// change.
  ///
  /// - Returns: the position in the audit log to start the next check from.
  /// - Throws: `.rolledBack` if earlier copies of the files were restored after a later change.
  func verify(
    _ pair: StoredPair, _ account: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) -> RecordBinding.LogPosition {
    if let binding = pair.state?.binding { return try verify(binding, account, &key) }
    let standing = try auditLog().standing(of: account.name, uid: account.uid, since: .none, &key)
    guard let fingerprint = standing.fingerprint else { return standing.position }
    let present = try pair.record.map { record throws(FactorStoreError) in
      try Self.fingerprintNumber(of: record, &key)
    }
    guard present ?? 0 == fingerprint else { throw .rolledBack(.record) }
    return standing.position
  }

  /// Checks a binding against the audit log in the same way.
  func verify(
    _ binding: RecordBinding, _ account: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) -> RecordBinding.LogPosition {
    let standing = try auditLog().standing(
      of: account.name, uid: account.uid, since: binding.position, &key)
    if let fingerprint = standing.fingerprint {
      guard binding.allows(fingerprint: fingerprint) else { throw .rolledBack(.attempts) }
    }
    return standing.position
  }

  /// Reads and opens the record.
  package func kept(for account: Account) throws(FactorStoreError) -> FactorRecord? {
    try requireOwn()
    guard let name = FileName(percentEncoding: account.name) else { return nil }
    let factors = try factors()
    guard let sealed = try RecordFile.read(name, in: factors, owner: owner) else { return nil }
    var key = try key()
    return try sealed.open(&key, account: account)
  }

  /// Computes digests with the key in /etc/mfa, bound to the user and the record.
  package func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    var key = try key()
    return try key.digests(of: places, in: record)
  }

  /// Opens and locks the user's attempts file, waiting at most ten seconds, and reads both files.
  ///
  /// - Throws: `.rolledBack` if earlier copies of the user's files were restored after a later
  ///   change.
  package func entry(
    of account: Account, creating: Bool
  ) throws(FactorStoreError) -> LocalFactorStoreEntry {
    let entry = try entryUnderAnyName(of: account, creating: creating)
    if entry.record == nil { try requireNoEarlierName(of: account) }
    return entry
  }

  /// Returns what `entry(of:creating:)` returns, also for a user who has a factor under an earlier name.
  func entryUnderAnyName(
    of account: Account, creating: Bool
  ) throws(FactorStoreError) -> LocalFactorStoreEntry {
    try requireOwn()
    return try LocalFactorStoreEntry(
      account: account, store: self, creating: creating, isVerified: true)
  }

  /// Returns an entry without files.
  package func decoy(
    like record: FactorRecord?
  ) throws(FactorStoreError) -> LocalFactorStoreEntry {
    try LocalFactorStoreEntry(decoyIn: self, like: record)
  }

  /// Returns access as `entry(of:creating:)` does, even if the files are older than the audit log
  /// requires or the log cannot be read. It is for an administrator, who decides whether to accept
  /// or remove the files.
  package func unverifiedEntry(
    of account: Account
  ) throws(FactorStoreError) -> LocalFactorStoreEntry {
    try LocalFactorStoreEntry(
      account: account, store: self, creating: false, isVerified: false)
  }

  func recordFile(of account: Account) throws(FactorStoreError) -> RecordFile {
    RecordFile(directory: try factors(), name: try Self.fileName(of: account), owner: owner)
  }

  func attemptsFile(of account: Account) throws(FactorStoreError) -> AttemptsFile {
    AttemptsFile(directory: try attempts(), name: try Self.fileName(of: account), owner: owner)
  }

  /// Calls `body` with each file in `factors/`, in no particular order, until it returns false.
  /// `user` is the decoded file name, or nil if it is not a valid user name.
  package func forEachFile(
    _ body: (_ user: UserName?, _ file: FileName) -> Bool
  ) throws(FactorStoreError) {
    let directory = try factors()
    try onPart(.factors) { () throws(SystemError) in
      try directory.opened.forEachEntry { name in
        RecordFile.isReserve(name) || body(name.percentDecoded.flatMap { UserName($0) }, name)
      }
    }
  }

  // MARK: Administration

  /// Returns a reader for the records of many users: see `LocalFactorStoreReader`.
  package func reader() throws(FactorStoreError) -> LocalFactorStoreReader {
    try requireOwn()
    return LocalFactorStoreReader(
      store: self, factors: try factors(), attempts: try attempts(),
      owner: owner, key: try key())
  }

  /// The result of `discard`.
  package enum Discarding: Equatable, Sendable {
    /// There was nothing to discard.
    case nothing
    /// The stored data was removed; with the checkpoint of the audit log entry, if one was written.
    case removed(AuditLogCheckpoint?)
  }

  /// Removes the stored record of a user in any condition: damaged, belonging to another user, or
  /// of an account that no longer exists. If the files are gone but the audit log lists a record of
  /// the account, the removal is recorded there. Enrolments and sign-ins of the user wait
  /// meanwhile.
  ///
  /// The attempts file is kept because it is the lock. An untrusted attempts file is replaced by a
  /// new one, so that the user can enrol again.
  ///
  /// If `event` is nil, nothing is recorded in the audit log. An administrator uses this when the
  /// log cannot be written.
  package func discard(
    user: UserName, account: Account?, entering event: AuditLogEvent?
  ) throws(FactorStoreError) -> Discarding {
    guard let name = FileName(percentEncoding: user.bytes) else { throw .nameTooLong }
    let section = try onPart(.attempts) { () throws(SystemError) in try UninterruptedSection() }
    let hasRecord = Self.exists(name, in: try factors())
    let hasAttempts = Self.exists(name, in: try attempts())
    // A missing event means that the audit log is unusable, so it must not be read either.
    let readsLog = event != nil
    let wasMissing = readsLog ? try isMissing(account) : false
    guard hasRecord || hasAttempts || wasMissing else { return .nothing }
    let attempts = AttemptsFile(
      directory: try attempts(), name: name, owner: owner)
    let locked = try attempts.lockReplacingDistrusted()
    var key = try key()
    let bytes = try onPart(.attempts) { () throws(SystemError) in
      try locked.file.read(count: AttemptSlots.length)
    }
    var slots = try AttemptSlots(bytes: bytes, &key)
    // Check again under the lock: another process can have removed the record, and recorded that,
    // while this one waited. If there is no record, an attempt state that names one was left
    // behind by an interrupted process, and denies every sign-in.
    let isLeft = slots.state?.binding?.namesRecord ?? false
    let isMissing = readsLog ? try isMissing(account) : false
    guard Self.exists(name, in: try factors()) || locked.wasReplaced || isLeft || isMissing else {
      return .nothing
    }
    var checkpoint: AuditLogCheckpoint?
    if let event { checkpoint = try enter(event, AuditLogSubject(user: user), &key).checkpoint }
    let recordFile = RecordFile(directory: try factors(), name: name, owner: owner)
    try recordFile.removeEverything()
    // A state that belongs to no record.
    try slots.write(AttemptState(record: .zero, binding: RecordBinding()), to: locked.file, &key)
    try onPart(.attempts) { () throws(SystemError) in try locked.file.syncData() }
    // The lock ends with the open file, which must stay open until here.
    withExtendedLifetime(locked) {}
    _ = consume section
    return .removed(checkpoint)
  }

  /// Returns whether the audit log lists a record of an account whose file is missing.
  private func isMissing(_ account: Account?) throws(FactorStoreError) -> Bool {
    guard let account else { return false }
    guard try !Self.exists(Self.fileName(of: account), in: factors()) else { return false }
    var key = try key()
    let standing = try auditLog().standing(of: account.name, uid: account.uid, since: .none, &key)
    return standing.fingerprint ?? 0 != 0
  }

  /// Renames the files of the audit log, so that the next entry begins a new log. Appends a full
  /// stop and `suffix` to the file names, and returns the new names.
  package func moveAuditLogAside(suffix: [UInt8]) throws(FactorStoreError) -> [[UInt8]] {
    let section = try onPart(.auditLogHead) { () throws(SystemError) in try UninterruptedSection() }
    let moved = try auditLog().moveAside(suffix: suffix)
    _ = consume section
    return moved
  }

  // MARK: Audit log

  /// Records a change of a user's record in the audit log, before it happens.
  func enter(
    _ event: AuditLogEvent, _ subject: AuditLogSubject, _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLog.Entered {
    try auditLog().enter(event, about: subject, &key)
  }

  /// Adopts an audit log entry left behind by an interrupted process.
  func settleAuditLog(
    patience seconds: Int64, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    try auditLog().settle(patience: seconds, &key)
  }

  func auditLog() throws(FactorStoreError) -> AuditLog {
    try AuditLog(in: directory, owner: owner, memory: auditLogMemory, identity: identity) {
      () throws(FactorStoreError) in try self.key()
    }
  }

  /// Records an event and makes the present store the host's own.
  package func adopt(entering event: AuditLogEvent) throws(FactorStoreError) -> AuditLogCheckpoint {
    var key = try key()
    let section = try onPart(.auditLogHead) { () throws(SystemError) in try UninterruptedSection() }
    let checkpoint = try auditLog().adopt(entering: event, &key)
    _ = consume section
    return checkpoint
  }

  /// Compares the store with the host's own.
  package func comparison() throws(FactorStoreError) -> StoreComparison {
    var comparison = StoreComparison()
    guard let identity else { return comparison }
    comparison.machine = identity.thisMachine
    let key = { () throws(FactorStoreError) in try self.key() }
    if case .identity(let own) = try identity.read(key) { comparison.own = own }
    do throws(FactorStoreError) {
      try requireOwn()
    } catch .foreign(let difference) {
      comparison.difference = difference
    }
    var present = try key()
    if let head = try auditLog().recordedHead(&present) {
      comparison.entries = head.count
      comparison.sequence = head.sequence
    }
    return comparison
  }

  /// Records an event that does not change a user's record, before it happens.
  package func enter(_ event: AuditLogEvent) throws(FactorStoreError) -> AuditLogCheckpoint {
    var key = try key()
    return try enter(event, AuditLogSubject(), &key).checkpoint
  }

  /// Reads the head of the audit log. Takes no lock.
  package func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    try auditLog().knows(configuration: configuration)
  }

  /// Checks the last recorded configuration again under the audit log's lock.
  package func enter(
    _ event: AuditLogEvent, configuration: UInt64
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    var key = try key()
    let section = try onPart(.auditLogHead) { () throws(SystemError) in try UninterruptedSection() }
    let checkpoint = try auditLog().enter(event, configuration: configuration, &key)
    _ = consume section
    return checkpoint
  }

  /// Verifies the audit log and returns the result. Calls `body` with each line. Changes of factors
  /// wait meanwhile.
  package func inspectAuditLog(
    _ body: (AuditLogReading.Line) -> Void
  ) throws(FactorStoreError) -> AuditLogReading {
    var key = try key()
    let section = try onPart(.auditLogHead) { () throws(SystemError) in try UninterruptedSection() }
    let reading = try auditLog().inspect(&key, body)
    _ = consume section
    return reading
  }

  /// Returns the number of entries of the audit log according to its head, or nil if there is no valid head. Reads no
  /// entry.
  package func recordedAuditLogCount() throws(FactorStoreError) -> UInt32? {
    var key = try key()
    return try auditLog().recordedCount(&key)
  }

  /// Returns the fingerprint that the audit log uses for the account's current record; empty if
  /// there is no record.
  package func fingerprint(of account: Account) throws(FactorStoreError) -> [UInt8] {
    guard let name = FileName(percentEncoding: account.name) else { return [] }
    let recordFile = RecordFile(directory: try factors(), name: name, owner: owner)
    guard let sealed = try recordFile.read() else { return [] }
    var key = try key()
    guard let record = try sealed.open(&key, account: account) else { return [] }
    return try record.fingerprint(&key)
  }

  /// Returns a record's fingerprint as a number.
  static func fingerprintNumber(
    of record: FactorRecord, _ key: inout SealingKey
  ) throws(FactorStoreError) -> UInt64 {
    let bytes = try record.fingerprint(&key)
    var reader = ByteReader(bytes.span)
    return reader.read(UInt64.self) ?? 0
  }

  // MARK: Files

  /// Returns whether a file with this name exists, even if it cannot be opened.
  private static func exists(_ name: FileName, in directory: StoreDirectory) -> Bool {
    do throws(SystemError) {
      _ = try directory.opened.fileForReading(name)
      return true
    } catch {
      return !error.isNotFound
    }
  }

  /// Returns the key, and reads it if necessary.
  func key() throws(FactorStoreError) -> SealingKey { try cachedKey.read() }

  func openedKeyFile() throws(FactorStoreError) -> KeyFile { try cachedKey.file() }

  func factors() throws(FactorStoreError) -> StoreDirectory {
    if let factorsDirectory { return factorsDirectory }
    let opened = try folder(.factors, .factors)
    factorsDirectory = opened
    return opened
  }

  /// Opens `uids/`. Returns nil if it is missing in a store that is not compared with the host's own.
  func uids() throws(FactorStoreError) -> StoreDirectory? {
    if let uidsDirectory { return uidsDirectory }
    do throws(FactorStoreError) {
      uidsDirectory = try folder(.uids, .uids)
    } catch {
      guard identity == nil, case .system(.uids, let cause) = error, cause.isNotFound else {
        throw error
      }
    }
    return uidsDirectory
  }

  func attempts() throws(FactorStoreError) -> StoreDirectory {
    if let attemptsDirectory { return attemptsDirectory }
    let opened = try folder(.attempts, .attempts)
    attemptsDirectory = opened
    return opened
  }

  private func folder(
    _ file: StoreFile, _ part: FactorStoreError.Part
  ) throws(FactorStoreError) -> StoreDirectory {
    do throws(FactorStoreError) {
      return try StoreDirectory(file.name, in: directory.opened, owner: owner, part)
    } catch {
      throw Self.absence(error, identity != nil)
    }
  }

  /// Returns that the store is missing, if that is what the error of one of its folders means.
  private static func absence(
    _ error: FactorStoreError, _ isCompared: Bool
  ) -> FactorStoreError {
    guard isCompared, case .system(_, let cause) = error, cause.isNotFound else { return error }
    return .foreign(.missing)
  }

  private static func fileName(of account: Account) throws(FactorStoreError) -> FileName {
    guard let name = FileName(percentEncoding: account.name) else { throw .nameTooLong }
    return name
  }
}

extension LocalFactorStore {
  /// Seals a continuation under the key in /etc/mfa.
  package func seal(
    continuation: Span<UInt8>, binding: [UInt8]
  ) throws(FactorStoreError) -> [UInt8] {
    var key = try key()
    return try key.seal(continuation: continuation, binding: binding)
  }

  /// Opens a continuation.
  package func open(
    continuation: [UInt8], binding: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes? {
    var key = try key()
    return try key.open(continuation: continuation, binding: binding)
  }

  /// Derives a secret with the key in /etc/mfa.
  package func enrollmentSecret(binding: [UInt8]) throws(FactorStoreError) -> SecretBytes {
    var key = try key()
    return try key.enrollmentSecret(binding: binding)
  }
}

/// A reader for the records of many users in the local store. It opens the directories and reads
/// the key once, rather than once per user.
///
/// The reader keeps using the same key, so it is meant for a single listing.
package final class LocalFactorStoreReader {
  private let store: LocalFactorStore
  private let factors: StoreDirectory
  private let attempts: StoreDirectory
  private let owner: UInt32
  private var key: SealingKey

  init(
    store: LocalFactorStore, factors: StoreDirectory, attempts: StoreDirectory,
    owner: UInt32, key: consuming SealingKey
  ) {
    self.store = store
    self.factors = factors
    self.attempts = attempts
    self.owner = owner
    self.key = key
  }

  /// Returns the user's record and attempt state, as `LocalFactorStore.snapshot(of:)` does, but
  /// does not check files that match each other against the audit log.
  package func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    guard let name = FileName(percentEncoding: account.name) else { return nil }
    // If the user is not enrolled, the two files do not match, or the key has changed since it was
    // read, the store decides.
    do throws(FactorStoreError) {
      if let snapshot = try quickSnapshot(of: account, in: name) { return snapshot }
    } catch .otherKey {}
    return try store.snapshot(of: account)
  }

  /// Returns the record and attempt state in the files `name`, or nil if the user is not enrolled
  /// or the files do not match each other. Throws if a file cannot be read, or the record is
  /// damaged or belongs to a different user. Changes nothing that several readers of one store
  /// share.
  package func quickSnapshot(
    of account: Account, in name: FileName
  ) throws(FactorStoreError) -> FactorSnapshot? {
    guard let sealed = try RecordFile.read(name, in: factors, owner: owner) else { return nil }
    guard let record = try sealed.open(&key, account: account), record.isEnrolled else {
      return nil
    }
    let bytes = try AttemptsFile.read(name, in: attempts, owner: owner)
    let slots = try AttemptSlots(bytes: bytes, &key)
    if let state = slots.state, state.goes(with: record.id, checksum: sealed.identity) {
      return FactorSnapshot(record: record, attempts: state)
    }
    return nil
  }
}
