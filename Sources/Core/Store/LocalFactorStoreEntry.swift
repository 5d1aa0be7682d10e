import MFABase
import MFACrypto
import MFAModel

/// Exclusive access to one user's data in the local store.
package final class LocalFactorStoreEntry: FactorStoreEntry {
  /// The account of this host.
  package var owner: Account { account }
  private var account: Account
  private let store: LocalFactorStore
  private let recordFile: RecordFile
  /// The open attempts file, which holds the lock until it is closed; nil for a decoy.
  private let attemptsFile: File?
  private var isDecoy: Bool {
    switch attemptsFile {
    case .some: false
    case .none: true
    }
  }
  /// Declared after the file, so that the section ends after the lock is released.
  private let section: UninterruptedSection
  private var key: SealingKey
  private var slots: AttemptSlots
  /// The `RecordBinding.Identity.checksum` of `kept`.
  private var identity: UInt64

  /// The record as it was read under the lock or written since.
  package private(set) var kept: FactorRecord?
  /// The attempt state as it was read under the lock or written since.
  package private(set) var attempts: AttemptState
  /// Whether the record and the attempt state belong together. This is always true if the files
  /// were checked against the audit log when they were opened.
  package let isWhole: Bool
  /// Whether the files were checked against the audit log.
  private let isVerified: Bool

  /// Opens and locks the data of `account`. If `isVerified`, files that are older than the audit
  /// log requires, and an unreadable audit log, are refused.
  ///
  /// Embedded Swift leaks an object whose designated initialiser throws. This convenience
  /// initialiser throws before the object exists.
  convenience init(
    account: Account, store: LocalFactorStore, creating: Bool, isVerified: Bool
  ) throws(FactorStoreError) {
    let section = try onPart(.attempts) { () throws(SystemError) in try UninterruptedSection() }
    let recordFile = try store.recordFile(of: account)
    let locked = try store.attemptsFile(of: account).lock(creating: creating)
    // The key is read only after the lock is taken. Taking the lock fails for a user without data;
    // no key is then read and no cryptography is initialised.
    var key = try store.key()
    // Read again under the lock, because data read earlier may have changed.
    let bytes = try onPart(.attempts) { () throws(SystemError) in
      try locked.read(count: AttemptSlots.length)
    }
    let pair = try StoredPair(try recordFile.read(), bytes, account, &key)
    var attempts = try Self.state(of: pair, isVerified: isVerified)
    if isVerified {
      let position = try store.verify(pair, account, &key)
      attempts.binding?.position = position
    }
    let slots = if let slots = pair.slots { slots } else { try AttemptSlots(bytes: bytes, &key) }
    self.init(
      account, store, recordFile, Lock(file: locked, section: section), key: key, slots: slots,
      pair: pair, attempts: attempts, isVerified: isVerified)
  }

  /// Makes an entry of no account. Nothing of it is written.
  ///
  /// MUST: authenticating what was made takes as long as verifying what was read. (`EndToEnd.Timing`)
  convenience init(
    decoyIn store: LocalFactorStore, like record: FactorRecord?
  ) throws(FactorStoreError) {
    let section = try onPart(.attempts) { () throws(SystemError) in try UninterruptedSection() }
    let recordFile = try store.recordFile(of: .nobody)
    var key = try store.key()
    let decoy = try FactorSnapshot(decoyLike: record)
    try cryptographic { () throws(SystemError) in
      try SealedRecord.imitateOpening(decoy.record, &key)
    }
    let slots = try AttemptSlots(decoy: decoy.attempts, &key)
    self.init(
      .nobody, store, recordFile, Lock(file: nil, section: section), key: key, slots: slots,
      pair: StoredPair(decoy.record, slots, identity: 0),
      attempts: decoy.attempts, isVerified: false)
  }

  /// The open attempts file, and the section that ends after it.
  private struct Lock: ~Copyable {
    let file: File?
    let section: UninterruptedSection
  }

  private init(
    _ account: Account, _ store: LocalFactorStore, _ recordFile: consuming RecordFile,
    _ lock: consuming Lock, key: consuming SealingKey, slots: AttemptSlots, pair: StoredPair,
    attempts: AttemptState, isVerified: Bool
  ) {
    self.account = account
    self.store = store
    self.recordFile = recordFile
    attemptsFile = lock.file
    section = lock.section
    kept = pair.record
    identity = pair.identity
    isWhole = pair.isWhole
    self.key = key
    self.slots = slots
    self.attempts = attempts
    self.isVerified = isVerified
  }

  /// Returns the attempt state to continue with. A record without a matching attempt state is
  /// refused, because its failures and watermarks are lost.
  private static func state(
    of pair: StoredPair, isVerified: Bool
  ) throws(FactorStoreError) -> AttemptState {
    guard pair.isWhole || (!isVerified && pair.state != nil) else {
      guard let state = pair.state, state.binding != nil else { throw .damaged(.attempts) }
      throw .rolledBack(pair.record == nil ? .record : .attempts)
    }
    if pair.record != nil, let state = pair.state { return state }
    guard let state = pair.state else { return AttemptState(record: .zero) }
    return state.binding == nil && state.record != .zero ? AttemptState(record: .zero) : state
  }

  /// Opens a factor's sealed secret or phone number. What does not open is damaged.
  package func secret(of factor: Factor) throws(FactorStoreError) -> SecretBytes {
    guard let record = kept else { throw .damaged(.record) }
    guard !isDecoy else { return record.decoySecret(of: factor, &key) }
    return try record.secret(of: factor, &key)
  }

  /// Seals a secret or a phone number under the key in /etc/mfa.
  package func seal(
    _ secret: Span<UInt8>, for factor: FactorID, parameters: TOTPParameters?,
    in record: FactorRecord
  ) throws(FactorStoreError) -> [UInt8] {
    try record.seal(secret, for: factor, parameters: parameters, &key)
  }

  /// Computes a keyed digest of the code, bound to the user and the record.
  package func digest(
    of recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind, in record: FactorRecord
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    // The codes of a user who was renamed are bound to the earlier name.
    try record.digest(ofImported: recoveryCode, kind: kind, &key)
  }

  /// Returns the digests of the stored record's recovery codes for the store of a realm. The keys verify the
  /// digests of every user of this store.
  package func portableDigests() throws(FactorStoreError) -> FactorRecord.PortableDigests {
    guard let record = kept else { throw .damaged(.record) }
    return try record.portableDigests(&key)
  }

  /// Computes a keyed digest of the digits, bound to the user and the record.
  package func digest(
    ofTyped code: Code, in record: FactorRecord
  ) throws(FactorStoreError) -> UInt64 {
    try record.digest(ofTyped: code, &key)
  }

  /// Computes a keyed digest of the digits, bound to the user, the record, the factor and the
  /// session.
  package func digest(
    ofSent code: Code, to factor: FactorID, for session: SignInOrigin, in record: FactorRecord
  ) throws(FactorStoreError) -> UInt64 {
    try record.digest(ofSent: code, to: factor, for: session, &key)
  }

  /// Computes digests with the key in /etc/mfa, bound to the user and the record.
  package func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    try key.digests(of: places, in: record)
  }

  /// Writes to the free slot. The state's binding to the record does not change.
  package func write(_ attempts: AttemptState) throws(FactorStoreError) {
    var attempts = attempts
    attempts.binding = self.attempts.binding
    try put(attempts)
  }

  private func put(_ attempts: AttemptState) throws(FactorStoreError) {
    switch attemptsFile {
    case .some(let file): try slots.write(attempts, to: file, &key)
    case .none: _ = try slots.next(attempts, &key)
    }
    self.attempts = attempts
  }

  /// Waits until the slot is on the disk, with one `fdatasync`.
  package func sync() throws(FactorStoreError) {
    switch attemptsFile {
    case .some(let file): try onPart(.attempts) { () throws(SystemError) in try file.syncData() }
    case .none: return
    }
    slots.synced()
    store.advanceIdentity(key)
  }

  /// Writes the new record under a temporary name and the attempt state with the pending change,
  /// records the event, renames the new record into place or removes the old one, and writes the
  /// attempt state of the new record.
  ///
  /// After an interruption at any point, the attempt state belongs to the record that exists then.
  package func replace(
    record: FactorRecord, attempts: AttemptState, entering event: AuditLogEvent?
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    var record = record
    if event != nil { record.beginGeneration() }
    return try change(to: record, attempts, entering: event, isRecorded: true)
  }

  /// Changes the record as `replace` does, without an entry in the audit log.
  package func replaceUnrecorded(
    record: FactorRecord, attempts: AttemptState, because error: FactorStoreError
  ) throws(FactorStoreError) {
    var record = record
    record.beginGeneration()
    _ = try change(to: record, attempts, entering: nil, isRecorded: false)
  }

  /// Seals the record and the attempt state with the next key, and returns whether that was necessary.
  /// Remembered sign-ins are cleared, because their digests cannot be made again.
  ///
  /// An interruption at any point leaves a record and a state that each open with one of the two keys.
  package func reseal(entering event: AuditLogEvent) throws(FactorStoreError) -> Bool {
    var next = try store.key()
    guard let kept, next.isChanging else { return false }
    let isSealed = try cryptographic { () throws(SystemError) in
      let present = try key.identity()
      return try next.identity() == present
    }
    // A record that was written after the next key, and before its part of the log began.
    if isSealed, try store.hasEntry(of: account, &next) { return false }
    let record = isSealed ? kept : try kept.resealed(from: &key, to: &next)
    key = next
    _ = try change(
      to: record, attempts.forgetting().forgettingAnswers(), entering: event, isRecorded: true)
    return true
  }

  /// Returns a record that was sealed with another key, sealed with the key of this entry.
  func adopting(
    _ record: FactorRecord, from other: inout SealingKey
  ) throws(FactorStoreError) -> FactorRecord {
    let isSame = try cryptographic { () throws(SystemError) in
      let identity = try key.identity()
      return try other.identity() == identity
    }
    return isSame ? record : try record.resealed(from: &other, to: &key)
  }

  /// Returns the record sealed for another account of the user.
  func record(of user: UserName, uid: UInt32) throws(FactorStoreError) -> FactorRecord? {
    guard let kept else { return nil }
    return try kept.resealed(for: user, uid: uid, &key)
  }

  /// Gives the record to another uid of the user's name. Returns whether there is a record.
  ///
  /// - Throws: `.rolledBack` if the audit log lists a later record of that uid: the files are earlier copies.
  func move(
    toUID uid: UInt32, of user: UserName, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> Bool {
    guard let record = try record(of: user, uid: uid) else { return false }
    guard var binding = attempts.binding else { throw .damaged(.attempts) }
    // The log was read for the earlier uid only.
    binding.position = .none
    let next = Account(name: account.name, uid: uid)
    _ = try store.verify(binding, next, &key)
    account = next
    _ = try replace(
      record: record, attempts: attempts.forgetting().forgettingAnswers(), entering: event)
    return true
  }

  private func change(
    to record: FactorRecord, _ attempts: AttemptState, entering event: AuditLogEvent?,
    isRecorded: Bool
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    let isRemoved = record.isVacant
    let sealed = try cryptographic { () throws(SystemError) in
      try SealedRecord(record, &key)
    }
    guard sealed.bytes.count <= SealedRecord.maximumLength else {
      throw .untrusted(.record, .tooLarge)
    }
    let before = self.attempts
    var binding = try settledBinding(for: event, isRecorded: isRecorded)
    let next = try identity(of: isRemoved ? nil : record, sealed)
    binding.pending = next
    var prepared = before.preparing(for: attempts)
    prepared.binding = binding
    // Before the entry in the audit log: a change for which there is no space is not recorded.
    let draft = try recordFile.draft(isRemoved ? nil : sealed)
    let entered: AuditLog.Entered?
    do throws(FactorStoreError) {
      try put(prepared)
      try sync()
      if !isRemoved { try store.noteName(of: account) }
      // If this fails, the entry may have been written nevertheless. The state therefore keeps the
      // pending change.
      entered = try event.map { event throws(FactorStoreError) in
        try enter(event, isRemoved ? nil : record)
      }
    } catch {
      recordFile.abandon(draft)
      throw error
    }
    try recordFile.take(draft)
    kept = isRemoved ? nil : record
    identity = next.checksum
    var state = attempts
    if isRemoved { state = attempts.withoutRecord() }
    state.binding = RecordBinding(
      current: next, position: entered?.position ?? binding.position)
    try put(state)
    try sync()
    return entered?.checkpoint
  }

  /// Returns the binding to the current record, without an interrupted change.
  ///
  /// The audit log entry of an interrupted change may be missing from the log's head. The entry is
  /// adopted first, because the attempt state matches it only until another change begins.
  private func settledBinding(
    for event: AuditLogEvent?, isRecorded: Bool
  ) throws(FactorStoreError) -> RecordBinding {
    guard let binding = attempts.binding else {
      return RecordBinding(current: try currentIdentity())
    }
    var position = binding.position
    if binding.pending != nil {
      do throws(FactorStoreError) {
        try store.settleAuditLog(patience: event?.kind.patience ?? OwnedFile.patience, &key)
        if isVerified { position = try store.verify(binding, account, &key) }
      } catch {
        // A change without an audit log entry continues even if the log is unusable.
        guard !isRecorded else { throw error }
      }
    }
    let isSettled = binding.current.checksum == identity
    return RecordBinding(
      current: isSettled ? binding.current : try currentIdentity(), position: position)
  }

  private func currentIdentity() throws(FactorStoreError) -> RecordBinding.Identity {
    RecordBinding.Identity(checksum: identity, fingerprint: try fingerprint(of: kept))
  }

  private func identity(
    of record: FactorRecord?, _ sealed: SealedRecord
  ) throws(FactorStoreError) -> RecordBinding.Identity {
    guard let record else { return .none }
    return RecordBinding.Identity(
      checksum: sealed.identity, fingerprint: try fingerprint(of: record))
  }

  private func fingerprint(of record: FactorRecord?) throws(FactorStoreError) -> UInt64 {
    guard let record else { return 0 }
    return try LocalFactorStore.fingerprintNumber(of: record, &key)
  }

  /// Records the event, then writes an attempt state durably, with the next generation of the
  /// record.
  package func write(
    _ attempts: AttemptState, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> AuditLogCheckpoint {
    guard let kept else { throw .damaged(.record) }
    guard let checkpoint = try replace(record: kept, attempts: attempts, entering: event) else {
      throw .damaged(.auditLog)
    }
    return checkpoint
  }

  @inline(never)
  private func enter(
    _ event: AuditLogEvent, _ record: FactorRecord?
  ) throws(FactorStoreError) -> AuditLog.Entered {
    guard let user = UserName(account.name) else { throw .nameTooLong }
    var subject = AuditLogSubject(user: user, uid: account.uid)
    if let record { subject.record = try record.fingerprint(&key) }
    return try store.enter(event, subject, &key)
  }
}
