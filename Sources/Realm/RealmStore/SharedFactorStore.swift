import MFABase
import MFACrypto
import MFAModel
import MFAStore

/// The factors of a realm, in a database that several verifiers use. A value serves one request.
///
/// The engine keeps sealed bytes only. A row has a user's record and attempt state; both are bound to the
/// user's id, to each other, and to the version of the row.
///
/// MUST 1: nothing is reported as committed unless the engine acknowledged the commit.
/// (`SharedFactorStoreTests.uncertainCommitDenies`)
/// MUST 2: after the database may have lost commits, no code is accepted that could have been accepted
/// before. (`SharedFactorStoreTests.fence`)
/// MUST 3: a row that was changed, or moved to another user, and parts of different versions, are
/// refused. (`SharedFactorStoreTests.everyByteOfARow`, `.movedRow`, `.mixedRow`)
/// MUST 4: a host whose failures are used up learns nothing about a code, right or wrong.
/// (`SharedFactorStoreTests.hostBudget`)
/// MUST 5: a code that was remembered or sent for one host is worth nothing at another.
/// (`SharedFactorStoreTests.placesOfAnotherHost`)
/// MUST 6: a result that is returned again belongs to the same user, host and nonce.
/// (`SharedFactorStoreTests.answerOfAnother`)
/// MUST 7: a verifier whose clock is ahead accepts no code that the fence does not cover.
/// (`SharedFactorStoreTests.verifierAhead`)
package final class SharedFactorStore<Engine: StoreEngine>: FactorStore {
  let engine: Engine
  let request: SharedRequest
  /// Reads the key.
  let key: () throws(FactorStoreError) -> SealingKey
  /// Returns the time by this machine's clock, in seconds since the epoch. Decisions use `now`.
  let clock: () throws(FactorStoreError) -> Int64
  /// Returns the largest number of adjacent intervals that any verifier of the realm accepts.
  private let intervals: () -> UInt8
  /// What `committedAnswer` loaded, for the entry that is loaded next.
  private var loaded: (user: [UInt8], snapshot: EngineSnapshot)?
  /// The state of the realm as it was loaded last.
  private let realm: LoadedRealm

  /// Creates a value for one request. `intervals` returns the largest number of adjacent intervals that any
  /// verifier of the realm accepts, 0 to 10; it is called when the database may have lost commits. `realm` can
  /// be shared with other values that serve the same request.
  package init(
    _ engine: Engine, for request: SharedRequest, realm: LoadedRealm = LoadedRealm(),
    intervals: @escaping () -> UInt8,
    key: @escaping () throws(FactorStoreError) -> SealingKey,
    clock: @escaping () throws(FactorStoreError) -> Int64
  ) {
    self.engine = engine
    self.request = request
    self.realm = realm
    self.intervals = intervals
    self.key = key
    self.clock = clock
  }

  /// The uid in the records of a shared store. Hosts may use different uids for one user, so the id in the
  /// realm alone identifies users.
  package static var uid: UInt32 { .max }

  /// Returns the account under which a user's data is stored. Its name is the user's id in the realm.
  private func owner(of account: Account) -> Account {
    Account(name: request.realmName(of: account.name), uid: Self.uid)
  }

  /// Seals a continuation under the key of the realm, so that each verifier opens it.
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

  /// Derives a secret with the key of the realm, so that each verifier derives the same.
  package func enrollmentSecret(binding: [UInt8]) throws(FactorStoreError) -> SecretBytes {
    var key = try key()
    return try key.enrollmentSecret(binding: binding)
  }

  // MARK: Loading

  /// Loads a user's row, and begins a new epoch first if the database may have lost commits.
  ///
  /// - Throws: `.otherVersion` with the format of the realm if this program does not know the format, and
  ///   `.engine(.clock)` if the clock of this machine is too far ahead of the database's.
  func load(
    _ key: EngineKey, at now: Int64, withAnswer: Bool
  ) throws(FactorStoreError) -> EngineSnapshot {
    let context = request.context(at: now, withAnswer: withAnswer)
    var triesLeft = 3
    while true {
      let snapshot = try onEngine { () throws(EngineError) in try engine.load(key, context) }
      let format = snapshot.realm.format
      guard format == RealmState.currentFormat else { throw .otherVersion(format) }
      try realm.compare(try clock(), with: snapshot.time)
      if snapshot.incarnation == snapshot.realm.incarnation {
        guard request.epoch == nil || request.epoch == snapshot.realm.epoch else {
          throw .engine(.conflict)
        }
        realm.state = snapshot.realm
        return snapshot
      }
      guard triesLeft > 0 else { throw .engine(.conflict) }
      triesLeft &-= 1
      _ = try beginEpoch(after: snapshot, at: try self.now())
    }
  }

  /// Begins a new epoch, and returns the state of the realm. Returns nil if another verifier has begun one
  /// meanwhile.
  func beginEpoch(
    after snapshot: EngineSnapshot, at now: Int64
  ) throws(FactorStoreError) -> RealmState? {
    let before = snapshot.realm
    let (epoch, overflow) = before.epoch.addingReportingOverflow(1)
    guard !overflow else { throw .damaged(.directory) }
    var next = before
    next.epoch = epoch
    next.incarnation = snapshot.incarnation
    let (fence, isTooLate) = max(now, snapshot.time).addingReportingOverflow(
      DatabaseClock.fenceMargin)
    guard !isTooLate else { throw .engine(.clock) }
    // A clock that is behind must not lower the fence.
    next.fence = max(fence, before.fence)
    next.fenceIntervals = max(intervals(), before.fenceIntervals)
    let state = next
    let isReplaced = try onEngine { () throws(EngineError) in
      try engine.replaceRealm(epoch: before.epoch, with: state)
    }
    return isReplaced ? state : nil
  }

  /// Returns what the engine has about a user.
  private func row(
    of owner: Account, at now: Int64
  ) throws(FactorStoreError) -> EngineSnapshot {
    if let loaded, loaded.user == owner.name {
      self.loaded = nil
      return loaded.snapshot
    }
    return try load(try Self.key(of: owner), at: now, withAnswer: false)
  }

  static func key(of owner: Account) throws(FactorStoreError) -> EngineKey {
    guard let key = EngineKey(.user, owner.name) else { throw .nameTooLong }
    return key
  }

  /// Returns the time for a decision, in seconds since the epoch: see `DatabaseClock`.
  package func now() throws(FactorStoreError) -> Int64 {
    let now = try clock()
    do throws(SystemError) { return try realm.limited(now) } catch { throw .system(.clock, error) }
  }

  /// Returns the stored data, or throws if it is refused.
  func opened(
    _ snapshot: EngineSnapshot, of owner: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) -> FactorSnapshotOrState {
    let row = snapshot.row
    guard row.version > 0 else {
      return FactorSnapshotOrState(record: nil, attempts: AttemptState(record: .zero))
    }
    let attempts = try SealedAttempts.opened(row.attempts, for: owner.name, &key)
    guard attempts.version == row.version else { throw .damaged(.attempts) }
    // The realm's state is older than the row: an earlier copy was restored.
    guard attempts.epoch <= snapshot.realm.epoch else { throw .rolledBack(.directory) }
    guard !row.record.isEmpty else {
      guard attempts.record == 0 else { throw .damaged(.record) }
      return FactorSnapshotOrState(record: nil, attempts: attempts.state)
    }
    let sealed = SealedRecord(bytes: row.record)
    guard sealed.identity == attempts.record,
      let record = try sealed.open(&key, account: owner), attempts.state.record == record.id
    else { throw .damaged(.record) }
    guard attempts.epoch < snapshot.realm.epoch else {
      return FactorSnapshotOrState(record: record, attempts: attempts.state)
    }
    return FactorSnapshotOrState(
      record: record,
      attempts: attempts.state.fenced(
        at: snapshot.realm.fence, intervals: snapshot.realm.fenceIntervals, for: record))
  }

  // MARK: Reading

  /// Loads the user's row.
  package func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    guard let kept = try keptSnapshot(of: account), kept.record.isEnrolled else { return nil }
    return kept
  }

  /// Loads the user's row.
  package func keptSnapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    let owner = owner(of: account)
    let snapshot = try load(try Self.key(of: owner), at: try now(), withAnswer: false)
    var key = try key()
    let opened = try opened(snapshot, of: owner, &key)
    return opened.record.map { FactorSnapshot(record: $0, attempts: opened.attempts) }
  }

  /// Loads the user's row.
  package func kept(for account: Account) throws(FactorStoreError) -> FactorRecord? {
    try keptSnapshot(of: account)?.record
  }

  /// Computes digests with the realm's key, bound to the host, the user and the record.
  package func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    var key = try key()
    return try key.digests(of: places.map { request.bound($0) }, in: record)
  }

  /// Loads the user's row. Takes no lock.
  ///
  /// - Throws: `.engine(.budgetUsedUp)` if the host has caused too many failures in this hour.
  package func entry(
    of account: Account, creating: Bool
  ) throws(FactorStoreError) -> SharedFactorStoreEntry<Engine> {
    let owner = owner(of: account)
    let now = try now()
    let snapshot = try row(of: owner, at: now)
    guard request.host == nil || snapshot.hostFailures < request.hostLimit else {
      throw .engine(.budgetUsedUp)
    }
    guard creating || snapshot.row.version > 0 else {
      throw .system(.attempts, .notFound(.open))
    }
    var key = try key()
    let opened = try opened(snapshot, of: owner, &key)
    return SharedFactorStoreEntry(
      self, owner, key: key,
      SharedFactorStoreEntry.Loaded(snapshot: snapshot, content: opened, time: now))
  }

  /// Returns ids of users whom the realm has a row about, those after `id` in order, at most `most`.
  package func userIDs(after id: [UInt8], most: Int) throws(FactorStoreError) -> [[UInt8]] {
    try onEngine { () throws(EngineError) in
      try engine.keys(.user, after: id, most: most).map { $0.id }
    }
  }

  /// Returns the fingerprint that the audit log uses for a record.
  package func fingerprint(of record: FactorRecord) throws(FactorStoreError) -> [UInt8] {
    var key = try key()
    return try record.fingerprint(&key)
  }

  // MARK: Repeated requests

  /// Returns the result that was committed with this request's nonce.
  package func committedAnswer(to account: Account) throws(FactorStoreError) -> [UInt8]? {
    guard let nonce = request.nonce else { return nil }
    let owner = owner(of: account)
    let snapshot = try load(try Self.key(of: owner), at: try now(), withAnswer: true)
    guard let sealed = snapshot.answer else {
      loaded = (owner.name, snapshot)
      return nil
    }
    var key = try key()
    return try SealedAnswer(nonce: nonce, host: request.host ?? [], user: account.name)
      .opened(sealed, &key)
  }

  // MARK: Configuration

  /// Compares with the state of the realm as it was loaded last.
  package func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    if realm.state?.configuration == configuration { return true }
    return try presentRealm().configuration == configuration
  }

  private func presentRealm() throws(FactorStoreError) -> RealmState {
    try presentSnapshot(at: try now()).realm
  }

  /// Loads the state of the realm.
  func presentSnapshot(at now: Int64) throws(FactorStoreError) -> EngineSnapshot {
    try load(try Self.key(of: .nobody), at: now, withAnswer: false)
  }

  /// Enters the event and the fingerprint in one commit.
  package func enter(
    _ event: AuditLogEvent, configuration: UInt64
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    try deciding { () throws(FactorStoreError) in
      let realm = try presentRealm()
      guard realm.configuration != configuration else { return nil }
      var change = EngineChange(epoch: realm.epoch)
      change.configuration = (realm.configuration, configuration)
      var key = try self.key()
      return try commit(change, entering: event, about: AuditLogSubject(), &key)
    }
  }

  // MARK: Committing

  /// Makes a change, and enters the event, if there is one, in the same commit.
  func commit(
    _ change: EngineChange, entering event: AuditLogEvent?, about subject: AuditLogSubject,
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    guard let event else {
      try onEngine { () throws(EngineError) in try engine.commit(change, entering: nil) }
      return nil
    }
    var checkpoint: AuditLogCheckpoint?
    var failure: FactorStoreError?
    var lineKey = key.shared()
    do throws(EngineError) {
      try engine.commit(change) { end in
        do throws(FactorStoreError) {
          let appended = try SharedAuditLog.append(event, about: subject, to: end, &lineKey)
          guard !change.givesWay || appended.checkpoint.number <= Self.lastNumberOfReports else {
            throw .engine(.budgetUsedUp)
          }
          checkpoint = appended.checkpoint
          return EngineLogLine(
            number: appended.checkpoint.number, text: appended.line, end: appended.end)
        } catch {
          failure = error
          return nil
        }
      }
    } catch {
      throw failure ?? .engine(error)
    }
    guard let checkpoint else { throw .engine(.refused) }
    return checkpoint
  }

  /// The last number of a line for a change that gives way. The numbers after it are left for all other changes.
  static var lastNumberOfReports: UInt32 { .max / 2 }

  func onEngine<Result>(
    _ body: () throws(EngineError) -> Result
  ) throws(FactorStoreError) -> Result {
    do throws(EngineError) { return try body() } catch { throw .engine(error) }
  }

  // MARK: Decoys

  /// Returns an entry without a row.
  package func decoy(
    like record: FactorRecord?
  ) throws(FactorStoreError) -> SharedFactorStoreEntry<Engine> {
    try SharedFactorStoreEntry(decoyIn: self, like: record, at: try now())
  }

  /// Loads and commits as an attempt does, without a row. The commit counts a failure of the host.
  func commitDecoy(
    at now: Int64, isFailure: Bool, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let snapshot = try load(try Self.key(of: .nobody), at: now, withAnswer: true)
    guard request.host == nil || snapshot.hostFailures < request.hostLimit else {
      throw .engine(.budgetUsedUp)
    }
    var change = EngineChange(epoch: snapshot.realm.epoch)
    change.budget = request.budget(at: now, isFailure: isFailure)
    change.answer = EngineAnswer(
      nonce: try cryptographic { () throws(SystemError) in
        try randomBytes(count: EngineAnswer.nonceLength)
      }, answer: [UInt8](repeating: 0, count: 64), expires: now)
    _ = try commit(change, entering: nil, about: AuditLogSubject(), &key)
  }
}

/// A user's stored data: the record, or nil, and the attempt state.
struct FactorSnapshotOrState {
  let record: FactorRecord?
  let attempts: AttemptState
}

// What an administrator changes in the state of the realm.
extension SharedFactorStore {
  /// Begins a new epoch, after an administrator restored the database in a way that does not show, and
  /// returns the new state of the realm. No code that could have been accepted before is accepted after
  /// this, see `AttemptState.fenced`.
  ///
  /// If the restore shows, the load itself begins an epoch, and this function another one.
  package func beginEpoch(by actor: AuditLogEvent.Actor) throws(FactorStoreError) -> RealmState {
    try deciding { () throws(FactorStoreError) in
      let now = try now()
      let snapshot = try presentSnapshot(at: now)
      let (epoch, overflow) = snapshot.realm.epoch.addingReportingOverflow(1)
      guard !overflow else { throw .damaged(.directory) }
      let event = AuditLogEvent(
        .epochBegun, detail: Array(String(epoch).utf8), by: actor, at: now)
      var key = try key()
      let change = EngineChange(epoch: snapshot.realm.epoch)
      _ = try commit(change, entering: event, about: AuditLogSubject(), &key)
      guard let state = try beginEpoch(after: snapshot, at: now) else { throw .engine(.conflict) }
      return state
    }
  }

  /// Returns a sentence if the clock of this machine and that of the database differ by more than
  /// `DatabaseClock.tolerance`, or if the database does not tell its time; otherwise nil.
  package func clockFinding() throws(FactorStoreError) -> String? {
    let now = try clock()
    let time = try uncheckedSnapshot(at: now).time
    guard let difference = DatabaseClock.Difference(of: now, from: time) else {
      return "the database does not tell its time, so a clock that is ahead is not noticed; "
        + "a proxy between the verifier and etcd must keep the field Date of HTTP"
    }
    return difference.finding
  }

  /// Loads the state of the realm for what needs no decision: any format and any time are accepted.
  private func uncheckedSnapshot(at now: Int64) throws(FactorStoreError) -> EngineSnapshot {
    let key = try Self.key(of: .nobody)
    let context = request.context(at: now, withAnswer: false)
    return try onEngine { () throws(EngineError) in try engine.load(key, context) }
  }
}

/// A row as it was loaded for a change.
struct LoadedRow {
  let key: EngineKey
  let snapshot: EngineSnapshot
  /// The time at which it was loaded, in seconds since the epoch.
  let time: Int64

  /// The version of the row, or 0 if the row does not exist.
  var version: UInt64 { snapshot.row.version }
  /// The sealed content. It is empty if the row does not exist, or if its content was removed.
  var record: [UInt8] { version > 0 ? snapshot.row.record : [] }
}

// Rows other than a user's record and attempt state.
extension SharedFactorStore {
  /// Replaces the content of a row like `replace`, as a change that counts as one of those which the host of the request
  /// may cause in this hour. With `other`, replaces another row in the same commit.
  ///
  /// - Throws: `.engine(.budgetUsedUp)` if the host has caused as many already.
  func replaceCounting(
    _ row: LoadedRow, with record: [UInt8], and other: EngineRowChange? = nil, givingWay: Bool,
    entering event: AuditLogEvent, about user: [UInt8]? = nil, _ sealing: inout SealingKey
  ) throws(FactorStoreError) {
    guard request.host == nil || row.snapshot.hostFailures < request.hostLimit else {
      throw .engine(.budgetUsedUp)
    }
    var change = EngineChange(epoch: row.snapshot.realm.epoch)
    change.row = EngineRowChange(row.key, version: row.version, record: record)
    change.otherRow = other
    change.budget = request.budget(at: row.time, isFailure: true)
    change.givesWay = givingWay
    let subject = AuditLogSubject(user: user.flatMap { UserName($0) })
    _ = try commit(change, entering: event, about: subject, &sealing)
  }

  /// Loads a row.
  func row(_ key: EngineKey) throws(FactorStoreError) -> LoadedRow {
    let now = try now()
    return LoadedRow(key: key, snapshot: try load(key, at: now, withAnswer: false), time: now)
  }

  /// Loads a row.
  func row(_ kind: EngineKey.Kind, _ id: [UInt8]) throws(FactorStoreError) -> LoadedRow {
    guard let key = EngineKey(kind, id) else { throw .nameTooLong }
    return try row(key)
  }

  /// Replaces the content of a row, unless the row was changed since it was loaded. If there is an event, enters it in the
  /// audit log, with the user if it concerns one, and returns its checkpoint.
  @discardableResult
  func replace(
    _ row: LoadedRow, with record: [UInt8], entering event: AuditLogEvent? = nil,
    about user: [UInt8]? = nil, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    var change = EngineChange(epoch: row.snapshot.realm.epoch)
    change.row = EngineRowChange(row.key, version: row.version, record: record)
    let subject = AuditLogSubject(user: user.flatMap { UserName($0) })
    return try commit(change, entering: event, about: subject, &sealing)
  }
}
