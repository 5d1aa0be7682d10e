public import FactorStore
public import Factors
public import OneTimePassword
public import Secrets
public import System

/// A store in memory that writes down what it was asked to do, in order, and fails when it is told to.
public final class MemoryStore: FactorStore, @unchecked Sendable {
  /// What was done.
  public enum Step: Equatable, Sendable {
    case knows, enterConfiguration, snapshot, lock, secret, digest, write(failures: UInt32), sync,
      replace, unlock, imitateAttempt, imitateSnapshot
  }

  /// What was done, in order.
  public var steps: [Step] = []
  /// The record.
  public var record: FactorRecord?
  /// The attempt state.
  public var attempts = AttemptState(record: .zero)
  /// The step that fails, with what.
  public var failure: (step: Step, error: FactorStoreError)?
  /// What was entered in the ledger, in order.
  public internal(set) var events: [LedgerEvent] = []
  /// Whether it is of interest which configuration was entered last.
  public var followsConfigurations = false
  /// The fingerprint of the configuration that was entered last.
  public var configuration: UInt64?
  /// Whether there is a place for the user, with or without a record.
  public private(set) var hasPlace = false
  /// What somebody else does while the lock is waited for.
  public var beforeLock: () -> Void = {}
  /// What somebody else does after each reading without the lock.
  public var afterReading: () -> Void = {}
  /// Whether somebody holds the lock.
  public internal(set) var isLocked = false
  var secrets: [[UInt8]: [UInt8]] = [:]

  /// An empty store.
  public init() {}

  /// Enrols a factor with a known secret; nothing of it was accepted yet.
  public func enroll(
    _ name: String, secret: [UInt8], for account: Account,
    parameters: TOTPParameters = .standard
  ) throws -> Factor {
    guard let user = UserName(account.name), let id = FactorID(bytes: try randomBytes(count: 16))
    else { throw FactorStoreError.nameTooLong }
    var record = record ?? FactorRecord(user: user, uid: account.uid, id: id)
    let factor = Factor(
      id: id, displayName: try DisplayName(Array(name.utf8)), enrolledAt: 0,
      kind: .totp(parameters, sealedSecret: secret))
    if attempts.record != record.id { attempts = AttemptState(record: record.id) }
    try record.add(factor)
    attempts = attempts.adding(id, confirmedAt: -1)
    self.record = record
    return factor
  }

  /// Gives the user these recovery codes.
  public func keep(
    recoveryCodes: [(bytes: [UInt8], kind: RecoveryCodeDigest.Kind)]
  ) throws(FactorStoreError) {
    guard var record else { throw .damaged(.record) }
    var digests: [RecoveryCodeDigest] = []
    for code in recoveryCodes {
      digests.append(try Self.digest(of: code.bytes.span, kind: code.kind))
    }
    record.setRecoveryCodes(digests)
    self.record = record
  }

  /// Gives the user a code of an administrator's: ten bytes, good from `madeAt` for `seconds`.
  public func grant(
    _ kind: Grant.Kind, _ code: [UInt8], to account: Account, madeAt: Int64, seconds: Int64 = 1800,
    uses: UInt8 = 1
  ) throws -> GrantID {
    guard let user = UserName(account.name), let id = GrantID(bytes: try randomBytes(count: 4)),
      let newID = FactorID(bytes: try randomBytes(count: 16))
    else { throw FactorStoreError.nameTooLong }
    var record = record ?? FactorRecord(user: user, uid: account.uid, id: newID)
    let digest = try Self.digest(
      of: code.span, kind: kind == .ticket ? RecoveryCodeDigest.Kind.ticket : .bypass)
    guard
      let grant = Grant(
        kind: kind, id: id, madeAt: madeAt, expiresAt: madeAt + seconds, usesLeft: uses,
        reason: try Grant.Reason(Array("phone lost".utf8)), digest: digest.bytes),
      record.add(grant)
    else { throw FactorStoreError.damaged(.record) }
    if attempts.record != record.id { attempts = AttemptState(record: record.id) }
    hasPlace = true
    self.record = record
    return id
  }

  static func digest(
    of recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    var bytes = [UInt8](repeating: kind.rawValue, count: RecoveryCodeDigest.length)
    for index in recoveryCode.indices { bytes[index] = recoveryCode[index] }
    guard let digest = RecoveryCodeDigest(kind: kind, bytes: bytes) else { throw .cryptography }
    return digest
  }

  func note(_ step: Step) throws(FactorStoreError) {
    steps.append(step)
    if let failure, failure.step == step { throw failure.error }
  }

  /// What is there.
  public func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    try note(.snapshot)
    defer { afterReading() }
    guard let record, record.isEnrolled, record.user.bytes == account.name else { return nil }
    return FactorSnapshot(record: record, attempts: attempts)
  }

  /// Counts it.
  public func imitateSnapshot() throws(FactorStoreError) { try note(.imitateSnapshot) }

  /// Fails where it is told to.
  public func imitateAttempt(
    _ code: Code, now: Int64, adjacentIntervals: UInt8
  ) throws(FactorStoreError) { try note(.imitateAttempt) }

  /// What is there, with a factor or without.
  public func kept(for account: Account) throws(FactorStoreError) -> FactorRecord? {
    try note(.snapshot)
    defer { afterReading() }
    guard let record, record.user.bytes == account.name else { return nil }
    return record
  }

  /// Digests that anybody could make (FNV-1a): nothing is hidden here.
  public func digests(
    of places: [Place], in record: FactorRecord
  ) throws(FactorStoreError) -> [PlaceDigest] {
    places.map { place in
      let hash = place.identity.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      return PlaceDigest(place.kind, hash)
    }
  }

  /// Whether it was the last; true where that is of no interest.
  public func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    guard followsConfigurations else { return true }
    try note(.knows)
    return self.configuration == configuration
  }

  /// Keeps the event.
  public func enter(
    _ event: LedgerEvent, configuration: UInt64
  ) throws(FactorStoreError) -> LedgerMark? {
    try note(.enterConfiguration)
    self.configuration = configuration
    events.append(event)
    return LedgerMark(Array("\(events.count):00c0ffee".utf8))
  }

  /// The one place there is.
  public func entry(
    of account: Account, creating: Bool
  ) throws(FactorStoreError) -> MemoryStoreEntry {
    try note(.lock)
    beforeLock()
    hasPlace = hasPlace || creating || record != nil
    // ENOENT, as on a disk.
    guard hasPlace else { throw .system(.attempts, SystemError(.open, number: 2)) }
    isLocked = true
    return MemoryStoreEntry(self)
  }
}

/// The place in a store in memory.
public final class MemoryStoreEntry: FactorStoreEntry {
  private let store: MemoryStore

  init(_ store: MemoryStore) { self.store = store }

  deinit {
    store.isLocked = false
    store.steps.append(.unlock)
  }

  /// What is there.
  public var kept: FactorRecord? { store.record }
  /// What is there.
  public var attempts: AttemptState { store.attempts }

  /// The secret, which is not sealed here.
  public func secret(of factor: Factor) throws(FactorStoreError) -> SecretBytes {
    try store.note(.secret)
    switch factor.kind {
    case .totp(_, let sealedSecret): return SecretBytes(copying: sealedSecret.span)
    }
  }

  /// The secret as it is.
  public func seal(
    _ secret: Span<UInt8>, for factor: FactorID, parameters: TOTPParameters, in record: FactorRecord
  ) throws(FactorStoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in secret.indices { bytes.append(secret[index]) }
    return bytes
  }

  /// The code itself, filled up to the length of a digest: nothing is hidden here.
  public func digest(
    of recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind, in record: FactorRecord
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    try store.note(.digest)
    return try MemoryStore.digest(of: recoveryCode, kind: kind)
  }

  /// As the store has it.
  public func digests(
    of places: [Place], in record: FactorRecord
  ) throws(FactorStoreError) -> [PlaceDigest] {
    try store.digests(of: places, in: record)
  }

  /// Keeps the state.
  public func write(_ attempts: AttemptState) throws(FactorStoreError) {
    try store.note(.write(failures: attempts.failures))
    store.attempts = attempts
  }

  /// Keeps both.
  public func write(
    _ attempts: AttemptState, entering event: LedgerEvent
  ) throws(FactorStoreError) -> LedgerMark {
    try write(attempts)
    try sync()
    store.record?.beginGeneration()
    store.events.append(event)
    guard let mark = LedgerMark(Array("\(store.events.count):00c0ffee".utf8)) else {
      throw .damaged(.ledger)
    }
    return mark
  }

  /// Does nothing.
  public func sync() throws(FactorStoreError) { try store.note(.sync) }

  /// Keeps both.
  public func replace(
    record: FactorRecord, attempts: AttemptState, entering event: LedgerEvent?
  ) throws(FactorStoreError) -> LedgerMark? {
    try store.note(.replace)
    var record = record
    if event != nil { record.beginGeneration() }
    store.record = record.isVacant ? nil : record
    store.attempts = attempts
    guard let event else { return nil }
    store.events.append(event)
    return LedgerMark(Array("\(store.events.count):00c0ffee".utf8))
  }
}
