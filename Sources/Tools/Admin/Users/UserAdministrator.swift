import MFAAttempt
import MFABase
import MFAModel
import MFAWire
import MFAStore

/// What `mfa-admin` does with users, of the store of this host or of its realm. The commands, their reports and their log
/// lines are the same for both.
///
/// MUST 1: each change is written to the system log, with the checkpoint of its entry in the audit log.
/// (`AdministrationTests.revoke`, `.unlock`; `RealmAdministratorTests.changesAreLogged`)
package protocol UserAdministrator {
  /// Returns the name of a user: that of the account, if there is one.
  func name(of user: String) throws(AdminError) -> UserName

  /// Returns the error to throw if nothing is stored for a user.
  func absence(of user: String) throws(AdminError) -> AdminError

  /// Returns the report on one user.
  func user(_ user: String) throws(AdminError) -> UserReport

  /// Returns the grants of one user, or of all users if `user` is nil.
  func grants(_ user: String?) throws(AdminError) -> [GrantReport]

  /// Makes a change. Returns nil if the user, the factor or the grant does not exist.
  ///
  /// With `acceptingRestored`, unlocking also accepts files that are older than the audit log says, because an
  /// administrator has restored them from a backup.
  func make(
    _ change: UserChange, of user: String, acceptingRestored: Bool
  ) throws(AdminError) -> ChangedUser?

  /// Moves what is stored under the earlier name of a user to the present one, and returns that name. Failed attempts
  /// and used codes stay counted.
  func renameUser(_ earlier: String, to user: String) throws(AdminError) -> UserName

  /// Writes a change of a user to the system log. `fields` adds what was changed.
  func note(
    _ result: StaticString, _ user: UserName, _ entered: AuditLogOutcome,
    _ fields: (inout LogLine) -> Void)
}

/// A change that was made.
package struct ChangedUser {
  /// The user.
  let user: UserName
  /// What the change did.
  let effect: UserChange.Effect
  /// Whether the change is in the audit log.
  let entered: AuditLogOutcome
  /// The problem with the user's files that was accepted, or nil.
  var accepted: RecordProblem?
  /// Whether files were removed that could not be read, so that the effect is not known.
  var isUnread = false
}

/// A revocation that is planned but not yet carried out.
package struct Revocation {
  /// The factors to revoke.
  package enum Target: Equatable {
    /// The factor that the selector names or, without a selector, the user's only factor.
    case factor(String?)
    /// All factors, even if the record cannot be read.
    case everything
  }

  /// The user concerned.
  package let user: UserName
  /// The factor, or nil to revoke everything.
  let factor: FactorSummary?
  /// The question that asks for confirmation.
  package let question: String

  var text: String { String(decoding: user.bytes, as: UTF8.self) }
}

extension UserAdministrator {
  // MARK: Unlocking

  /// Clears the failed attempts and remembered sign-ins of a user, and returns what was found. A user without a factor
  /// can be throttled too, after wrong tickets.
  package func unlock(
    _ user: String, acceptingRestored: Bool = false
  ) throws(AdminError) -> UnlockingReport {
    let made = try changed(.unlock, user, acceptingRestored: acceptingRestored)
    guard case .unlocked(let unlocking) = made.effect else { throw .otherVersion }
    return UnlockingReport(
      user: made.user, unlocking: unlocking, entered: made.entered, accepted: made.accepted)
  }

  /// Clears the remembered sign-ins of a user, and returns their number.
  package func clearRememberedSignIns(of user: String) throws(AdminError) -> ClearedSignInsReport {
    let made = try changed(.forget, user)
    guard case .forgotten(let remembered) = made.effect else { throw .otherVersion }
    return ClearedSignInsReport(
      user: made.user, rememberedCount: remembered, mark: made.entered.mark)
  }

  // MARK: Revoking

  /// Determines what a revocation would remove, so that the administrator can confirm it.
  package func plan(
    _ target: Revocation.Target, of user: String
  ) throws(AdminError) -> Revocation {
    let name = try name(of: user)
    let shown = VisibleText(name)
    switch target {
    case .factor(let selector):
      let report = try self.user(user)
      let factor: FactorSummary
      switch report.content {
      case .unusable(let problem): throw .unusable(name, problem)
      case .notEnrolled: throw .notEnrolled(name)
      case .usable(let summary): factor = try Self.select(selector, in: summary)
      }
      return Revocation(
        user: name, factor: factor,
        question:
          "revoke \(VisibleText(factor.displayName)) (\(VisibleText(factor.id))) of \(shown)?")
    case .everything:
      return Revocation(user: name, factor: nil, question: try question(everythingOf: user, shown))
    }
  }

  private func question(
    everythingOf user: String, _ shown: VisibleText
  ) throws(AdminError) -> String {
    do throws(AdminError) {
      switch try self.user(user).content {
      case .unusable(let problem):
        return "remove what is stored for \(shown), which cannot be read: \(problem.sentence)?"
      case .usable(let summary):
        let names = summary.factors.map { "\(VisibleText($0.summary.displayName))" }
        return "revoke every factor of \(shown): \(names.joined(separator: ", "))?"
      case .notEnrolled: break
      }
    } catch {
      switch error {
      // A user without a factor can still have grants or pending notices.
      case .notEnrolled, .noSuchUser: break
      default: throw error
      }
    }
    return "remove everything that is stored for \(shown)?"
  }

  private static func select(
    _ selector: String?, in user: UserSummary
  ) throws(AdminError) -> FactorSummary {
    let factors = user.factors.map(\.summary)
    switch FactorSelection(selector, in: factors) {
    case .one(let factor): return factor
    case .noFactor: throw .noSuchFactor(user.user, selector: selector ?? "", others: factors)
    case .several(let factors): throw .severalFactors(user.user, selector: selector, factors)
    }
  }

  /// Carries out a revocation, and returns what was removed.
  package func revoke(_ revocation: Revocation) throws(AdminError) -> RevocationReport {
    guard let factor = revocation.factor else {
      return try report(try changed(.revokeEverything, revocation.text))
    }
    if let made = try change(.revoke(factor.id), revocation.text) { return try report(made) }
    // The factor was removed while the administrator was asked to confirm.
    guard case .usable(let summary) = try user(revocation.text).content else {
      throw .notEnrolled(revocation.user)
    }
    throw .noSuchFactor(
      revocation.user, selector: "\(VisibleText(factor.displayName))",
      others: summary.factors.map(\.summary))
  }

  private func report(_ made: ChangedUser) throws(AdminError) -> RevocationReport {
    guard case .revoked(let removal) = made.effect else { throw .otherVersion }
    return RevocationReport(
      user: made.user, removal: made.isUnread ? nil : removal, entered: made.entered)
  }

  // MARK: Grants

  /// Creates a grant for a user, whether or not the user has a factor.
  package func grant(
    _ kind: Grant.Kind, to user: String, for duration: GrantDuration, uses: UInt8,
    reason: Grant.Reason?
  ) throws(AdminError) -> NewGrantReport {
    let terms = UserChange.GrantTerms(
      kind: kind, seconds: UInt32(clamping: duration.seconds), uses: uses, reason: reason)
    let made = try changed(.grant(terms), user)
    guard case .granted(let new) = made.effect else { throw .otherVersion }
    return NewGrantReport(user: made.user, new, checkpoint: made.entered.mark)
  }

  /// Withdraws a grant, or all grants of a user if `id` is nil, and returns a report with the withdrawn grants.
  package func withdraw(_ id: GrantID?, of user: String) throws(AdminError) -> WithdrawalReport {
    guard let made = try change(.withdraw(id), user) else {
      throw .noSuchGrant(try name(of: user))
    }
    guard case .withdrawn(let grants) = made.effect else { throw .otherVersion }
    return WithdrawalReport(user: made.user, grants: grants, mark: made.entered.mark)
  }

  // MARK: Changing

  private func changed(
    _ change: UserChange, _ user: String, acceptingRestored: Bool = false
  ) throws(AdminError) -> ChangedUser {
    guard let made = try self.change(change, user, acceptingRestored: acceptingRestored) else {
      throw try absence(of: user)
    }
    return made
  }

  /// Makes a change, and writes it to the system log.
  private func change(
    _ change: UserChange, _ user: String, acceptingRestored: Bool = false
  ) throws(AdminError) -> ChangedUser? {
    let made = try make(change, of: user, acceptingRestored: acceptingRestored)
    guard let made else { return nil }
    let (name, entered) = (made.user, made.entered)
    switch made.effect {
    case .unlocked(let unlocking):
      guard entered != .entered(nil) else { break }
      note("unlocked", name, entered) { $0.add("wrong-codes", Int64(unlocking.failures)) }
    case .forgotten:
      guard entered != .entered(nil) else { break }
      note("forgotten", name, entered) { _ in }
    case .revoked(let removal):
      let id = removal.isOfEverything ? nil : removal.factors.first?.id.hexadecimal
      note("revoked", name, entered) { $0.add("factor", escaping: id ?? Array("all".utf8)) }
    case .granted(let new):
      let result: StaticString = new.grant.kind == .ticket ? "ticket-made" : "bypass-made"
      note(result, name, entered) { new.grant.add(to: &$0) }
    case .withdrawn(let grants):
      for grant in grants { note("grant-withdrawn", name, entered) { grant.add(to: &$0) } }
    }
    return made
  }
}

extension Grant {
  /// Adds the id and the reason to a log line.
  fileprivate func add(to line: inout LogLine) {
    line.add("grant", escaping: id.hexadecimal)
    if let reason { line.add("reason", escaping: reason.utf8) }
  }
}

extension AuditLogOutcome {
  /// The reason why the change was not entered.
  package var problem: RecordProblem? {
    switch self {
    case .entered: nil
    case .unrecorded(let error): .store(error)
    }
  }
}
