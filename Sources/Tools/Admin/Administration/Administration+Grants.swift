import MFAStore
import MFAAttempt
import MFABase
import MFAModel

// Tickets and bypass codes.
extension Administration {
  /// Creates a grant for a user with an account, whether or not the user has a factor.
  package func grant(
    _ kind: Grant.Kind, to text: String, for duration: GrantDuration, uses: UInt8,
    reason: Grant.Reason?
  ) throws(AdminError) -> NewGrantReport {
    let subject = try subject(text)
    guard let account = subject.account else { throw .noSuchUser(subject.name) }
    let made = try onUser(subject) { () throws(FactorStoreError) in
      try make(kind, for: subject.name, account, until: now + duration.seconds, uses, reason)
    }
    guard let made else { throw .tooManyGrants(subject.name) }
    note(
      kind == .ticket ? "ticket-made" : "bypass-made", subject, made.checkpoint,
      grant: made.report.grant.id.hexadecimal, reason: reason?.utf8)
    deliver(account)
    return made
  }

  /// Creates a grant. Returns nil if the user already has the maximum number of grants.
  private func make(
    _ kind: Grant.Kind, for user: UserName, _ account: Account, until end: Int64, _ uses: UInt8,
    _ reason: Grant.Reason?
  ) throws(FactorStoreError) -> NewGrantReport? {
    let entry = try store.entry(of: account, creating: true)
    var record = try entry.storedRecordOrNew()
    let attempts = entry.kept == nil ? entry.attempts.beginning(record) : entry.attempts
    record.removeExpiredGrants(at: now)
    let new = try Attempt.newGrant(
      kind, of: record, entry, madeAt: now, expiresAt: end, uses: uses, reason: reason)
    let grant = new.grant
    guard record.add(grant) else { return nil }
    record.note(
      kind == .ticket ? .ticketMade : .bypassMade, reason?.utf8 ?? [], about: .grant,
      from: Source(actor), at: now)
    let mark = try entry.replace(
      record: record, attempts: attempts,
      entering: AuditLogEvent(
        kind == .ticket ? .ticketMade : .bypassMade, grant, by: ledgerActor, at: now))
    return NewGrantReport(
      report: GrantReport(user: user, grant: grant, isGood: true),
      warning: Self.warning(
        kind, record, attempts.standing(settings.throttle, now: now)), checkpoint: mark,
      code: new.takeCode())
  }

  /// Returns why the grant may not work, or nil.
  static func warning(
    _ kind: Grant.Kind, _ record: FactorRecord, _ standing: AttemptState.Standing
  ) -> String? {
    switch standing {
    case .open: break
    case .throttled(let seconds):
      return
        "too many wrong codes: no code is accepted for \(seconds) s; mfa-admin unlock ends the wait"
    case .locked:
      return "too many wrong codes: no code is accepted until you run mfa-admin unlock"
    }
    guard kind == .bypass, !record.isEnrolled else { return nil }
    return "no factor is enrolled: a code is asked for only where policy requires a factor"
  }

  /// Returns the grants of one user, or of all users if `text` is nil.
  package func grants(_ text: String?) throws(AdminError) -> [GrantReport] {
    guard let text else { return try allGrants() }
    let subject = try subject(text)
    return reports(try kept(subject))
  }

  private func allGrants() throws(AdminError) -> [GrantReport] {
    var reports: [GrantReport] = []
    for user in try storedUsers() {
      let subject = try subject(String(decoding: user.bytes, as: UTF8.self))
      // Without an account no grant can be used; `list` reports the record.
      guard subject.account != nil else { continue }
      reports += self.reports(try kept(subject))
    }
    return reports
  }

  private func reports(_ record: FactorRecord?) -> [GrantReport] {
    guard let record else { return [] }
    return record.grants.map {
      GrantReport(user: record.user, grant: $0, isGood: $0.isGood(at: now))
    }
  }

  /// Withdraws grants, and returns a report with the withdrawn grants.
  package func withdraw(
    _ target: WithdrawalTarget, of text: String
  ) throws(AdminError) -> WithdrawalReport {
    let subject = try subject(text)
    guard let account = subject.account else { throw .noSuchUser(subject.name) }
    guard try kept(subject) != nil else { throw .noSuchGrant(subject.name) }
    let (withdrawn, mark) = try onUser(subject) { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      guard var record = entry.kept else { return ([] as [Grant], nil as AuditLogCheckpoint?) }
      let ids =
        switch target {
        case .everything: record.grants.map(\.id)
        case .one(let id): [id]
        }
      let grants = ids.compactMap { record.withdraw($0) }
      guard !grants.isEmpty else { return ([], nil) }
      let event = AuditLogEvent(
        .grantWithdrawn,
        ids: Array(grants.map(\.id.hexadecimal).joined(separator: [UInt8(ascii: ",")])),
        by: ledgerActor, at: now)
      return (
        grants, try entry.replace(record: record, attempts: entry.attempts, entering: event)
      )
    }
    guard !withdrawn.isEmpty else { throw .noSuchGrant(subject.name) }
    for grant in withdrawn {
      note(
        "grant-withdrawn", subject, mark, grant: grant.id.hexadecimal, reason: grant.reason?.utf8)
    }
    return WithdrawalReport(user: subject.name, grants: withdrawn, mark: mark)
  }

  /// The grants to withdraw.
  package enum WithdrawalTarget: Equatable {
    case one(GrantID)
    case everything
  }

  /// Returns the stored record of a user, even if it has no factors, or nil.
  private func kept(_ subject: AdministeredUser) throws(AdminError) -> FactorRecord? {
    try onUser(subject) { () throws(FactorStoreError) in
      try store.existingEntry(of: subject.accountOrPlaceholder)?.kept
    }
  }

  /// Returns the users that have a file in the store, sorted by name.
  private func storedUsers() throws(AdminError) -> [UserName] {
    var users: [UserName] = []
    try onStore { () throws(FactorStoreError) in
      try store.forEachFile { user, name in
        if let user, !Self.isDraft(name) { users.append(user) }
        return true
      }
    }
    return users.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
