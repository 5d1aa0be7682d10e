import MFAAuditLog
import MFACrypto
public import MFAFactors
public import MFAOneTimePassword
public import MFASecrets
import MFAStoreFiles
public import MFASystem

/// A store of factor records and attempt states.
///
/// `LocalFactorStore` keeps them on the local disk; another store could share them between hosts.
/// All decisions are made by pure functions in `MFAFactors`. A store only reads, locks and writes.
public protocol FactorStore {
  /// Exclusive access to one user's stored data.
  associatedtype Entry: FactorStoreEntry

  /// Returns the user's current record and attempt state, or nil if the user is not enrolled. Holds
  /// no lock when it returns, so the stored data may have changed by the time the result is used.
  func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot?

  /// Returns what `snapshot` returns, even when the record has no factors, or nil if nothing is
  /// stored.
  func keptSnapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot?

  /// Does the cryptographic work of `snapshot` for an enrolled user, and nothing else.
  func imitateSnapshot() throws(FactorStoreError)

  /// Does the cryptographic work of an attempt with a factor, and nothing else.
  func imitateAttempt(
    _ code: Code, now: Int64, adjacentIntervals: UInt8
  ) throws(FactorStoreError)

  /// Returns the user's stored record, even when it has no factors, or nil. Takes no lock.
  func kept(for account: Account) throws(FactorStoreError) -> FactorRecord?

  /// Returns digests of `places`. The digests are keyed, so that only this host can recognise a
  /// place.
  func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest]

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

  /// Waits for exclusive access to the user's stored data and returns it. Access ends when the
  /// returned object is released.
  ///
  /// If the user has no data yet, the function creates the data if `creating` is set, as for an
  /// enrolment, and throws otherwise.
  func entry(of account: Account, creating: Bool) throws(FactorStoreError) -> Entry
}

/// Exclusive access to one user's stored data, held as long as the object lives.
public protocol FactorStoreEntry: AnyObject {
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

  /// Writes the attempt state, so that other processes see it even if this process ends now. It is
  /// durable only after `sync`.
  func write(_ attempts: AttemptState) throws(FactorStoreError)

  /// Writes an attempt state durably for an event that does not change the record. The event is
  /// recorded in the audit log first.
  ///
  /// - Returns: the checkpoint of the log entry, for the system log.
  func write(
    _ attempts: AttemptState, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> AuditLogCheckpoint

  /// Waits until everything written is on the disk.
  func sync() throws(FactorStoreError)

  /// Replaces the record in one durable step. The attempt state is written before and after the
  /// record, so that an interruption at any point leaves a usable pair. A vacant record is removed.
  ///
  /// The event is recorded in the audit log first; if that fails, the record does not change.
  /// `event` is nil for a change that does not affect how users can sign in, such as marking
  /// notices as mailed.
  ///
  /// - Returns: the checkpoint of the log entry, for the system log.
  func replace(
    record: FactorRecord, attempts: AttemptState, entering event: AuditLogEvent?
  ) throws(FactorStoreError) -> AuditLogCheckpoint?
}

extension FactorStore {
  /// Returns exclusive access as `entry(of:creating:)` does, or nil if the user has no data.
  public func existingEntry(of account: Account) throws(FactorStoreError) -> Entry? {
    do throws(FactorStoreError) {
      return try entry(of: account, creating: false)
    } catch {
      if case .system(.attempts, let cause) = error, cause.isNotFound { return nil }
      throw error
    }
  }
}

extension FactorStoreEntry {
  /// Returns the stored record, or a new record for `account`, which must be the account of this
  /// entry.
  public func storedRecordOrNew(for account: Account) throws(FactorStoreError) -> FactorRecord {
    if let kept { return kept }
    guard let user = UserName(account.name) else { throw .nameTooLong }
    let id = try cryptographic { () throws(CryptographyError) in try FactorID.generate() }
    return FactorRecord(user: user, uid: account.uid, id: id)
  }

  /// The record, or nil if the user is not enrolled.
  public var record: FactorRecord? {
    guard let kept, kept.isEnrolled else { return nil }
    return kept
  }
}
