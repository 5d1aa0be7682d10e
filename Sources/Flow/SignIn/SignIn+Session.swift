import MFAApplication
import MFAAuthentication
import MFABytes
import MFAFactorStore
import MFAFactors
import MFAMessages
import MFAPAMStack
import MFAPolicy
import MFAStoreFiles
import MFASystem

// The `session` line of sshd.
//
// sshd repeats what modules tell during authentication, to scp and to commands too, and does not know
// yet whether the client will ask for a terminal. What modules tell at the beginning of the session, it
// shows once, to shells at a terminal only. The `auth` line therefore leaves the notices that need no
// confirmation to the `session` line. They stay pending until a session that had a terminal ends.
//
// MUST 1: the `session` line never decides about a session. (`SessionLineTests`)
// MUST 2: only what was sent in this session is marked as shown. (`SessionLineTests.meanwhile`)
extension SignIn {
  /// Whether the `session` line of this service tells the pending notices.
  var tellsInSession: Bool {
    guard SessionService(request.service) == .sshd else { return false }
    do throws(StackRefusal) {
      return try ServiceStack(.session, of: request.service, from: host.stacks).entries
        .contains { $0.asks(module: "pam_mfa.so") }
    } catch {
      return false
    }
  }

  /// Shows what is pending for the user.
  public func beginSession() {
    guard application.showsMessages, let pending = pendingInSession() else { return }
    let (account, resolved, notices) = (pending.account, pending.resolved, pending.notices)
    // If the note cannot be stored, the notices stay pending.
    _ = application.note(.shown, of: account.name + Self.mark(notices))
    for message in notices.messages(in: resolved.language) { tell(message, essential: false) }
  }

  /// Marks the notices of this session as shown, except those that the user must confirm.
  public func endSession() {
    guard let pending = pendingInSession(),
      application.isNoted(.shown, of: pending.account.name + Self.mark(pending.notices)),
      !pending.notices.notices.contains(where: { $0.subject.needsConfirmation })
    else { return }
    do throws(FactorStoreError) {
      try Attempt.markShown(pending.notices, of: pending.record, pending.owner, in: pending.store)
    } catch {
      // The notices stay pending, and the next session shows them again.
    }
  }

  /// What is pending at the beginning or the end of a session.
  struct PendingInSession {
    let account: Account
    let owner: Account
    let store: Machine.Store
    let record: FactorRecord
    let notices: PendingNotices
    let resolved: Resolved
  }

  private func pendingInSession() -> PendingInSession? {
    guard SessionService(request.service) == .sshd else { return nil }
    let resolved = resolve(needsStoreForUnknownUser: false)
    guard resolved.failure == nil, resolved.state == .enabled, let account = resolved.account,
      let store = resolved.store
    else { return nil }
    do throws(SignInResult.Failure) {
      guard let (owner, snapshot) = try enrolled(account, store) else { return nil }
      let record = snapshot.record
      let notices = PendingNotices(
        record, snapshot.attempts.unreported, factor: nil, isShown: false, now: try now())
      guard !notices.isEmpty else { return nil }
      useLanguage(of: record, resolved)
      return PendingInSession(
        account: account, owner: owner, store: store, record: record, notices: notices,
        resolved: resolved)
    } catch {
      return nil
    }
  }

  /// Returns what tells one set of pending notices from another.
  private static func mark(_ pending: PendingNotices) -> [UInt8] {
    let last = pending.notices.last?.number ?? pending.unreported.lastShownNotice
    return bytes(
      of: joined(" ", decimal(Int64(pending.unreported.failures)), " ")
        + decimal(Int64(last)))
  }
}

extension Attempt {
  /// Marks pending notices as shown, unless the record was replaced in the meantime.
  static func markShown<Store: FactorStore>(
    _ pending: PendingNotices, of record: FactorRecord, _ account: Account, in store: Store
  ) throws(FactorStoreError) {
    let entry = try store.entry(of: account, creating: false)
    guard entry.attempts.record == record.id else { return }
    let last = pending.notices.last?.number ?? pending.unreported.lastShownNotice
    try entry.write(entry.attempts.confirmed(failures: pending.unreported.failures, upTo: last))
    try entry.sync()
  }
}
