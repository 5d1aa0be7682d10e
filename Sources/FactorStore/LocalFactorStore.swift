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
  public init(_ location: StoreLocation) throws(FactorStoreError) {
    let path = location.directory
    try path.checkParents(of: .directory)
    let opened = try onPart(.directory) { () throws(SystemError) in try path.lastDirectory() }
    owner = try StoreDirectory.owner(of: opened, .directory)
    directory = StoreDirectory(judged: opened)
    keyPath = location.key
  }

  /// The numeric identity that everything in the store belongs to.
  public var ownerIdentity: UInt32 { owner }

  /// Reads both files without the lock; if they do not belong together, once more with it.
  public func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    let name = try Self.fileName(of: account)
    let recordFile = RecordFile(directory: try factors(), name: name, owner: owner)
    guard let sealed = try recordFile.read() else { return nil }
    var key = try key()
    guard let record = try sealed.open(&key, account: account), record.isEnrolled else {
      return nil
    }
    let attemptsFile = AttemptsFile(
      directory: try attempts(), name: name, owner: owner)
    let slots = try AttemptSlots(bytes: try attemptsFile.read(), &key)
    if let attempts = slots.state, attempts.record == record.id {
      return FactorSnapshot(record: record, attempts: attempts)
    }
    // Damaged, or changed between the two reads: the lock tells which.
    let entry = try entry(of: account, creating: false)
    guard let record = entry.record else { return nil }
    return FactorSnapshot(record: record, attempts: entry.attempts)
  }

  /// Digests under the key in /etc/mfa, bound to the user and the record.
  public func digests(
    of places: [Place], in record: FactorRecord
  ) throws(FactorStoreError) -> [PlaceDigest] {
    var key = try key()
    return try key.digests(of: places, in: record)
  }

  /// Opens and locks the user's attempts file, for at most ten seconds' wait, and reads both files.
  public func entry(
    of account: Account, creating: Bool
  ) throws(FactorStoreError) -> LocalFactorStoreEntry {
    let name = try Self.fileName(of: account)
    return try LocalFactorStoreEntry(
      account: account, store: self,
      recordFile: RecordFile(directory: try factors(), name: name, owner: owner),
      attemptsFile: AttemptsFile(
        directory: try attempts(), name: name, owner: owner),
      key: { () throws(FactorStoreError) in try key() }, creating: creating)
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

  /// Removes what is stored as a user's record, whatever it is: damaged, another's, or of an account
  /// that no longer exists. Everybody who wants to enroll or to sign in as the user waits meanwhile.
  ///
  /// The attempts file stays, for it is the lock; one that is not believed is replaced by a fresh
  /// one, so that the user can enroll again.
  ///
  /// - Returns: the mark of the ledger's entry; nil when there was nothing to remove.
  public func discard(
    user: UserName, entering event: LedgerEvent
  ) throws(FactorStoreError) -> LedgerMark? {
    guard let name = FileName(percentEncoding: user.bytes) else { throw .nameTooLong }
    let hasRecord = Self.exists(name, in: try factors())
    let hasAttempts = Self.exists(name, in: try attempts())
    guard hasRecord || hasAttempts else { return nil }
    let attempts = AttemptsFile(
      directory: try attempts(), name: name, owner: owner)
    let locked = try attempts.lockReplacingDistrusted()
    // Asked again under the lock.
    guard Self.exists(name, in: try factors()) || locked.wasReplaced else { return nil }
    var key = try key()
    let mark = try enter(event, user: user, uid: nil, record: [], &key)
    let recordFile = RecordFile(directory: try factors(), name: name, owner: owner)
    try recordFile.removeEverything()
    // The lock ends with the open file, which has to live until here.
    withExtendedLifetime(locked) {}
    return mark
  }

  // MARK: The ledger

  /// Enters what is about to happen to a user's record in the ledger: `record` is the fingerprint of
  /// what it will be, empty where there will be none.
  func enter(
    _ event: LedgerEvent, user: UserName?, uid: UInt32?, record: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> LedgerMark {
    try Ledger(in: directory, owner: owner)
      .enter(event, user: user, uid: uid, record: record, &key)
  }

  /// Enters what is about to happen to something else than a user's record.
  public func enter(_ event: LedgerEvent) throws(FactorStoreError) -> LedgerMark {
    var key = try key()
    return try enter(event, user: nil, uid: nil, record: [], &key)
  }

  /// Reads the ledger's head, without its lock.
  public func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    try Ledger(in: directory, owner: owner).knows(configuration: configuration)
  }

  /// Asks again under the ledger's lock.
  public func enter(
    _ event: LedgerEvent, configuration: UInt64
  ) throws(FactorStoreError) -> LedgerMark? {
    var key = try key()
    return try Ledger(in: directory, owner: owner)
      .enter(event, configuration: configuration, &key)
  }

  /// Goes through the ledger: hands each line to `body`, and tells what is wrong with it. Nobody can
  /// change a factor meanwhile.
  public func inspectLedger(
    _ body: (LedgerReading.Line) -> Void
  ) throws(FactorStoreError) -> LedgerReading {
    var key = try key()
    return try Ledger(in: directory, owner: owner).inspect(&key, body)
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
  private func key() throws(FactorStoreError) -> SealingKey {
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
