import MFAStore
import MFABase
import MFACrypto
import MFAModel

/// A store in memory that records its operations in order, and fails on demand.
package final class MemoryStore: FactorStore, @unchecked Sendable {
  /// A store operation.
  package enum Step: Equatable, Sendable {
    case knows, enterConfiguration, snapshot, lock, secret, digest, sentDigest,
      write(failures: UInt32), sync, replace, unlock, decoy
  }

  /// The operations so far, in order.
  package var steps: [Step] = []
  /// The operations on decoys so far, in order.
  package var onDecoys: [Step] = []
  /// The record.
  package var record: FactorRecord?
  /// The attempt state.
  package var attempts = AttemptState(record: .zero)
  /// The operation that fails, and its error.
  package var failure: (step: Step, error: FactorStoreError)?
  /// The audit log entries so far, in order.
  package internal(set) var events: [AuditLogEvent] = []
  /// Whether the store compares the configuration with the last recorded one.
  package var followsConfigurations = false
  /// The fingerprint of the last recorded configuration.
  package var configuration: UInt64?
  /// Whether the user's files exist, with or without a record.
  package private(set) var hasPlace = false
  /// Called while the store waits for the lock, to simulate another process.
  package var beforeLock: () -> Void = {}
  /// Called after each read without the lock, to simulate another process.
  package var afterReading: () -> Void = {}
  /// Plants an error: an answer that is refused as a repetition seems to be compared.
  package var comparesRepeatedAnswers = false
  /// Whether the lock is held.
  package internal(set) var isLocked = false
  var secrets: [[UInt8]: [UInt8]] = [:]

  /// Creates an empty store.
  package init() {}

  /// The key that seals continuations.
  package var continuationKey = [UInt8](repeating: 9, count: AES256GCM.keyLength)
  /// What each continuation was bound to.
  package private(set) var bindings: [[UInt8]] = []

  /// Seals a continuation.
  package func seal(
    continuation: Span<UInt8>, binding: [UInt8]
  ) throws(FactorStoreError) -> [UInt8] {
    bindings.append(binding)
    let key = continuationKey
    do throws(SystemError) {
      return try AES256GCM.seal(
        continuation, key: key.span, associated: binding.span)
    } catch {
      throw .cryptography
    }
  }

  /// Opens a continuation.
  package func open(continuation: [UInt8], binding: [UInt8]) -> SecretBytes? {
    let key = continuationKey
    return AES256GCM.open(continuation.span, key: key.span, associated: binding.span)
  }

  /// Derives a secret.
  package func enrollmentSecret(binding: [UInt8]) throws(FactorStoreError) -> SecretBytes {
    let key = continuationKey
    do throws(SystemError) {
      var derivation = try HMAC(algorithm: .sha256, key: key.span)
      return try derivation.tag(of: binding.span)
    } catch {
      throw .cryptography
    }
  }

  /// Enrols a factor with a known secret; none of its codes has been used.
  package func enroll(
    _ name: String, secret: [UInt8], for account: Account,
    parameters: TOTPParameters = .standard, enrolledAt: Int64 = 0
  ) throws -> Factor {
    guard let user = UserName(account.name), let id = FactorID(bytes: try randomBytes(count: 16)),
      let name = DisplayName(Array(name.utf8))
    else { throw FactorStoreError.nameTooLong }
    var record = record ?? FactorRecord(user: user, uid: account.uid, id: id)
    let factor = Factor(
      id: id, displayName: name, enrolledAt: enrolledAt,
      kind: .totp(parameters, sealedSecret: secret))
    if attempts.record != record.id { attempts = AttemptState(record: record.id) }
    try record.add(factor)
    attempts = attempts.adding(id, confirmedAt: -1)
    self.record = record
    return factor
  }

  /// Adds a phone that can be used from a time on, and returns its factor.
  package func enrollPhone(
    _ name: String, number: String, for account: Account, usableFrom: Int64 = 0,
    origin: Factor.Origin = .enrolled
  ) throws -> Factor {
    guard let user = UserName(account.name), let id = FactorID(bytes: try randomBytes(count: 16)),
      let name = DisplayName(Array(name.utf8))
    else { throw FactorStoreError.nameTooLong }
    var record = record ?? FactorRecord(user: user, uid: account.uid, id: id)
    let masked = try PhoneNumber(typed: Array(number.utf8).span).masked
    let factor = Factor(
      id: id, displayName: name, enrolledAt: 0,
      kind: .phone(masked, usableFrom: usableFrom, sealedNumber: Array(number.utf8)),
      origin: origin)
    if attempts.record != record.id { attempts = AttemptState(record: record.id) }
    try record.add(factor)
    attempts = attempts.adding(id, confirmedAt: 0)
    self.record = record
    hasPlace = true
    return factor
  }

  /// Stores these recovery codes for the user.
  package func keep(
    recoveryCodes: [(bytes: [UInt8], kind: RecoveryCodeDigest.Kind)]
  ) throws(FactorStoreError) {
    guard var record else { throw .damaged(.record) }
    var digests: [RecoveryCodeDigest] = []
    for code in recoveryCodes {
      digests.append(try Self.digest(of: code.bytes.span, kind: code.kind))
    }
    record.setRecoveryCodes(digests, at: 1)
    self.record = record
  }

  /// Stores a code that an administrator granted to the user: ten bytes, valid from `madeAt` for
  /// `seconds`.
  package func grant(
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
        reason: Grant.Reason(Array("phone lost".utf8)), digest: digest.bytes),
      record.add(grant)
    else { throw FactorStoreError.damaged(.record) }
    if attempts.record != record.id { attempts = AttemptState(record: record.id) }
    hasPlace = true
    self.record = record
    return id
  }

  /// Stores a program password, valid in these services and networks from `madeAt` for `seconds`. Returns it as it is
  /// typed.
  package func makeProgramPassword(
    _ name: String = "Mail", services: String = "dovecot", networks: String = "", madeAt: Int64,
    seconds: Int64 = 86_400
  ) throws -> String {
    guard var record, let id = GrantID(bytes: try randomBytes(count: 4)),
      let password = ProgramPassword(random: try SecretBytes.random(count: 13)),
      let scope = ProgramScope(services: Array(services.utf8), networks: Array(networks.utf8))
    else { throw FactorStoreError.damaged(.record) }
    let digest = try Self.digest(of: password.characters.span, kind: .programPassword)
    guard
      let grant = Grant(
        kind: .programPassword, id: id, madeAt: madeAt, expiresAt: madeAt + seconds, usesLeft: 1,
        reason: Grant.Reason(Array(name.utf8)), scope: scope, digest: digest.bytes),
      record.add(grant)
    else { throw FactorStoreError.damaged(.record) }
    self.record = record
    let written = password.written()
    return String(decoding: written.span.indices.map { written.span[$0] }, as: UTF8.self)
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

  /// Returns the user's state, or nil if the user has not enrolled.
  package func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    try note(.snapshot)
    defer { afterReading() }
    guard let record, record.isEnrolled, record.user.bytes == account.name else { return nil }
    return FactorSnapshot(record: record, attempts: attempts)
  }

  /// Returns the user's state, even when the record has no factors, or nil.
  package func keptSnapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    guard let record = try kept(for: account) else { return nil }
    return FactorSnapshot(record: record, attempts: attempts)
  }

  /// Records the operation, and returns the entry of another store in memory, whose operations are in `onDecoys`.
  package func decoy(like record: FactorRecord?) throws(FactorStoreError) -> MemoryStoreEntry {
    try note(comparesRepeatedAnswers && record != nil ? .secret : .decoy)
    let decoy = try FactorSnapshot(decoyLike: record)
    let store = MemoryStore()
    (store.record, store.attempts) = (decoy.record, decoy.attempts)
    return MemoryStoreEntry(store, .nobody, isDecoyOf: self)
  }

  /// Returns the user's stored record, even when it has no factors, or nil.
  package func kept(for account: Account) throws(FactorStoreError) -> FactorRecord? {
    try note(.snapshot)
    defer { afterReading() }
    guard let record, record.user.bytes == account.name else { return nil }
    return record
  }

  /// Returns digests without a key (FNV-1a), which hide nothing.
  package func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    places.map { place in
      let hash = place.identity.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      return SignInOriginDigest(place.kind, hash)
    }
  }

  /// Returns whether this configuration was the last one recorded, or true if configurations are
  /// not compared.
  package func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    guard followsConfigurations else { return true }
    try note(.knows)
    return self.configuration == configuration
  }

  /// Stores the audit log entry.
  package func enter(
    _ event: AuditLogEvent, configuration: UInt64
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    try note(.enterConfiguration)
    self.configuration = configuration
    events.append(event)
    return AuditLogCheckpoint(Array("\(events.count):00c0ffee".utf8))
  }

  /// Locks and returns the only entry of the store.
  package func entry(
    of account: Account, creating: Bool
  ) throws(FactorStoreError) -> MemoryStoreEntry {
    try note(.lock)
    beforeLock()
    hasPlace = hasPlace || creating || record != nil
    // ENOENT, as for a store on disk.
    guard hasPlace else { throw .system(.attempts, SystemError(.open, number: 2)) }
    isLocked = true
    return MemoryStoreEntry(self, account)
  }
}

/// The only entry of a store in memory.
package final class MemoryStoreEntry: FactorStoreEntry {
  private let store: MemoryStore
  /// The account.
  package let owner: Account
  /// The store that returned this decoy.
  private let decoyOwner: MemoryStore?

  init(_ store: MemoryStore, _ owner: Account, isDecoyOf decoyOwner: MemoryStore? = nil) {
    self.store = store
    self.owner = owner
    self.decoyOwner = decoyOwner
  }

  deinit {
    decoyOwner?.onDecoys += store.steps
    store.isLocked = false
    store.steps.append(.unlock)
  }

  /// The record.
  package var kept: FactorRecord? { store.record }
  /// The attempt state.
  package var attempts: AttemptState { store.attempts }

  /// Returns the secret, which is not sealed here.
  package func secret(of factor: Factor) throws(FactorStoreError) -> SecretBytes {
    try store.note(.secret)
    return SecretBytes(copying: factor.sealed.span)
  }

  /// Returns the secret unsealed.
  package func seal(
    _ secret: Span<UInt8>, for factor: FactorID, parameters: TOTPParameters?,
    in record: FactorRecord
  ) throws(FactorStoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in secret.indices { bytes.append(secret[index]) }
    return bytes
  }

  /// Returns the code itself, padded to the length of a digest, which hides nothing.
  package func digest(
    of recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind, in record: FactorRecord
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    try store.note(.digest)
    return try MemoryStore.digest(of: recoveryCode, kind: kind)
  }

  /// Returns the code itself, which hides nothing.
  package func digest(
    ofTyped code: Code, in record: FactorRecord
  ) throws(FactorStoreError) -> UInt64 {
    UInt64(code.length.rawValue) << 32 | UInt64(code.value)
  }

  /// Returns the code, with a number for the factor and the session.
  package func digest(
    ofSent code: Code, to factor: FactorID, for session: SignInOrigin, in record: FactorRecord
  ) throws(FactorStoreError) -> UInt64 {
    try store.note(.sentDigest)
    let context = (factor.bytes + session.identity).reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) }
    return context << 32 | UInt64(code.value)
  }

  /// Returns the store's digests.
  package func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    try store.digests(of: places, in: record)
  }

  /// Stores the state.
  package func write(_ attempts: AttemptState) throws(FactorStoreError) {
    try store.note(.write(failures: attempts.failures))
    store.attempts = attempts
  }

  /// Stores the state and the audit log entry.
  package func write(
    _ attempts: AttemptState, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> AuditLogCheckpoint {
    try write(attempts)
    try sync()
    store.record?.beginGeneration()
    store.events.append(event)
    guard let mark = AuditLogCheckpoint(Array("\(store.events.count):00c0ffee".utf8)) else {
      throw .damaged(.auditLog)
    }
    return mark
  }

  /// Records the operation.
  package func sync() throws(FactorStoreError) { try store.note(.sync) }

  /// Stores the record, the attempt state and the audit log entry.
  package func replace(
    record: FactorRecord, attempts: AttemptState, entering event: AuditLogEvent?
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    try store.note(.replace)
    var record = record
    if event != nil { record.beginGeneration() }
    store.record = record.isVacant ? nil : record
    store.attempts = attempts
    guard let event else { return nil }
    store.events.append(event)
    return AuditLogCheckpoint(Array("\(store.events.count):00c0ffee".utf8))
  }
}
