import MFABase
import MFAModel
import MFAStore
import MFAWire

/// A change that an administrator makes of what is stored for one user.
///
/// `mfa-admin` applies it to the store of its host. On a host of a realm, `mfa-admin` sends the change to a verifier,
/// which applies it to the store of the realm. Both print the same report of its effect.
///
/// MUST 1: a change is reported as made only after it was committed. Its entry in the audit log is part of the commit,
/// unless the change withdraws or restores access and the log of a local store cannot be written.
/// (`FactorStoreConformance.unlocking`, `.grants`; `BrokenAuditLogTests.damaged`)
/// MUST 2: unlocking and revoking end remembered sign-ins. (`FactorStoreConformance.rememberedSignIns`)
/// MUST 3: an effect contains no secret and no digest, except the code of a new grant.
/// (`FactorStoreConformance.grants`)
package enum UserChange: Equatable, Sendable {
  /// Clears the failed attempts and the remembered sign-ins.
  case unlock
  /// Clears the remembered sign-ins.
  case forget
  /// Removes a factor.
  case revoke(FactorID)
  /// Removes all factors, recovery codes, tickets, bypass codes and program passwords.
  case revokeEverything
  /// Creates a ticket or a bypass code. The user may have no factor.
  case grant(GrantTerms)
  /// Withdraws a ticket, a bypass code or a program password, or all of them if the id is nil.
  case withdraw(GrantID?)

  /// A ticket or a bypass code that is to be created.
  package struct GrantTerms: Equatable, Sendable {
    /// The purpose of the code.
    package var kind: Grant.Kind
    /// How long the code is valid, in seconds.
    package var seconds: UInt32
    /// The number of uses.
    package var uses: UInt8
    /// The administrator's reason.
    package var reason: Grant.Reason?

    /// Creates terms.
    package init(kind: Grant.Kind, seconds: UInt32, uses: UInt8, reason: Grant.Reason?) {
      self.kind = kind
      self.seconds = seconds
      self.uses = uses
      self.reason = reason
    }

    /// The valid durations, in seconds: one minute to thirty days.
    package static var durations: ClosedRange<UInt32> { 60...2_592_000 }
    /// The valid numbers of uses.
    package static var numbersOfUses: ClosedRange<UInt8> { 1...20 }

    /// Whether the duration and the number of uses are valid, and the kind is one that administrators create.
    package var areValid: Bool {
      (kind == .ticket || kind == .bypass) && Self.durations.contains(seconds)
        && Self.numbersOfUses.contains(uses)
    }
  }

  /// The name of the change, for the system log.
  package var name: StaticString {
    switch self {
    case .unlock: "unlock"
    case .forget: "forget"
    case .revoke, .revokeEverything: "revoke"
    case .grant: "grant"
    case .withdraw: "withdraw"
    }
  }

  /// Whether the effect depends on the settings.
  package var needsSettings: Bool {
    switch self {
    case .unlock, .grant: true
    case .forget, .revoke, .revokeEverything, .withdraw: false
    }
  }

  /// Whether the user is sent a notice of the change.
  package var isNoticed: Bool {
    switch self {
    case .revoke, .revokeEverything, .grant: true
    case .unlock, .forget, .withdraw: false
    }
  }

  /// Whether the change is possible for a user about whom nothing is stored.
  package var createsRecord: Bool {
    switch self {
    case .grant: true
    case .unlock, .forget, .revoke, .revokeEverything, .withdraw: false
    }
  }

  /// What a change depends on, apart from the stored data.
  package struct Context: Sendable {
    let settings: Settings
    let actor: AuditLogEvent.Actor
    let source: Source
    let now: Int64
    let acceptsRestored: Bool

    /// Creates the context of a change at `now`, in seconds since the epoch. The audit log names `actor`, and notices
    /// to the user name `source`.
    ///
    /// With `acceptsRestored`, an unlocking also accepts files that are older than the audit log requires.
    package init(
      settings: Settings, by actor: AuditLogEvent.Actor, from source: Source, at now: Int64,
      acceptsRestored: Bool = false
    ) {
      self.settings = settings
      self.actor = actor
      self.source = source
      self.now = now
      self.acceptsRestored = acceptsRestored
    }
  }

  /// The result of a change.
  package enum Outcome: Sendable {
    /// The change was made, or there was nothing left to change.
    case made(Effect, AuditLogOutcome)
    /// The user, the factor or the grant does not exist. Nothing was changed.
    case notFound
    /// The user already has the largest number of tickets and bypass codes. Nothing was changed.
    case tooManyGrants
  }

  // MARK: Applying

  /// Makes the change, and commits it once.
  package func apply<Entry: FactorStoreEntry>(
    to entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Outcome {
    if case .grant(let terms) = self { return try Self.grant(terms, entry, context) }
    guard let record = entry.kept else { return .notFound }
    switch self {
    case .unlock: return try Self.unlock(record, entry, context)
    case .forget: return try Self.forget(record, entry, context)
    case .revoke(let id): return try Self.revoke(id, record, entry, context)
    case .revokeEverything: return try Self.revokeEverything(record, entry, context)
    case .withdraw(let id): return try Self.withdraw(id, record, entry, context)
    case .grant: return .notFound
    }
  }

  private static func unlock<Entry: FactorStoreEntry>(
    _ record: FactorRecord, _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Outcome {
    let before = entry.attempts
    let effect = Unlocking(
      record, before, context.settings.throttle,
      adjacentIntervals: context.settings.adjacentIntervals, now: context.now)
    let next = before.unlocked(at: context.now)
    guard next != before || context.acceptsRestored else {
      return record.isEnrolled ? .made(.unlocked(effect), .entered(nil)) : .notFound
    }
    let event = AuditLogEvent(
      context.acceptsRestored ? .restoreAccepted : .unlocked, detail: effect.standing.name.bytes,
      by: context.actor, at: context.now)
    let entered = try replaceEvenUnrecorded(entry, record, next, entering: event)
    return .made(.unlocked(effect), entered)
  }

  private static func forget<Entry: FactorStoreEntry>(
    _ record: FactorRecord, _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Outcome {
    let remembered = entry.attempts.remembered.entries.count
    guard remembered > 0 else {
      return record.isEnrolled ? .made(.forgotten(remembered: 0), .entered(nil)) : .notFound
    }
    let mark = try entry.write(
      entry.attempts.forgetting(),
      entering: AuditLogEvent(.forgotten, by: context.actor, at: context.now))
    return .made(.forgotten(remembered: remembered), .entered(mark))
  }

  private static func revoke<Entry: FactorStoreEntry>(
    _ id: FactorID, _ record: FactorRecord, _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Outcome {
    guard let factor = record.factor(id) else { return .notFound }
    var record = record
    do throws(FactorRecord.ChangeRefusal) {
      try record.unenroll(id, from: context.source, at: context.now)
    } catch {
      return .notFound
    }
    let removal = Removal(
      factors: [FactorSummary(factor)], factorsLeft: record.factors.count, grants: 0,
      remembered: entry.attempts.remembered.entries.count, isOfEverything: false)
    // The watermark is kept until another factor is enrolled. If it were removed before the record, a crash in between
    // would leave a factor that accepts no code.
    let entered = try replaceEvenUnrecorded(
      entry, record, entry.attempts.forgetting(),
      entering: AuditLogEvent(.unenrolled, factor, by: context.actor, at: context.now))
    return .made(.revoked(removal), entered)
  }

  /// Removes all factors and grants, and keeps pending notices.
  private static func revokeEverything<Entry: FactorStoreEntry>(
    _ record: FactorRecord, _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Outcome {
    guard record.isEnrolled || !record.grants.isEmpty else { return .notFound }
    let removal = Removal(
      factors: record.factors.map { FactorSummary($0) }, factorsLeft: 0,
      grants: record.grants.count, remembered: entry.attempts.remembered.entries.count,
      isOfEverything: true)
    var record = record
    record.removeEverything()
    record.note(.revoked, about: .account, from: context.source, at: context.now)
    let entered = try replaceEvenUnrecorded(
      entry, record, entry.attempts.forgetting(),
      entering: AuditLogEvent(.revoked, by: context.actor, at: context.now))
    return .made(.revoked(removal), entered)
  }

  private static func grant<Entry: FactorStoreEntry>(
    _ terms: GrantTerms, _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Outcome {
    var record = try entry.storedRecordOrNew()
    let attempts = entry.kept == nil ? entry.attempts.beginning(record) : entry.attempts
    record.removeExpiredGrants(at: context.now)
    let (end, overflow) = context.now.addingReportingOverflow(Int64(terms.seconds))
    guard !overflow else { throw .damaged(.clock) }
    let new = try Attempt.newGrant(
      terms.kind, of: record, entry, madeAt: context.now, expiresAt: end, uses: terms.uses,
      reason: terms.reason)
    let grant = new.grant
    guard record.add(grant) else { return .tooManyGrants }
    let isTicket = terms.kind == .ticket
    record.note(
      isTicket ? .ticketMade : .bypassMade, terms.reason?.utf8 ?? [], about: .grant,
      from: context.source, at: context.now)
    let mark = try entry.replace(
      record: record, attempts: attempts,
      entering: AuditLogEvent(
        isTicket ? .ticketMade : .bypassMade, grant, by: context.actor, at: context.now))
    let made = NewGrant(
      grant: grant.withoutDigest, code: GrantCode(new.takeCode()),
      standing: attempts.standing(context.settings.throttle, now: context.now),
      isEnrolled: record.isEnrolled)
    return .made(.granted(made), .entered(mark))
  }

  private static func withdraw<Entry: FactorStoreEntry>(
    _ id: GrantID?, _ record: FactorRecord, _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Outcome {
    var record = record
    var withdrawn: [Grant] = []
    var ids: [UInt8] = []
    for grant in record.grants where id == nil || grant.id == id {
      _ = record.withdraw(grant.id)
      if !ids.isEmpty { ids.append(UInt8(ascii: ",")) }
      ids += grant.id.hexadecimal
      withdrawn.append(grant.withoutDigest)
    }
    guard !withdrawn.isEmpty else { return .notFound }
    let mark = try entry.replace(
      record: record, attempts: entry.attempts,
      entering: AuditLogEvent(.grantWithdrawn, ids: ids, by: context.actor, at: context.now))
    return .made(.withdrawn(withdrawn), .entered(mark))
  }

  /// Commits a change that withdraws or restores access. If the log of a local store cannot be written, the change is
  /// made without an entry.
  private static func replaceEvenUnrecorded<Entry: FactorStoreEntry>(
    _ entry: Entry, _ record: FactorRecord, _ attempts: AttemptState, entering event: AuditLogEvent
  ) throws(FactorStoreError) -> AuditLogOutcome {
    do throws(FactorStoreError) {
      return .entered(try entry.replace(record: record, attempts: attempts, entering: event))
    } catch {
      guard error.concernsAuditLog else { throw error }
      try entry.replaceUnrecorded(record: record, attempts: attempts, because: error)
      return .unrecorded(error)
    }
  }
}
