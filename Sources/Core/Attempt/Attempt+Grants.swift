import MFABase
import MFACrypto
import MFAModel
import MFAStore

// Grants by an administrator: bypass codes and tickets.
extension Attempt {
  /// Returns the record's bypass grant whose code was typed, or nil. All grants are compared.
  static func bypass<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, of record: FactorRecord, _ entry: Entry, now: Int64
  ) throws(FactorStoreError) -> Grant? {
    let found = try codes.withRecoveryCode { code throws(FactorStoreError) in
      try grant(.bypass, code, of: record, entry, now: now)
    }
    return found ?? nil
  }

  /// Returns the grant with which the code of a bypass code that was used up enrols a factor, or nil. A code of 80 random
  /// bits cannot be guessed, so the comparison is not counted.
  package static func enrollment<Store: FactorStore>(
    by codes: TypedCodes, of account: Account, in store: Store, now: Int64
  ) throws(FactorStoreError) -> GrantID? {
    guard codes.hasRecoveryCode else { return nil }
    return try store.deciding { () throws(FactorStoreError) in
      guard let entry = try store.existingEntry(of: account), let record = entry.kept else {
        return nil
      }
      let found = try codes.withRecoveryCode { code throws(FactorStoreError) in
        try grant(.enrollment, code, of: record, entry, now: now)
      }
      return (found ?? nil)?.id
    }
  }

  /// Returns the record's grant of this kind that has the code and is valid at `now` (seconds since
  /// the epoch), or nil. All grants are compared.
  static func grant<Entry: FactorStoreEntry>(
    _ kind: Grant.Kind, _ code: borrowing RecoveryCode, of record: FactorRecord, _ entry: Entry,
    now: Int64
  ) throws(FactorStoreError) -> Grant? {
    guard record.grants.contains(where: { $0.kind == kind }) else { return nil }
    let typed = try digest(of: code, RecoveryCodeDigest.Kind(kind), in: record, by: entry)
    guard let found = grant(kind, with: typed, of: record), found.isGood(at: now) else {
      return nil
    }
    return found
  }

  /// Returns the record's grant of this kind with this digest, whether it is still valid or not, or nil. All grants are
  /// compared.
  static func grant(
    _ kind: Grant.Kind, with typed: RecoveryCodeDigest, of record: FactorRecord
  ) -> Grant? {
    var found: Grant?
    for grant in record.grants {
      let digest = grant.digest
      guard constantTimeEquals(digest.span, typed.bytes.span), grant.kind == kind else { continue }
      found = grant
    }
    return found
  }

  /// The result of verifying a ticket.
  package enum RedemptionResult: Sendable {
    /// The ticket is valid. It is used up only when a factor is enrolled with it.
    case good(GrantID)
    /// The ticket is wrong, used or expired. `wait` is the number of seconds before the next
    /// attempt is allowed; 0 for none.
    case wrong(wait: Int64)
    case refused(AttemptState.Standing)
    /// The user has made all the changes that are allowed in an hour. `wait` is the number of
    /// seconds until the next one is allowed.
    case tooManyChanges(wait: Int64)
  }

  /// Verifies a ticket that the user typed. A ticket counts as an attempt, unless the user has no
  /// ticket or has made all the changes that are allowed in an hour. If the ticket is valid, the
  /// attempt is not a failure and counts as one of the user's changes in this hour: a valid ticket
  /// neither adds failures nor clears them.
  package static func redeem<Store: FactorStore>(
    ticket: borrowing RecoveryCode, by account: Account, in store: Store, _ context: Context
  ) throws(FactorStoreError) -> RedemptionResult {
    try store.deciding { () throws(FactorStoreError) in
      // A user without an entry in the store has no ticket, and an attempt does not create an entry.
      guard let entry = try store.existingEntry(of: account),
        let record = entry.kept, record.grants.contains(where: { $0.kind == .ticket })
      else { return .wrong(wait: 0) }
      try context.start()
      guard let allowed = entry.attempts.countingOwnChange(at: context.now) else {
        return .tooManyChanges(wait: entry.attempts.ownChanges.secondsLeft(at: context.now))
      }
      switch try begin(entry, context) {
      case .refused(let standing): return .refused(standing)
      case .repeated: return .wrong(wait: 0)
      case .counted(let counted, let details):
        guard
          let found = try grant(.ticket, ticket, of: record, entry, now: context.now)
        else {
          try entry.sync()
          return .wrong(
            wait: counted.wait(
              context.settings.throttle, counter: context.counter, client: details.client))
        }
        try entry.write(allowed)
        try entry.sync()
        return .good(found.id)
      }
    }
  }

  /// A new grant, with its code, which is stored nowhere.
  package struct NewGrant: ~Copyable {
    /// The grant.
    package let grant: Grant
    private let code: RecoveryCode

    init(grant: Grant, code: consuming RecoveryCode) {
      self.grant = grant
      self.code = code
    }

    /// Returns the code.
    package consuming func takeCode() -> RecoveryCode { code }
  }

  /// Creates a grant for `record`.
  package static func newGrant<Entry: FactorStoreEntry>(
    _ kind: Grant.Kind, of record: FactorRecord, _ entry: Entry, madeAt: Int64, expiresAt: Int64,
    uses: UInt8, reason: Grant.Reason?
  ) throws(FactorStoreError) -> NewGrant {
    let code = try randomCode()
    let digest = try digest(of: code, RecoveryCodeDigest.Kind(kind), in: record, by: entry)
    guard
      let grant = Grant(
        kind: kind, id: try randomGrantID(), madeAt: madeAt, expiresAt: expiresAt, usesLeft: uses,
        reason: reason, digest: digest.bytes)
    else { throw .cryptography }
    return NewGrant(grant: grant, code: code)
  }

  static func randomGrantID() throws(FactorStoreError) -> GrantID {
    let bytes = try cryptographic { () throws(SystemError) in
      try randomBytes(count: GrantID.length)
    }
    guard let id = GrantID(bytes: bytes) else { throw .cryptography }
    return id
  }
}

extension RecoveryCodeDigest.Kind {
  /// The kind of digest that is stored for a grant's code.
  init(_ kind: Grant.Kind) {
    switch kind {
    case .ticket: self = .ticket
    case .bypass, .enrollment: self = .bypass
    case .programPassword: self = .programPassword
    }
  }
}

// Recovery codes. The use of a code is on the disk before the code is reported as accepted.
extension Attempt {
  /// Returns the record's digest of the recovery code that was typed, or nil. All digests are
  /// compared.
  static func recoveryCode<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, of record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> RecoveryCodeDigest? {
    guard !record.recoveryCodes.isEmpty else { return nil }
    var typed: [RecoveryCodeDigest] = []
    let generated = try codes.withRecoveryCode { code throws(FactorStoreError) in
      try digest(of: code, .generated, in: record, by: entry)
    }
    if let generated { typed.append(generated) }
    if let code = codes.code(of: .eight) {
      let written = code.written()
      typed.append(try entry.digest(of: written.span, kind: .imported, in: record))
    }
    var found: RecoveryCodeDigest?
    for code in typed {
      for kept in record.recoveryCodes
      where constantTimeEquals(kept.bytes.span, code.bytes.span) && kept.kind == code.kind {
        found = kept
      }
    }
    return found
  }

  /// A new recovery code, with the digest to store.
  struct NewRecoveryCode: ~Copyable {
    let code: RecoveryCode
    let digest: RecoveryCodeDigest
  }

  /// Creates a recovery code for `record`.
  static func newRecoveryCode<Entry: FactorStoreEntry>(
    of record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> NewRecoveryCode {
    let code = try randomCode()
    let digest = try digest(of: code, .generated, in: record, by: entry)
    return NewRecoveryCode(code: code, digest: digest)
  }

  /// Returns the digest that the record stores for a code.
  static func digest<Entry: FactorStoreEntry>(
    of code: borrowing RecoveryCode, _ kind: RecoveryCodeDigest.Kind, in record: FactorRecord,
    by entry: Entry
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    try entry.digest(of: code.bytes.span, kind: kind, in: record)
  }

  static func randomCode() throws(FactorStoreError) -> RecoveryCode {
    try cryptographic { () throws(SystemError) in try RecoveryCode.random() }
  }
}
