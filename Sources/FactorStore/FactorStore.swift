public import Factors
public import OneTimePassword
public import Secrets
public import System

/// Where factors and attempts are kept.
///
/// The local store is one; a store that a fleet shares can be another. Every decision is made by
/// pure functions in `Factors`; a store only reads, locks and writes.
public protocol FactorStore {
  /// One user's place in the store, held exclusively.
  associatedtype Entry: FactorStoreEntry

  /// The user's record and attempt state as they are now, or nil when nothing is enrolled. Takes no
  /// lock: by the time it is looked at, it may have changed.
  func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot?

  /// Does the work of `snapshot` for a user about whom there is something, and decides nothing.
  func imitateSnapshot() throws(FactorStoreError)

  /// Does the cryptographic work of an attempt for nobody, and decides nothing.
  func imitateAttempt(
    _ code: Code, now: Int64, adjacentIntervals: UInt8
  ) throws(FactorStoreError)

  /// Returns the user's record, even when it has no factor, or nil. Takes no lock.
  func kept(for account: Account) throws(FactorStoreError) -> FactorRecord?

  /// What is kept of places in `record`: keyed, so that only this host recognises them.
  func digests(
    of places: [Place], in record: FactorRecord
  ) throws(FactorStoreError) -> [PlaceDigest]

  /// Whether the configuration of this fingerprint is the one that was entered in the ledger last.
  func knows(configuration: UInt64) throws(FactorStoreError) -> Bool

  /// Enters in the ledger that the configuration is another one.
  ///
  /// - Returns: the mark of the ledger's entry, for the log; nil where somebody else was first.
  func enter(
    _ event: LedgerEvent, configuration: UInt64
  ) throws(FactorStoreError) -> LedgerMark?

  /// The user's place, once nobody else holds it. It is given back when the entry is let go of.
  ///
  /// `creating` makes it where there is none, for an enrolment; else that is an error.
  func entry(of account: Account, creating: Bool) throws(FactorStoreError) -> Entry
}

/// One user's place in the store, held exclusively for as long as the value lives.
public protocol FactorStoreEntry: AnyObject {
  /// What is kept for the user, with a factor or without, or nil when nothing is.
  var kept: FactorRecord? { get }

  /// The attempt state that goes with what is kept; where nothing is, what was last written for
  /// nobody's record (`FactorID.zero`), or a fresh one.
  var attempts: AttemptState { get }

  /// A factor's secret, unsealed.
  func secret(of factor: Factor) throws(FactorStoreError) -> SecretBytes

  /// Seals a secret for a factor of `record`.
  func seal(
    _ secret: Span<UInt8>, for factor: FactorID, parameters: TOTPParameters, in record: FactorRecord
  ) throws(FactorStoreError) -> [UInt8]

  /// What is kept of a recovery code of `record`: keyed, so that only this host recognises it.
  func digest(
    of recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind, in record: FactorRecord
  ) throws(FactorStoreError) -> RecoveryCodeDigest

  /// What is kept of places in `record`.
  func digests(
    of places: [Place], in record: FactorRecord
  ) throws(FactorStoreError) -> [PlaceDigest]

  /// Writes the attempt state down, so that whoever asks next sees it even when this process ends
  /// now. It is on the disk only after `sync`.
  func write(_ attempts: AttemptState) throws(FactorStoreError)

  /// Writes an attempt state down, durably, for what changes no record; the ledger says so first.
  ///
  /// - Returns: the mark of the ledger's entry, for the log.
  func write(
    _ attempts: AttemptState, entering event: LedgerEvent
  ) throws(FactorStoreError) -> LedgerMark

  /// Waits until what was written is on the disk.
  func sync() throws(FactorStoreError)

  /// Replaces the record in one durable step, and the attempt state before or after it, in the order
  /// that leaves a usable pair wherever it is interrupted. A vacant record is removed.
  ///
  /// The ledger says so first: what cannot be entered there does not happen. `event` is nil for what
  /// changes nothing about who can sign in, such as that notices were mailed.
  ///
  /// - Returns: the mark of the ledger's entry, for the log.
  func replace(
    record: FactorRecord, attempts: AttemptState, entering event: LedgerEvent?
  ) throws(FactorStoreError) -> LedgerMark?
}

extension FactorStore {
  /// The user's place, as `entry(of:creating:)` gives it; nil where none was ever made.
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
  /// What is kept for the user, or a new record for `account`, whose place this is.
  public func keptOrNew(for account: Account) throws(FactorStoreError) -> FactorRecord {
    if let kept { return kept }
    guard let user = UserName(account.name) else { throw .nameTooLong }
    let id = try cryptographic { () throws(CryptographyError) in try FactorID.generate() }
    return FactorRecord(user: user, uid: account.uid, id: id)
  }

  /// The record, or nil when nothing is enrolled.
  public var record: FactorRecord? {
    guard let kept, kept.isEnrolled else { return nil }
    return kept
  }
}
