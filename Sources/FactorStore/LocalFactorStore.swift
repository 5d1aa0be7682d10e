public import Factors
import Secrets
public import System

/// The store on this machine's disk.
///
///     /var/lib/mfa             0700, belongs to the store's owner (the system user `mfa`)
///     /var/lib/mfa/factors/    02700, one file a user: the record, sealed; replaced by renaming
///     /var/lib/mfa/attempts/   02700, one file a user: two slots, written in place; the user's lock
///     /var/lib/mfa/ledger      0600, a line of text for each change of a record
///     /var/lib/mfa/ledger.head 0600, two slots: where the ledger's chain has come to; its lock
///
/// A file's name is the user's, percent-encoded.
///
/// MUST 1: what is opened is a regular file of mode 0600 with one name that belongs to the store's
/// owner, or nothing of it is believed. (`LocalFactorStoreTests.distrusted`)
/// MUST 2: a record that was changed in any bit, cut, extended, moved to another user, or written by
/// another version is refused, and left as it is. (`.everyByteFlipped`, `.everyTruncation`,
/// `.movedRecord`, `.otherVersion`)
/// MUST 3: interrupted at any point, a change leaves what was there before or what was to be there.
/// (`.interruptedAtEachStep`, and Tests/Faults with the real helper)
/// MUST 4: of two slots the later valid one counts, and a torn one costs nothing. (`.tornSlot`)
public final class LocalFactorStore: FactorStore {
  private let directory: StoreDirectory
  private let owner: UInt32
  private let keyPath: TrustedPath
  /// The key's file, once a record has asked for it; never the key itself.
  private var keyFile: KeyFile?
  /// `factors/` and `attempts/`, once they have been asked for.
  private var factorsDirectory: StoreDirectory?
  private var attemptsDirectory: StoreDirectory?

  /// Opens the store and checks its directory. The key is read when a record asks for it.
  ///
  /// Throws before there is an object: see `LocalFactorStoreEntry`.
  public convenience init(_ location: StoreLocation) throws(FactorStoreError) {
    let path = location.directory
    try path.checkParents(of: .directory)
    let opened = try onPart(.directory) { () throws(SystemError) in try path.lastDirectory() }
    let owner = try StoreDirectory.owner(of: opened, .directory)
    self.init(StoreDirectory(judged: opened), owner: owner, key: location.key)
  }

  private init(_ directory: StoreDirectory, owner: UInt32, key: TrustedPath) {
    self.directory = directory
    self.owner = owner
    keyPath = key
  }

  /// The numeric identity that everything in the store belongs to.
  public var ownerIdentity: UInt32 { owner }

  /// Reads both files without the lock; if they do not belong together, once more with it.
  public func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    let name = try Self.fileName(of: account)
    let recordFile = RecordFile(directory: try factors(), name: name, owner: owner)
    let attemptsFile = AttemptsFile(directory: try attempts(), name: name, owner: owner)
    let sealed = try recordFile.read()
    let bytes = try attemptsFile.readIfPresent()
    // Nothing was ever written about the user, or anybody: no key is read and no cryptography started.
    if sealed == nil, bytes == nil, try !ledger().hasEntries() { return nil }
    var key = try key()
    let pair = try StoredPair(sealed, bytes, account, &key)
    if pair.isWhole {
      _ = try verify(pair, account, &key)
      guard let record = pair.record, record.isEnrolled, let state = pair.state else { return nil }
      return FactorSnapshot(record: record, attempts: state)
    }
    // Damaged, or changed between the two reads: the lock tells which.
    let entry = try entry(of: account, creating: false)
    guard let record = entry.record else { return nil }
    return FactorSnapshot(record: record, attempts: entry.attempts)
  }

  /// Proves against the audit log that a record and an attempt state are those of the last change of
  /// the user's.
  ///
  /// - Returns: the position in the audit log to check from the next time.
  /// - Throws: `.rolledBack` when a later change was undone in the files.
  func verify(
    _ pair: StoredPair, _ account: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) -> RecordBinding.LogPosition {
    if let binding = pair.state?.binding { return try verify(binding, account, &key) }
    let standing = try ledger().standing(of: account.name, uid: account.uid, since: .none, &key)
    guard let fingerprint = standing.fingerprint else { return standing.position }
    let present = try pair.record.map { record throws(FactorStoreError) in
      try Self.fingerprintNumber(of: record, &key)
    }
    guard present ?? 0 == fingerprint else { throw .rolledBack(.record) }
    return standing.position
  }

  /// Proves the same of a binding.
  func verify(
    _ binding: RecordBinding, _ account: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) -> RecordBinding.LogPosition {
    let standing = try ledger().standing(
      of: account.name, uid: account.uid, since: binding.position, &key)
    if let fingerprint = standing.fingerprint {
      guard binding.allows(fingerprint: fingerprint) else { throw .rolledBack(.attempts) }
    }
    return standing.position
  }

  /// Reads and opens the record.
  public func kept(for account: Account) throws(FactorStoreError) -> FactorRecord? {
    let name = try Self.fileName(of: account)
    let factors = try factors()
    guard let sealed = try RecordFile.read(name, in: factors, owner: owner) else { return nil }
    var key = try key()
    return try sealed.open(&key, account: account)
  }

  /// Digests under the key in /etc/mfa, bound to the user and the record.
  public func digests(
    of places: [Place], in record: FactorRecord
  ) throws(FactorStoreError) -> [PlaceDigest] {
    var key = try key()
    return try key.digests(of: places, in: record)
  }

  /// Opens and locks the user's attempts file, waiting ten seconds at most, and reads both files.
  ///
  /// - Throws: `.rolledBack` when a later change of the user's was undone in the files.
  public func entry(
    of account: Account, creating: Bool
  ) throws(FactorStoreError) -> LocalFactorStoreEntry {
    try LocalFactorStoreEntry(
      account: account, store: self, creating: creating, isVerified: true)
  }

  /// Opens the user's place as `entry(of:creating:)` does, also when the files are older than the audit
  /// log or the log cannot be read: for an administrator, who decides what to do about it.
  public func unverifiedEntry(
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

  /// Hands each file in the store to `body`, in no order, until it returns false: the user whose
  /// record it is by its name, or nil where the name is none that this store would give.
  public func forEachFile(
    _ body: (_ user: UserName?, _ file: FileName) -> Bool
  ) throws(FactorStoreError) {
    let directory = try factors()
    try onPart(.factors) { () throws(SystemError) in
      try directory.opened.forEachEntry { name in
        body(name.percentDecoded.flatMap { UserName($0) }, name)
      }
    }
  }

  // MARK: For administrators

  /// A way to read many users' records one after the other: see `LocalFactorStoreReader`.
  public func reader() throws(FactorStoreError) -> LocalFactorStoreReader {
    LocalFactorStoreReader(
      store: self, factors: try factors(), attempts: try attempts(),
      owner: owner, key: try key())
  }

  /// What was discarded.
  public enum Discarding: Equatable, Sendable {
    /// There was nothing.
    case nothing
    /// What was there was removed; with the mark of the entry in the audit log, when there is one.
    case removed(LedgerMark?)
  }

  /// Removes what is stored as a user's record, whatever it is: damaged, another's, or of an account
  /// that no longer exists. Where the files are gone and the audit log knows a record of the account's, the
  /// log is told that it was removed. Everybody who wants to enroll or to sign in as the user waits meanwhile.
  ///
  /// The attempts file stays, for it is the lock; one that is not believed is replaced by a fresh
  /// one, so that the user can enroll again.
  ///
  /// Without an event, nothing is entered in the audit log: for an administrator, when the log cannot
  /// be written.
  public func discard(
    user: UserName, account: Account?, entering event: LedgerEvent?
  ) throws(FactorStoreError) -> Discarding {
    guard let name = FileName(percentEncoding: user.bytes) else { throw .nameTooLong }
    let section = try onPart(.attempts) { () throws(SystemError) in try UninterruptedSection() }
    let hasRecord = Self.exists(name, in: try factors())
    let hasAttempts = Self.exists(name, in: try attempts())
    // Without an event the audit log cannot be used, not even to be asked.
    let isMissing = event == nil ? false : try isMissing(account)
    guard hasRecord || hasAttempts || isMissing else { return .nothing }
    let attempts = AttemptsFile(
      directory: try attempts(), name: name, owner: owner)
    let locked = try attempts.lockReplacingDistrusted { () throws(FactorStoreError) in
      try self.key()
    }
    var key = try key()
    let bytes = try onPart(.attempts) { () throws(SystemError) in
      try locked.file.read(count: AttemptSlots.length)
    }
    var slots = try AttemptSlots(bytes: bytes, &key)
    // Asked again under the lock. Without a record, an attempt state that names one was left by a call that was
    // interrupted, and denies every sign-in.
    let isLeft = slots.state?.binding?.namesRecord ?? false
    guard Self.exists(name, in: try factors()) || locked.wasReplaced || isLeft || isMissing else {
      return .nothing
    }
    var mark: LedgerMark?
    if let event { mark = try enter(event, LedgerSubject(user: user), &key).mark }
    let recordFile = RecordFile(directory: try factors(), name: name, owner: owner)
    try recordFile.removeEverything()
    // A state that goes with no record.
    try slots.write(AttemptState(record: .zero, binding: RecordBinding()), to: locked.file, &key)
    try onPart(.attempts) { () throws(SystemError) in try locked.file.syncData() }
    // The lock ends with the open file, which has to live until here.
    withExtendedLifetime(locked) {}
    _ = consume section
    return .removed(mark)
  }

  /// Whether the audit log knows a record of an account's that is gone.
  private func isMissing(_ account: Account?) throws(FactorStoreError) -> Bool {
    guard let account else { return false }
    guard try !Self.exists(Self.fileName(of: account), in: factors()) else { return false }
    var key = try key()
    let standing = try ledger().standing(of: account.name, uid: account.uid, since: .none, &key)
    return standing.fingerprint ?? 0 != 0
  }

  /// Moves the files of the audit log aside, so that the next entry begins another one. Their names get a
  /// full stop and `suffix` behind them; returns the new names.
  public func moveLedgerAside(suffix: [UInt8]) throws(FactorStoreError) -> [[UInt8]] {
    let section = try onPart(.ledgerHead) { () throws(SystemError) in try UninterruptedSection() }
    let moved = try ledger().moveAside(suffix: suffix)
    _ = consume section
    return moved
  }

  // MARK: The ledger

  /// Enters what is about to happen to a user's record in the audit log.
  func enter(
    _ event: LedgerEvent, _ subject: LedgerSubject, _ key: inout SealingKey
  ) throws(FactorStoreError) -> Ledger.Entered {
    try ledger().enter(event, about: subject, &key)
  }

  /// Has the audit log take over what an interrupted process left.
  func settleLedger(
    patience seconds: Int64, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    try ledger().settle(patience: seconds, &key)
  }

  private func ledger() throws(FactorStoreError) -> Ledger {
    try Ledger(in: directory, owner: owner)
  }

  /// Enters what is about to happen to something other than a user's record.
  public func enter(_ event: LedgerEvent) throws(FactorStoreError) -> LedgerMark {
    var key = try key()
    return try enter(event, LedgerSubject(), &key).mark
  }

  /// Reads the ledger's head, without its lock.
  public func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    try ledger().knows(configuration: configuration)
  }

  /// Asks again under the ledger's lock.
  public func enter(
    _ event: LedgerEvent, configuration: UInt64
  ) throws(FactorStoreError) -> LedgerMark? {
    var key = try key()
    let section = try onPart(.ledgerHead) { () throws(SystemError) in try UninterruptedSection() }
    let mark = try ledger().enter(event, configuration: configuration, &key)
    _ = consume section
    return mark
  }

  /// Goes through the ledger: hands each line to `body`, and tells what is wrong with it. Nobody can
  /// change a factor meanwhile.
  public func inspectLedger(
    _ body: (LedgerReading.Line) -> Void
  ) throws(FactorStoreError) -> LedgerReading {
    var key = try key()
    let section = try onPart(.ledgerHead) { () throws(SystemError) in try UninterruptedSection() }
    let reading = try ledger().inspect(&key, body)
    _ = consume section
    return reading
  }

  /// What the ledger calls the record that is there for an account now; empty where there is none.
  public func fingerprint(of account: Account) throws(FactorStoreError) -> [UInt8] {
    let name = try Self.fileName(of: account)
    let recordFile = RecordFile(directory: try factors(), name: name, owner: owner)
    guard let sealed = try recordFile.read() else { return [] }
    var key = try key()
    guard let record = try sealed.open(&key, account: account) else { return [] }
    return try Self.fingerprint(of: record, &key)
  }

  /// What tells a record from every other, and from what it was before, as the ledger has it: which of
  /// its notices were mailed makes no difference.
  static func fingerprint(
    of record: FactorRecord, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    let encoded = record.encodedForLedger()
    let checksum = try cryptographic { () throws(CryptographyError) in
      try key.checksum(of: encoded, purpose: fingerprintPurpose)
    }
    return Array(checksum.prefix(fingerprintLength))
  }

  /// Returns a record's fingerprint as a number.
  static func fingerprintNumber(
    of record: FactorRecord, _ key: inout SealingKey
  ) throws(FactorStoreError) -> UInt64 {
    let bytes = try fingerprint(of: record, &key)
    var reader = ByteReader(bytes.span)
    return reader.read(UInt64.self) ?? 0
  }

  /// What `SealingKey.checksum` is told a record's fingerprint is for.
  private static let fingerprintPurpose: UInt8 = 6
  /// The length of a record's fingerprint in bytes.
  private static let fingerprintLength = 8

  // MARK: Parts

  /// Whether anything has the name, even what cannot be opened.
  private static func exists(_ name: FileName, in directory: StoreDirectory) -> Bool {
    do throws(SystemError) {
      _ = try directory.opened.fileForReading(name)
      return true
    } catch {
      return !error.isNotFound
    }
  }

  /// Reads the key.
  func key() throws(FactorStoreError) -> SealingKey {
    let file = if let keyFile { keyFile } else { try KeyFile(keyPath) }
    keyFile = file
    return try SealingKey(file, storeOwner: owner)
  }

  private func factors() throws(FactorStoreError) -> StoreDirectory {
    if let factorsDirectory { return factorsDirectory }
    let opened = try StoreDirectory("factors", in: directory.opened, owner: owner, .factors)
    factorsDirectory = opened
    return opened
  }

  private func attempts() throws(FactorStoreError) -> StoreDirectory {
    if let attemptsDirectory { return attemptsDirectory }
    let opened = try StoreDirectory("attempts", in: directory.opened, owner: owner, .attempts)
    attemptsDirectory = opened
    return opened
  }

  private static func fileName(of account: Account) throws(FactorStoreError) -> FileName {
    guard let name = FileName(percentEncoding: account.name) else { throw .nameTooLong }
    return name
  }
}
