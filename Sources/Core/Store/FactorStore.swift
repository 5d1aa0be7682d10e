import MFACrypto
import MFAModel
import MFABase

/// A store of factor records and attempt states.
///
/// `LocalFactorStore` keeps them on the local disk; `SharedFactorStore` shares them between hosts. All
/// decisions are made by pure functions in `MFAModel`. A store only reads and commits.
///
/// A decision loads a user's record and attempt state in one version (`entry`), decides, and commits once
/// on that version. If the data has changed since it was loaded, the commit throws `.engine(.conflict)`,
/// nothing is written, and `deciding` decides anew.
///
/// MUST 1: of several commits on the same version, at most one succeeds.
/// (`FactorStoreConformance.parallelCommits`)
/// MUST 2: a commit takes effect as a whole or not at all. (`FactorStoreConformance.failedCommit`)
/// MUST 3: the record and the attempt state that `snapshot` returns belong together: each factor has its
/// watermark. During a change, a local store may return the new record with the attempt state before.
/// (`FactorStoreConformance.snapshots`)
package protocol FactorStore {
  /// One user's stored data in one version, and the way to commit a change of it.
  associatedtype Entry: FactorStoreEntry

  /// Returns the user's current record and attempt state, or nil if the user is not enrolled. Holds
  /// no lock when it returns, so the stored data may have changed by the time the result is used.
  func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot?

  /// Returns what `snapshot` returns, even when the record has no factors, or nil if nothing is
  /// stored.
  func keptSnapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot?

  /// Returns an entry of no account, with factors like those of `record` or one TOTP factor. It takes as long as
  /// reading an entry, and attempts on it take as long as others, so that the time does not reveal whether a user is
  /// enrolled. No code of it is accepted. Nothing of it is stored; a shared store counts a failed
  /// attempt of the host.
  func decoy(like record: FactorRecord?) throws(FactorStoreError) -> Entry

  /// Returns the user's stored record, even when it has no factors, or nil. Takes no lock.
  func kept(for account: Account) throws(FactorStoreError) -> FactorRecord?

  /// Returns digests of `places`. The digests are keyed, so that only this host can recognise a
  /// place.
  func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest]

  /// Seals what a sign-in or a session takes from one request to the next, bound to `binding`.
  func seal(
    continuation: Span<UInt8>, binding: [UInt8]
  ) throws(FactorStoreError) -> [UInt8]

  /// Opens what `seal` returned. Returns nil if any byte of it or of the binding differs, or if it was
  /// sealed with another key.
  func open(continuation: [UInt8], binding: [UInt8]) throws(FactorStoreError) -> SecretBytes?

  /// Returns 32 bytes for the secret of a new factor, which is shown before it is stored. The same binding
  /// gives the same bytes, and the bytes of one binding reveal nothing about those of another.
  func enrollmentSecret(binding: [UInt8]) throws(FactorStoreError) -> SecretBytes

  /// Returns whether `configuration` is the configuration fingerprint last recorded in the audit
  /// log.
  func knows(configuration: UInt64) throws(FactorStoreError) -> Bool

  /// Records in the audit log that the configuration changed.
  ///
  /// - Returns: the checkpoint of the log entry, for the system log, or nil if another process has
  ///   already recorded the change.
  func enter(
    _ event: AuditLogEvent, configuration: UInt64
  ) throws(FactorStoreError) -> AuditLogCheckpoint?

  /// Loads the user's stored data in its present version.
  ///
  /// A local store waits for exclusive access to the data, which lasts until the returned object is
  /// released. A shared store takes no lock: a commit finds out whether the data has changed.
  ///
  /// If the user has no data yet, the function returns an empty entry if `creating` is set, as for an
  /// enrolment, and throws otherwise.
  func entry(of account: Account, creating: Bool) throws(FactorStoreError) -> Entry

  /// Whether the data of an entry can change before it is committed. False for a store that locks it.
  static var mayConflict: Bool { get }

  /// Returns what `FactorStoreEntry.answer` stored in an earlier run of this request, or nil if nothing
  /// was committed.
  func committedAnswer(to account: Account) throws(FactorStoreError) -> [UInt8]?
}

extension FactorStore {
  /// How often a decision is made anew after a conflict.
  private static var maximumRepetitions: Int { 3 }

  /// Calls `decide`, which loads an entry, decides and commits. Calls it again, at most three times, if
  /// the data changed between its load and its commit.
  ///
  /// - Throws: `.engine(.conflict)` if the data changed each time. The sign-in is then denied.
  @inline(__always)
  package func deciding<Result>(
    _ decide: () throws(FactorStoreError) -> Result
  ) throws(FactorStoreError) -> Result {
    try Self.deciding(unless: { $0 != .engine(.conflict) }, decide)
  }

  /// Calls `decide` as the other function does, if it throws errors of its own. `isFinal` returns whether
  /// an error is none that a conflict caused.
  @inline(__always)
  package static func deciding<Result, Failure: Error>(
    unless isFinal: (Failure) -> Bool, _ decide: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard mayConflict else { return try decide() }
    var repetitionsLeft = maximumRepetitions
    while true {
      do throws(Failure) {
        return try decide()
      } catch {
        guard repetitionsLeft > 0, !isFinal(error) else { throw error }
        repetitionsLeft &-= 1
      }
    }
  }

  /// Most stores that several hosts share take no locks.
  package static var mayConflict: Bool { true }

  /// Returns nil.
  package func committedAnswer(to account: Account) throws(FactorStoreError) -> [UInt8]? { nil }
}

/// One user's stored data in one version.
///
/// `sync`, `replace` and `write(_:entering:)` commit on the version that was loaded or committed last.
package protocol FactorStoreEntry: AnyObject {
  /// The account that stored data names. In a shared store, it is the same on all hosts.
  var owner: Account { get }

  /// Whether the store keeps the results of attempts, so that a repeated request gets the result that
  /// was committed.
  static var keepsAnswers: Bool { get }

  /// The stored record, even when it has no factors, or nil if nothing is stored.
  var kept: FactorRecord? { get }

  /// The attempt state that belongs to the stored record. Without a record, it is the state last
  /// written without one (`FactorID.zero`), or an empty state.
  var attempts: AttemptState { get }

  /// Returns a factor's secret or phone number, unsealed.
  func secret(of factor: Factor) throws(FactorStoreError) -> SecretBytes

  /// Seals a secret with its parameters, or a phone number, for a factor of `record`.
  func seal(
    _ secret: Span<UInt8>, for factor: FactorID, parameters: TOTPParameters?,
    in record: FactorRecord
  ) throws(FactorStoreError) -> [UInt8]

  /// Returns a digest of a recovery code of `record`. It is keyed, so that only this host can
  /// recognise the code.
  func digest(
    of recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind, in record: FactorRecord
  ) throws(FactorStoreError) -> RecoveryCodeDigest

  /// Returns the beginning of a digest of a code that was typed. It is keyed, so that only this host
  /// can recognise the code, and bound to `record`.
  func digest(ofTyped code: Code, in record: FactorRecord) throws(FactorStoreError) -> UInt64

  /// Returns the beginning of a digest of a code that is sent to the phone of a factor of `record`,
  /// for a sign-in in this session. It is keyed, so that only this host can recognise the code.
  func digest(
    ofSent code: Code, to factor: FactorID, for session: SignInOrigin, in record: FactorRecord
  ) throws(FactorStoreError) -> UInt64

  /// Returns digests of `places`.
  func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest]

  /// Sets the attempt state that is committed next. In a local store, other processes see it even if this
  /// process ends now; it is durable only after `sync`.
  func write(_ attempts: AttemptState) throws(FactorStoreError)

  /// Stores the result of an attempt with the next commit, if the store keeps answers.
  func answer(_ result: [UInt8])

  /// Writes an attempt state durably for an event that does not change the record. The event is
  /// recorded in the audit log first.
  ///
  /// - Returns: the checkpoint of the log entry, for the system log.
  func write(
    _ attempts: AttemptState, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> AuditLogCheckpoint

  /// Commits the attempt state. When the function returns, the state is durable.
  func sync() throws(FactorStoreError)

  /// Commits a new record and attempt state in one durable step: an interruption at any point leaves a
  /// usable pair. A vacant record is removed.
  ///
  /// The event is recorded in the audit log first; if that fails, the record does not change.
  /// `event` is nil for a change that does not affect how users can sign in, such as marking
  /// notices as mailed.
  ///
  /// - Returns: the checkpoint of the log entry, for the system log.
  func replace(
    record: FactorRecord, attempts: AttemptState, entering event: AuditLogEvent?
  ) throws(FactorStoreError) -> AuditLogCheckpoint?

  /// Commits as `replace` does, without an entry in the audit log, which cannot be written because of `error`. An
  /// administrator uses this to withdraw or restore access.
  func replaceUnrecorded(
    record: FactorRecord, attempts: AttemptState, because error: FactorStoreError
  ) throws(FactorStoreError)
}

extension FactorStore {
  /// Returns exclusive access as `entry(of:creating:)` does, or nil if the user has no data.
  package func existingEntry(of account: Account) throws(FactorStoreError) -> Entry? {
    do throws(FactorStoreError) {
      return try entry(of: account, creating: false)
    } catch {
      if case .system(.attempts, let cause) = error, cause.isNotFound { return nil }
      // A user whose name is too long for a file has no data.
      if error == .nameTooLong { return nil }
      throw error
    }
  }
}

extension FactorStoreEntry {
  /// Returns the stored record, or a new one.
  package func storedRecordOrNew() throws(FactorStoreError) -> FactorRecord {
    if let kept { return kept }
    guard let user = UserName(owner.name) else { throw .nameTooLong }
    let id = try cryptographic { () throws(SystemError) in try FactorID.generate() }
    return FactorRecord(user: user, uid: owner.uid, id: id)
  }

  /// Most stores answer each request once.
  package static var keepsAnswers: Bool { false }

  /// Stores nothing.
  package func answer(_ result: [UInt8]) {}

  /// Throws the error: most stores keep records and the audit log in one place, so that neither can be written alone.
  package func replaceUnrecorded(
    record: FactorRecord, attempts: AttemptState, because error: FactorStoreError
  ) throws(FactorStoreError) { throw error }

  /// The record, or nil if the user is not enrolled.
  package var record: FactorRecord? {
    guard let kept, kept.isEnrolled else { return nil }
    return kept
  }
}
