import MFAStore
import MFAAttempt
import MFAModel
import MFARealmStore

// Changes whose result an administrator on a host is shown: each returns what the realm had before it.
extension RealmUsers {
  /// A change that was committed.
  struct Change {
    /// What the realm had before.
    let before: FactorSnapshot
    /// The entry in the audit log; nil if nothing was changed.
    let checkpoint: AuditLogCheckpoint?
  }

  /// A grant that was added.
  struct NewRealmGrant: ~Copyable {
    /// What the realm has now.
    let after: FactorSnapshot
    let checkpoint: AuditLogCheckpoint?
    let grant: Grant
    let code: RecoveryCode
  }

  /// Makes a change of a user's entry. Returns nil if the realm has nothing about the user.
  private func change(
    _ name: [UInt8],
    _ body: (SharedFactorStoreEntry<Engine>, FactorRecord) throws(FactorStoreError)
      -> AuditLogCheckpoint?
  ) throws(FactorStoreError) -> Change? {
    try store.deciding { () throws(FactorStoreError) -> Change? in
      guard let entry = try store.existingEntry(of: Self.account(name)), let record = entry.kept
      else { return nil }
      let before = FactorSnapshot(record: record, attempts: entry.attempts)
      return Change(before: before, checkpoint: try body(entry, record))
    }
  }

  /// Returns what the realm has about a user, even without a factor.
  func kept(_ name: [UInt8]) throws(FactorStoreError) -> FactorSnapshot? {
    try store.keptSnapshot(of: Self.account(name))
  }

  /// Clears the failed attempts and remembered sign-ins of a user.
  func unlocking(_ name: [UInt8]) throws(FactorStoreError) -> Change? {
    try change(name) { entry, _ throws(FactorStoreError) in
      let state = entry.attempts.unlocked(at: now)
      guard state != entry.attempts else { return nil }
      return try entry.write(state, entering: AuditLogEvent(.unlocked, by: actor, at: now))
    }
  }

  /// Clears the remembered sign-ins of a user.
  func forgetting(_ name: [UInt8]) throws(FactorStoreError) -> Change? {
    try change(name) { entry, _ throws(FactorStoreError) in
      guard !entry.attempts.remembered.entries.isEmpty else { return nil }
      return try entry.write(
        entry.attempts.forgetting(), entering: AuditLogEvent(.forgotten, by: actor, at: now))
    }
  }

  /// Removes a factor. Returns nil if the user has no such factor.
  func revoking(_ name: [UInt8], _ id: FactorID) throws(FactorStoreError) -> Change? {
    guard let kept = try kept(name), kept.record.factor(id) != nil else { return nil }
    if kept.record.factors.count == 1 { try store.removeRest(of: name, releasing: true) }
    return try change(name) { entry, record throws(FactorStoreError) in
      var record = record
      guard let factor = record.factor(id) else { return nil }
      do throws(FactorRecord.ChangeRefusal) {
        try record.unenroll(id, from: actor.source, at: now)
      } catch { return nil }
      return try entry.replace(
        record: record, attempts: entry.attempts.forgetting(),
        entering: AuditLogEvent(.unenrolled, factor, by: actor, at: now))
    }
  }

  /// Removes all factors, recovery codes and grants of a user. Returns nil if the user has none of these.
  func revokingEverything(_ name: [UInt8]) throws(FactorStoreError) -> Change? {
    try store.removeRest(of: name, releasing: true)
    guard let kept = try kept(name), kept.record.isEnrolled || !kept.record.grants.isEmpty else {
      return nil
    }
    return try change(name) { entry, record throws(FactorStoreError) in
      var record = record
      record.removeEverything()
      record.note(.revoked, about: .account, from: actor.source, at: now)
      return try entry.replace(
        record: record, attempts: entry.attempts.forgetting(),
        entering: AuditLogEvent(.revoked, by: actor, at: now))
    }
  }

  /// The result of `rename`.
  enum Renaming: Equatable {
    case moved
    /// The realm has nothing about the user.
    case unknown
    /// The realm has factors or grants of another user with the new name.
    case taken
  }

  /// Moves a user's factors, codes and failed attempts to the user's new name, in one commit. Removes the offline
  /// recovery codes, of which hosts may still hold copies under the old name.
  func rename(_ name: [UInt8], to next: [UInt8]) throws(FactorStoreError) -> Renaming {
    let renaming = try store.deciding { () throws(FactorStoreError) -> Renaming in
      guard let entry = try store.existingEntry(of: Self.account(name)), entry.kept != nil else {
        return .unknown
      }
      let other = try store.entry(of: Self.account(next), creating: true)
      guard other.kept?.isEnrolled != true, other.kept?.grants.isEmpty != false else {
        return .taken
      }
      // Removed first: if a code were left, it would be accepted for whoever enrols next under the name.
      try OfflineRegistry(store).removeCodes(of: name)
      _ = try entry.move(to: other, by: actor, at: now)
      return .moved
    }
    guard renaming == .moved else { return renaming }
    try DirectoryRegistry(store).move(from: name, to: next)
    try store.removeRest(of: name)
    return .moved
  }

  /// Withdraws a grant, or all grants if `id` is nil. Returns nil if there is none.
  func withdrawing(_ name: [UInt8], _ id: GrantID?) throws(FactorStoreError) -> Change? {
    let grants = try kept(name)?.record.grants ?? []
    guard grants.contains(where: { id == nil || $0.id == id }) else { return nil }
    return try change(name) { entry, record throws(FactorStoreError) in
      var record = record
      let ids = id.map { [$0] } ?? record.grants.map(\.id)
      let withdrawn = ids.compactMap { record.withdraw($0) }
      guard !withdrawn.isEmpty else { return nil }
      return try entry.replace(
        record: record, attempts: entry.attempts,
        entering: AuditLogEvent(
          .grantWithdrawn,
          ids: Array(withdrawn.map(\.id.hexadecimal).joined(separator: [UInt8(ascii: ",")])),
          by: actor, at: now))
    }
  }

  /// What a grant is for.
  struct GrantTerms {
    let kind: Grant.Kind
    /// The first second in which the grant is no longer valid, in seconds since the epoch.
    let expiresAt: Int64
    let uses: UInt8
    let reason: Grant.Reason?
  }

  /// Adds a grant. Returns nil if the user already has the largest number of grants.
  func granting(
    _ name: [UInt8], _ terms: GrantTerms
  ) throws(FactorStoreError) -> NewRealmGrant? {
    var made: NewRealmGrant?
    try store.deciding { () throws(FactorStoreError) in
      made = nil
      let entry = try store.entry(of: Self.account(name), creating: true)
      var record = try entry.storedRecordOrNew()
      let attempts = entry.kept == nil ? entry.attempts.beginning(record) : entry.attempts
      record.removeExpiredGrants(at: now)
      let new = try Attempt.newGrant(
        terms.kind, of: record, entry, madeAt: now, expiresAt: terms.expiresAt, uses: terms.uses,
        reason: terms.reason)
      let grant = new.grant
      guard record.add(grant) else { return }
      let isTicket = terms.kind == .ticket
      record.note(
        isTicket ? .ticketMade : .bypassMade, terms.reason?.utf8 ?? [], about: .grant,
        from: actor.source, at: now)
      let checkpoint = try entry.replace(
        record: record, attempts: attempts,
        entering: AuditLogEvent(isTicket ? .ticketMade : .bypassMade, grant, by: actor, at: now))
      made = NewRealmGrant(
        after: FactorSnapshot(record: record, attempts: attempts), checkpoint: checkpoint,
        grant: grant, code: new.takeCode())
    }
    return made
  }
}
