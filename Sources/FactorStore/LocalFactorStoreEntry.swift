public import Factors
public import OneTimePassword
public import Secrets
import System

/// One user's place in the local store.
public final class LocalFactorStoreEntry: FactorStoreEntry {
  private let account: Account
  private let store: LocalFactorStore
  private let recordFile: RecordFile
  /// The open attempts file holds the lock until it is closed.
  private let attemptsFile: File
  private var key: SealingKey
  private var slots: AttemptSlots

  /// The record, as it was read under the lock or written since.
  public private(set) var kept: FactorRecord?
  /// The attempt state, as it was read under the lock or written since.
  public private(set) var attempts: AttemptState

  init(
    account: Account, store: LocalFactorStore, recordFile: consuming RecordFile,
    attemptsFile: consuming AttemptsFile,
    key: () throws(FactorStoreError) -> SealingKey, creating: Bool
  ) throws(FactorStoreError) {
    let locked = try attemptsFile.lock(creating: creating)
    // Only now: for somebody of whom nothing is known, no key is read and no cryptography started.
    var key = try key()
    // Read under the lock: what was read before it may have changed.
    let record: FactorRecord?
    if let sealed = try recordFile.read() {
      record = try sealed.open(&key, account: account)
    } else {
      record = nil
    }
    let bytes = try onPart(.attempts) { () throws(SystemError) in
      try locked.read(count: AttemptSlots.length)
    }
    slots = try AttemptSlots(bytes: bytes, &key)
    attempts = try Self.state(of: record, slots.state)
    kept = record
    self.account = account
    self.store = store
    self.recordFile = recordFile
    self.attemptsFile = locked
    self.key = key
  }

  /// A record without its own attempt state is not believed: its failures and watermarks are lost.
  private static func state(
    of record: FactorRecord?, _ stored: AttemptState?
  ) throws(FactorStoreError) -> AttemptState {
    guard let record else {
      let nobody = FactorID.zero
      guard let stored, stored.record == nobody else { return AttemptState(record: nobody) }
      return stored
    }
    guard let stored, stored.record == record.id else { throw .damaged(.attempts) }
    return stored
  }

  /// Opens a factor's sealed secret. What does not open was damaged.
  public func secret(of factor: Factor) throws(FactorStoreError) -> SecretBytes {
    guard let record = kept else { throw .damaged(.record) }
    switch factor.kind {
    case .totp(let parameters, let sealedSecret):
      let associated = record.associatedData(factor: factor.id, parameters: parameters)
      let opened = try cryptographic { () throws(CryptographyError) in
        try key.open(sealedSecret, associated: associated)
      }
      guard let opened else { throw .damaged(.record) }
      return opened
    }
  }

  /// Seals a secret under the key in /etc/mfa.
  public func seal(
    _ secret: Span<UInt8>, for factor: FactorID, parameters: TOTPParameters, in record: FactorRecord
  ) throws(FactorStoreError) -> [UInt8] {
    let associated = record.associatedData(factor: factor, parameters: parameters)
    return try cryptographic { () throws(CryptographyError) in
      try key.seal(secret, associated: associated)
    }
  }

  /// A keyed digest of the code, bound to the user and the record.
  public func digest(
    of recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind, in record: FactorRecord
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    let bytes = try cryptographic { () throws(CryptographyError) in
      try key.digest(
        of: recoveryCode, context: [kind.rawValue] + record.recoveryCodeContext())
    }
    guard let digest = RecoveryCodeDigest(kind: kind, bytes: bytes) else { throw .cryptography }
    return digest
  }

  /// Digests under the key in /etc/mfa, bound to the user and the record.
  public func digests(
    of places: [Place], in record: FactorRecord
  ) throws(FactorStoreError) -> [PlaceDigest] {
    try key.digests(of: places, in: record)
  }

  /// Writes to the slot that is not on the disk.
  public func write(_ attempts: AttemptState) throws(FactorStoreError) {
    try slots.write(attempts, to: attemptsFile, &key)
    self.attempts = attempts
  }

  /// Waits for the slot, with one `fdatasync`.
  public func sync() throws(FactorStoreError) {
    try onPart(.attempts) { () throws(SystemError) in try attemptsFile.syncData() }
    slots.synced()
  }

  /// Enters the event, writes the attempt state, then renames a new record into place; or takes the
  /// record away.
  public func replace(
    record: FactorRecord, attempts: AttemptState, entering event: LedgerEvent?
  ) throws(FactorStoreError) -> LedgerMark? {
    let sealed = try cryptographic { () throws(CryptographyError) in
      try SealedRecord(record, &key)
    }
    guard sealed.bytes.count <= SealedRecord.maximumLength else {
      throw .untrusted(.record, .tooLarge)
    }
    let mark = try event.map { event throws(FactorStoreError) in
      try enter(event, record)
    }
    guard !record.isVacant else {
      try recordFile.remove()
      kept = nil
      self.attempts = AttemptState(record: FactorID.zero)
      return mark
    }
    // The state first: watermarks of a factor that is not there yet do no harm, while a factor
    // without its watermark accepts nothing.
    try write(attempts)
    try sync()
    try recordFile.replace(with: sealed)
    kept = record
    return mark
  }

  /// Enters the event, then writes an attempt state down, durably: for what changes no record.
  public func write(
    _ attempts: AttemptState, entering event: LedgerEvent
  ) throws(FactorStoreError) -> LedgerMark {
    let mark = try enter(event, kept)
    try write(attempts)
    try sync()
    return mark
  }

  @inline(never)
  private func enter(
    _ event: LedgerEvent, _ record: FactorRecord?
  ) throws(FactorStoreError) -> LedgerMark {
    guard let user = UserName(account.name) else { throw .nameTooLong }
    var fingerprint: [UInt8] = []
    if let record, !record.isVacant {
      fingerprint = try LocalFactorStore.fingerprint(of: record, &key)
    }
    return try store.enter(event, user: user, uid: account.uid, record: fingerprint, &key)
  }
}
