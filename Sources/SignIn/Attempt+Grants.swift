import FactorStore
import Factors
import OneTimePassword
import Policy
import Secrets
import System

// What an administrator granted: bypass codes and tickets.
extension Attempt {
  /// The bypass code of the record's that an answer is, or nil. All are compared.
  static func bypass<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, of record: FactorRecord, _ entry: Entry, now: Int64
  ) throws(FactorStoreError) -> Grant? {
    guard let code = codes.recoveryCode else { return nil }
    return try grant(.bypass, code, of: record, entry, now: now)
  }

  /// The grant of a kind that has the code and is good at `now` (seconds since the epoch), or nil. All
  /// are compared.
  static func grant<Entry: FactorStoreEntry>(
    _ kind: Grant.Kind, _ code: RecoveryCode, of record: FactorRecord, _ entry: Entry, now: Int64
  ) throws(FactorStoreError) -> Grant? {
    guard record.grants.contains(where: { $0.kind == kind }) else { return nil }
    let bytes = code.bytes()
    let typed = try entry.digest(
      of: bytes.span, kind: RecoveryCodeDigest.Kind(kind), in: record)
    var found: Grant?
    for grant in record.grants {
      let digest = grant.digest
      guard constantTimeEquals(digest.span, typed.bytes.span), grant.kind == kind,
        grant.isGood(at: now)
      else { continue }
      found = grant
    }
    return found
  }

  /// Counts the use, durably, before anybody is let in.
  static func use<Entry: FactorStoreEntry>(
    _ grant: Grant, of record: FactorRecord, _ state: AttemptState, _ entry: Entry,
    _ circumstances: Circumstances
  ) throws(FactorStoreError) -> Result {
    var record = record
    guard record.use(grant.id) else { throw .damaged(.record) }
    record.removeExpiredGrants(at: circumstances.now)
    record.note(
      .bypassUsed, grant.reason?.utf8 ?? [], about: .grant, from: circumstances.source,
      at: circumstances.now)
    let event = LedgerEvent(
      .bypassUsed, grant, by: circumstances.actor(record), at: circumstances.now)
    let mark = try entry.replace(
      record: record, attempts: state, entering: event)
    return .bypassed(grant, mark)
  }

  /// The result of verifying a ticket.
  public enum Redeeming: Sendable {
    /// It is good; it is used up only by what it is good for.
    case good(GrantID)
    /// Wrong, used or expired, with how many seconds to wait before the next attempt; 0 for none.
    case wrong(wait: Int64)
    case refused(AttemptState.Standing)
    /// The user has made as many changes as are allowed in an hour; with the seconds that are left.
    case tooManyChanges(wait: Int64)
  }

  /// Verifies a ticket that the user typed. It is counted as one of the user's own checks and as one of
  /// the changes of this hour, and changes no other count, right or wrong.
  public static func redeem<Store: FactorStore>(
    ticket: RecoveryCode, by account: Account, in store: Store, _ circumstances: Circumstances
  ) throws(FactorStoreError) -> Redeeming {
    // Without a place in the store there is no ticket, and none is made for an attempt.
    guard let entry = try store.existingEntry(of: account),
      let record = entry.kept, record.grants.contains(where: { $0.kind == .ticket })
    else { return .wrong(wait: 0) }
    try circumstances.start()
    guard let allowed = entry.attempts.countingOwnChange(at: circumstances.now) else {
      return .tooManyChanges(wait: entry.attempts.ownChanges.secondsLeft(at: circumstances.now))
    }
    switch try begin(entry, circumstances) {
    case .refused(let standing): return .refused(standing)
    case .counted(let counted):
      guard
        let found = try grant(.ticket, ticket, of: record, entry, now: circumstances.now)
      else {
        try entry.sync()
        return .wrong(
          wait: counted.wait(circumstances.settings.throttle, counter: circumstances.counter))
      }
      try entry.write(allowed)
      try entry.sync()
      return .good(found.id)
    }
  }

  /// A new grant for `record`, and its code, which is nowhere else.
  public static func newGrant<Entry: FactorStoreEntry>(
    _ kind: Grant.Kind, of record: FactorRecord, _ entry: Entry, madeAt: Int64, expiresAt: Int64,
    uses: UInt8, reason: Grant.Reason?
  ) throws(FactorStoreError) -> (code: RecoveryCode, grant: Grant) {
    let code = try randomCode()
    let bytes = code.bytes()
    let digest = try entry.digest(of: bytes.span, kind: RecoveryCodeDigest.Kind(kind), in: record)
    guard
      let grant = Grant(
        kind: kind, id: try randomGrantID(), madeAt: madeAt, expiresAt: expiresAt, usesLeft: uses,
        reason: reason, digest: digest.bytes)
    else { throw .cryptography }
    return (code, grant)
  }

  static func randomGrantID() throws(FactorStoreError) -> GrantID {
    let bytes: [UInt8]
    do throws(CryptographyError) {
      bytes = try randomBytes(count: GrantID.length)
    } catch {
      throw .cryptography
    }
    guard let id = GrantID(bytes: bytes) else { throw .cryptography }
    return id
  }
}

extension RecoveryCodeDigest.Kind {
  /// The kind of digest that is kept of a grant's code.
  init(_ kind: Grant.Kind) {
    switch kind {
    case .ticket: self = .ticket
    case .bypass: self = .bypass
    }
  }
}
