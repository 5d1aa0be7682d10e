import MFAStore
import MFABase
import MFAModel
import MFARealm

/// The operations of the administrator's commands on the realm of this host.
///
/// MUST 1: a record that cannot be used is reported, never omitted. (`RealmAdministratorTests.unusable`)
/// MUST 2: each change is written to the system log of this host, with its checkpoint.
/// (`RealmAdministratorTests.changesAreLogged`)
package struct RealmAdministrator {
  /// Sends a request.
  let send: (AdministrationCommand) throws(RealmProblem) -> AdministrationReply
  /// The accounts of this host, with which names are spelled.
  let accounts: AccountSource
  /// The administrator's account name, as shown in the log.
  let actor: [UInt8]
  /// Writes a change to the system log.
  let log: (LogPriority, LogLine) -> Void

  /// Creates an administrator.
  package init(
    accounts: AccountSource, actor: [UInt8], log: @escaping (LogPriority, LogLine) -> Void,
    send: @escaping (AdministrationCommand) throws(RealmProblem) -> AdministrationReply
  ) {
    self.accounts = accounts
    self.actor = actor
    self.log = log
    self.send = send
  }

  func reply(
    to command: AdministrationCommand
  ) throws(AdminError) -> AdministrationReply {
    do throws(RealmProblem) { return try send(command) } catch { throw .realm(error) }
  }

  // MARK: Reading

  /// Returns a report on each user with a factor, even if the record cannot be used, sorted by name.
  package func users() throws(AdminError) -> [UserReport] {
    try all().filter(\.isShown).map(\.report)
  }

  /// Returns the login accounts of this host that are not enrolled in the realm, sorted by name.
  package func notEnrolled() throws(AdminError) -> [UserReport] {
    let enrolled = Set(try users().map(\.name))
    return try accounts.loginAccounts().filter { !enrolled.contains($0.name) }.map {
      UserReport(name: $0.name, content: .notEnrolled(uid: $0.uid))
    }
  }

  /// Returns the report on one user.
  package func user(_ text: String) throws(AdminError) -> UserReport {
    let name = try subject(text)
    guard let user = try find(name), user.isShown else { throw .notEnrolled(name) }
    return user.report
  }

  /// Returns the grants of one user, or of all users if `text` is nil.
  package func grants(_ text: String?) throws(AdminError) -> [GrantReport] {
    guard let text else { return try all().flatMap(\.grants) }
    return try find(try subject(text))?.grants ?? []
  }

  /// The largest number of replies to one command. Each has at least one element.
  private static let mostPages = 1_000_000

  func all() throws(AdminError) -> [RealmUser] {
    var users: [RealmUser] = []
    for _ in 0..<Self.mostPages {
      switch try reply(to: .users(after: users.last?.name ?? [])) {
      case .users(let page, let rules, let isEnd):
        users += page.map { RealmUser($0, rules) }
        if isEnd { return users }
        guard !page.isEmpty else { throw .realm(.otherVersion) }
      default: throw .realm(.otherVersion)
      }
    }
    throw .realm(.otherVersion)
  }

  /// Returns what the realm has about a user, or nil.
  func find(_ name: UserName) throws(AdminError) -> RealmUser? {
    do throws(RealmProblem) {
      switch try send(.user(name.bytes)) {
      case .users(let users, let rules, _): return users.first.map { RealmUser($0, rules) }
      default: throw .otherVersion
      }
    } catch .refused(.notFound, _) {
      return nil
    } catch {
      throw .realm(error)
    }
  }

  /// Returns the name of a user in the realm: that of the account on this host, if there is one.
  private func subject(_ text: String) throws(AdminError) -> UserName {
    guard let name = UserName(Array(text.utf8)) else { throw .notAUserName(text) }
    do throws(SystemError) {
      return try accounts.named(name.bytes).flatMap { UserName($0.name) } ?? name
    } catch {
      throw .account(name, error)
    }
  }

  // MARK: Changes

  /// Makes a change of a user, and returns what the realm had before.
  private func change(
    _ command: AdministrationCommand, _ name: UserName
  ) throws(AdminError) -> (before: RealmUser, mark: AuditLogCheckpoint?) {
    do throws(RealmProblem) {
      switch try send(command) {
      case .changed(let user, let rules, let checkpoint):
        return (RealmUser(user, rules), AuditLogCheckpoint(checkpoint))
      default: throw .otherVersion
      }
    } catch .refused(.notFound, _) {
      throw .notEnrolled(name)
    } catch {
      throw .realm(error)
    }
  }

  /// Clears the failed attempts of a user, and returns what was found.
  package func unlock(_ text: String) throws(AdminError) -> UnlockingReport {
    let name = try subject(text)
    let (before, mark) = try change(.unlock(name.bytes), name)
    guard let snapshot = before.snapshot else { throw .realm(.otherVersion) }
    let effect = UnlockEffect(
      snapshot.record, snapshot.attempts, before.throttle,
      adjacentIntervals: before.rules.adjacentIntervals, now: before.rules.time)
    note("unlocked", name, mark)
    return UnlockingReport(user: name, unlocking: effect, entered: .entered(mark))
  }

  /// Clears the remembered sign-ins of a user, and returns their number.
  package func clearRememberedSignIns(
    of text: String
  ) throws(AdminError) -> ClearedSignInsReport {
    let name = try subject(text)
    let (before, mark) = try change(.forget(name.bytes), name)
    note("forgotten", name, mark)
    return ClearedSignInsReport(
      user: name, rememberedCount: before.rememberedCount, mark: mark)
  }

  /// A revocation that is planned but not yet carried out.
  package struct Revocation {
    package let user: UserName
    /// The factor, or nil to revoke everything.
    package let factor: Factor?

    /// The question to the administrator.
    package var question: String {
      let name = VisibleText(user)
      guard let factor else {
        return
          "revoke every factor of \(name) in the realm, and remove everything else that is stored?"
      }
      return "revoke \(VisibleText(factor.displayName)) of \(name) in the realm?"
    }
  }

  /// Determines what a revocation would remove, so that the administrator can confirm it.
  package func plan(
    _ target: Administration.Target, of text: String
  ) throws(AdminError) -> Revocation {
    let name = try subject(text)
    guard let user = try find(name) else { throw .notEnrolled(name) }
    switch target {
    case .everything: return Revocation(user: name, factor: nil)
    case .factor(let selector):
      guard let record = user.snapshot?.record, record.isEnrolled else { throw .notEnrolled(name) }
      return Revocation(user: name, factor: try Administration.select(selector, in: record))
    }
  }

  /// Carries out a revocation, and returns what was removed.
  package func revoke(_ revocation: Revocation) throws(AdminError) -> RevocationReport {
    let name = revocation.user
    let (before, mark) = try change(
      .revoke(name.bytes, factor: revocation.factor?.id.bytes ?? []), name)
    let factors = before.snapshot?.record.factors ?? []
    note("revoked", name, mark, factor: revocation.factor?.id.hexadecimal ?? Array("all".utf8))
    let removal: RevocationReport.Removal =
      if let factor = revocation.factor {
        .factor(factor, left: max(factors.count - 1, 0), rememberedCount: before.rememberedCount)
      } else {
        .everything(
          factors, grants: before.grants.count, rememberedCount: before.rememberedCount)
      }
    return RevocationReport(user: name, removal: removal, entered: .entered(mark))
  }

  /// Withdraws grants, and returns a report with the withdrawn grants.
  package func withdraw(
    _ target: Administration.WithdrawalTarget, of text: String
  ) throws(AdminError) -> WithdrawalReport {
    let name = try subject(text)
    let id: GrantID? =
      switch target {
      case .one(let id): id
      case .everything: nil
      }
    let (before, mark): (RealmUser, AuditLogCheckpoint?)
    do throws(AdminError) {
      (before, mark) = try change(.withdraw(name.bytes, id: id?.bytes ?? []), name)
    } catch .notEnrolled {
      throw .noSuchGrant(name)
    }
    let grants = before.grants.map(\.grant).filter { id == nil || $0.id == id }
    for grant in grants { note("grant-withdrawn", name, mark, grant: grant.id.hexadecimal) }
    return WithdrawalReport(user: name, grants: grants, mark: mark)
  }

  /// Creates a grant for a user who has an account on this host, or whom the realm knows.
  package func grant(
    _ kind: Grant.Kind, to text: String, for duration: GrantDuration, uses: UInt8,
    reason: Grant.Reason?
  ) throws(AdminError) -> NewGrantReport {
    let name = try subject(text)
    if try !hasAccount(name), try find(name) == nil { throw .noSuchUser(name) }
    let terms = AdministrationGrant(
      kind: kind.rawValue, seconds: UInt32(clamping: duration.seconds), uses: uses,
      reason: reason?.utf8 ?? [])
    switch try reply(to: .grant(name.bytes, terms)) {
    case .granted(let after, let rules, let checkpoint, let id, let code):
      let user = RealmUser(after, rules)
      let mark = AuditLogCheckpoint(checkpoint)
      guard let grant = user.grants.first(where: { $0.grant.id.bytes == id }),
        let snapshot = user.snapshot, let code = RecoveryCode(answer: code.span)
      else { throw .realm(.otherVersion) }
      note(
        kind == .ticket ? "ticket-made" : "bypass-made", name, mark,
        grant: grant.grant.id.hexadecimal,
        reason: reason?.utf8)
      return NewGrantReport(
        report: grant,
        warning: Administration.warning(
          kind, snapshot.record, snapshot.attempts.standing(user.throttle, now: rules.time)),
        checkpoint: mark, code: code)
    default: throw .realm(.otherVersion)
    }
  }

  private func hasAccount(_ name: UserName) throws(AdminError) -> Bool {
    do throws(SystemError) { return try accounts.named(name.bytes) != nil } catch {
      throw .account(name, error)
    }
  }

  /// Writes a change to the system log.
  func note(
    _ result: StaticString, _ user: UserName, _ mark: AuditLogCheckpoint?, factor: [UInt8]? = nil,
    grant: [UInt8]? = nil, reason: [UInt8]? = nil
  ) {
    note(result, mark) { line in
      line.add("user", escaping: user.bytes)
      if let factor { line.add("factor", escaping: factor) }
      if let grant { line.add("grant", escaping: grant) }
      if let reason { line.add("reason", escaping: reason) }
    }
  }

  func note(_ result: StaticString, host: [UInt8], _ mark: AuditLogCheckpoint?) {
    note(result, mark) { $0.add("host", escaping: host) }
  }

  /// Writes a change to the system log. `what` adds what was changed.
  private func note(
    _ result: StaticString, _ mark: AuditLogCheckpoint?, _ what: (inout LogLine) -> Void
  ) {
    var line = LogLine()
    line.add("result", result)
    what(&line)
    line.add("by", escaping: actor)
    line.add("in", "realm")
    if let mark { line.add("checkpoint", escaping: mark.text) }
    log(.notice, line)
  }
}
