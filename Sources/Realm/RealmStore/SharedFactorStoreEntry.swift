import MFAStore
import MFACrypto
import MFAModel
import MFABase

/// One user's row in a shared store, in the version that was loaded or committed last.
package final class SharedFactorStoreEntry<Engine: StoreEngine>: FactorStoreEntry {
  private let store: SharedFactorStore<Engine>
  private var key: SealingKey
  /// The time at which the row was loaded, in seconds since the epoch.
  private let time: Int64
  private let epoch: UInt64
  private var version: UInt64
  /// The sealed record of the version; empty if there is none.
  private var sealedRecord: [UInt8]
  /// The attempt state of the version.
  private var committed: AttemptState
  /// The result to store with the next commit; nil for none.
  private var pendingAnswer: [UInt8]?
  /// Whether this is an entry of no account. A commit writes nothing of it.
  private let isDecoy: Bool
  /// Whether a commit failed, so that the version is not known any more.
  private var hasFailed = false

  /// The account in the realm.
  package let owner: Account
  /// The record as it was loaded or committed.
  package private(set) var kept: FactorRecord?
  /// The attempt state as it was loaded, or set by `write`.
  package private(set) var attempts: AttemptState

  /// What was loaded.
  struct Loaded {
    let snapshot: EngineSnapshot
    let content: FactorSnapshotOrState
    let time: Int64
  }

  init(
    _ store: SharedFactorStore<Engine>, _ owner: Account, key: consuming SealingKey,
    _ loaded: Loaded, isDecoy: Bool = false
  ) {
    self.store = store
    self.owner = owner
    self.key = key
    self.isDecoy = isDecoy
    time = loaded.time
    epoch = loaded.snapshot.realm.epoch
    version = loaded.snapshot.row.version
    sealedRecord = loaded.snapshot.row.record
    kept = loaded.content.record
    attempts = loaded.content.attempts
    committed = loaded.content.attempts
  }

  /// Makes an entry of no account. Authenticating it takes as long as verifying one that was loaded.
  convenience init(
    decoyIn store: SharedFactorStore<Engine>, like record: FactorRecord?, at time: Int64
  ) throws(FactorStoreError) {
    var key = try store.key()
    let decoy = try FactorSnapshot(decoyLike: record)
    let sealed = try cryptographic { () throws(SystemError) in
      try SealedRecord(decoy.record, &key)
    }
    let snapshot = EngineSnapshot(
      row: EngineRow(version: 0, record: sealed.bytes, attempts: []), realm: .placeholder,
      incarnation: [])
    let content = FactorSnapshotOrState(record: decoy.record, attempts: decoy.attempts)
    let loaded = Loaded(snapshot: snapshot, content: content, time: time)
    self.init(store, .nobody, key: key, loaded, isDecoy: true)
    _ = try row(decoy.attempts)
  }

  // MARK: Keyed functions

  /// Opens a factor's sealed secret or phone number. What does not open is damaged.
  package func secret(of factor: Factor) throws(FactorStoreError) -> SecretBytes {
    guard let record = kept else { throw .damaged(.record) }
    guard !isDecoy else { return record.decoySecret(of: factor, &key) }
    return try record.secret(of: factor, &key)
  }

  /// Seals a secret or a phone number under the realm's key.
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
    try record.digest(ofImported: recoveryCode, kind: kind, &key)
  }

  /// Seals keys with which the digests of `record` are verified: see `FactorRecord.PortableDigests`.
  package func seal(
    digestKeys: Span<UInt8>, in record: FactorRecord
  ) throws(FactorStoreError) -> [UInt8] {
    try record.seal(digestKeys: digestKeys, &key)
  }

  /// Computes a keyed digest of the digits, bound to the user and the record.
  package func digest(
    ofTyped code: Code, in record: FactorRecord
  ) throws(FactorStoreError) -> UInt64 {
    try record.digest(ofTyped: code, &key)
  }

  /// Computes a keyed digest of the digits, bound to the user, the record, the factor and the session.
  package func digest(
    ofSent code: Code, to factor: FactorID, for session: SignInOrigin, in record: FactorRecord
  ) throws(FactorStoreError) -> UInt64 {
    try record.digest(ofSent: code, to: factor, for: store.request.bound(session), &key)
  }

  /// Computes digests with the realm's key, bound to the host, the user and the record.
  package func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    try key.digests(of: places.map { store.request.bound($0) }, in: record)
  }

  // MARK: Committing

  /// Sets the attempt state that `sync` commits. It is visible to others from then on.
  package func write(_ attempts: AttemptState) throws(FactorStoreError) { self.attempts = attempts }

  /// Results are kept for repeated requests.
  package static var keepsAnswers: Bool { true }

  /// Sets the result that is stored with the next commit.
  package func answer(_ result: [UInt8]) { pendingAnswer = result }

  /// Commits the attempt state.
  package func sync() throws(FactorStoreError) {
    _ = try commit(kept, attempts, entering: nil)
  }

  /// Enters the event and commits the attempt state, with the next generation of the record.
  package func write(
    _ attempts: AttemptState, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> AuditLogCheckpoint {
    guard let kept else { throw .damaged(.record) }
    guard let checkpoint = try replace(record: kept, attempts: attempts, entering: event) else {
      throw .damaged(.auditLog)
    }
    return checkpoint
  }

  /// Commits the record, the attempt state and the event at once.
  package func replace(
    record: FactorRecord, attempts: AttemptState, entering event: AuditLogEvent?
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    var record = record
    if event != nil { record.beginGeneration() }
    let sealed = try cryptographic { () throws(SystemError) in
      try SealedRecord(record, &key)
    }
    guard sealed.bytes.count <= SealedRecord.maximumLength else {
      throw .untrusted(.record, .tooLarge)
    }
    let isRemoved = record.isVacant
    sealedRecord = isRemoved ? [] : sealed.bytes
    return try commit(
      isRemoved ? nil : record, isRemoved ? attempts.withoutRecord() : attempts, entering: event)
  }

  /// Commits on the present version. The sealed form of `record` is `sealedRecord`.
  private func commit(
    _ record: FactorRecord?, _ state: AttemptState, entering event: AuditLogEvent?
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    guard !hasFailed else { throw .engine(.conflict) }
    hasFailed = true
    let row = try row(state)
    guard !isDecoy else {
      try store.commitDecoy(at: time, isFailure: isFailure(state), &key)
      hasFailed = false
      return nil
    }
    var change = EngineChange(epoch: epoch)
    change.row = row
    change.budget = store.request.budget(at: time, isFailure: isFailure(state))
    change.answer = try sealedAnswer()
    var subject = AuditLogSubject()
    if event != nil {
      guard let user = UserName(owner.name) else { throw .nameTooLong }
      subject = AuditLogSubject(user: user, uid: nil)
      if let record { subject.record = try record.fingerprint(&key) }
    }
    let checkpoint = try store.commit(change, entering: event, about: subject, &key)
    hasFailed = false
    version &+= 1
    kept = record
    committed = state
    self.attempts = state
    pendingAnswer = nil
    return checkpoint
  }

  /// Returns the row in its next version, with `sealedRecord` and this state.
  private func row(_ state: AttemptState) throws(FactorStoreError) -> EngineRowChange {
    let (next, overflow) = version.addingReportingOverflow(1)
    guard !overflow else { throw .engine(.conflict) }
    let attempts = SealedAttempts(
      state: state, version: next, epoch: epoch,
      record: sealedRecord.isEmpty ? 0 : SealedRecord(bytes: sealedRecord).identity)
    return EngineRowChange(
      try SharedFactorStore<Engine>.key(of: owner), version: version, record: sealedRecord,
      attempts: try attempts.sealed(for: owner.name, &key))
  }

  /// Moves what is stored to another name of the user, in one commit. Whatever the realm has about `next`, whose
  /// user must have no factor, is replaced. Neither entry can be used afterwards.
  package func move(
    to next: SharedFactorStoreEntry<Engine>, by actor: AuditLogEvent.Actor, at now: Int64
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    guard !hasFailed, !next.hasFailed, epoch == next.epoch else { throw .engine(.conflict) }
    guard let kept, let user = UserName(next.owner.name) else { throw .nameTooLong }
    (hasFailed, next.hasFailed) = (true, true)
    var record = try kept.resealed(for: user, uid: kept.uid, &key)
    record.continueGenerations(after: next.kept?.generation ?? 0)
    record.beginGeneration()
    let sealed = try cryptographic { () throws(SystemError) in
      try SealedRecord(record, &key)
    }
    guard sealed.bytes.count <= SealedRecord.maximumLength else {
      throw .untrusted(.record, .tooLarge)
    }
    sealedRecord = []
    next.sealedRecord = sealed.bytes
    var change = EngineChange(epoch: epoch)
    change.row = try next.row(attempts.forgetting().voidingSentCode())
    change.otherRow = try row(attempts.withoutRecord())
    let event = AuditLogEvent(.userRenamed, detail: owner.name, by: actor, at: now)
    let subject = AuditLogSubject(user: user, uid: nil, record: try record.fingerprint(&key))
    return try store.commit(change, entering: event, about: subject, &key)
  }

  /// Returns whether a commit counts a failed attempt.
  private func isFailure(_ state: AttemptState) -> Bool {
    state.failures > committed.failures
      || state.ownProcessFailures.failures > committed.ownProcessFailures.failures
      || state.daemonFailures.failures > committed.daemonFailures.failures
  }

  private func sealedAnswer() throws(FactorStoreError) -> EngineAnswer? {
    guard let pendingAnswer, !pendingAnswer.isEmpty, let nonce = store.request.nonce else {
      return nil
    }
    // A repeated request may arrive after the factors of a renamed user were moved to this name.
    let place = SealedAnswer(
      nonce: nonce, host: store.request.host ?? [], user: store.request.hostName(of: owner.name))
    let (expires, overflow) = time.addingReportingOverflow(SharedRequest.answerLifetime)
    return EngineAnswer(
      nonce: nonce, answer: try place.sealed(pendingAnswer, &key),
      expires: overflow ? time : expires)
  }
}
