import MFAMessages
import MFAPAMStack
import MFAWire
import MFAAttempt
import MFABase
import MFAStore
import MFAModel

// Pending notices at a sign-in.
//
// sshd shows a module's messages only in an interactive session without a command and without
// ~/.hushlogin, and does not tell the module which kind of session it is: PAM_TTY is "ssh" in every
// phase. But sshd shows every question. A notice that must not be lost is therefore confirmed by an
// answer, unless the application runs on the user's own terminal. Other notices are left to the
// `session` line, if sshd's stack has one (SignIn+Session.swift).
//
// MUST 1: an error here never changes the verdict. (`NewsTests.storeFails`)
// MUST 2: no lock is held while the user is asked. (`NewsTests.meanwhile`)
extension SignIn {
  /// Shows what is pending, and asks for confirmation if it is needed.
  ///
  /// If the argument `use_first_pass` forbids questions, the notices stay pending.
  func tell(
    _ pending: PendingNotices, of record: FactorRecord, in store: Machine.Store,
    to account: Account, _ resolved: Resolved
  ) {
    for message in pending.messages(in: resolved.language) { tell(message, essential: false) }
    switch pending.ending {
    case .told: return
    case .stays:
      guard !pending.notices.isEmpty else { return }
      tell(.noticesStay, resolved, essential: false)
    case .asks:
      guard !resolved.options.usesFirstPass, isConfirmed(resolved) else { return }
      do throws(FactorStoreError) {
        try Attempt.confirm(pending, of: record, account, in: store)
      } catch {
        // The notices stay pending, and the next sign-in shows them again.
      }
    }
  }

  /// Asks for "yes", and says what happens after another answer. An application that answers every
  /// question with the password confirms nothing.
  private func isConfirmed(_ resolved: Resolved) -> Bool {
    switch application.ask(resolved.text(.noticeConfirmation).utf8, echo: true) {
    case .none: return false
    case .tooLong: return false
    case .text(let answer):
      let yes: StaticString = "yes"
      if constantTimeEquals(answer.span, yes.bytes.span) { return true }
      tell(.noticesUnconfirmed, resolved, essential: false)
      return false
    }
  }

  /// Shows a user without a factor what happened to the user's earlier factors.
  func showPendingNotices(_ account: Account, _ store: Machine.Store, _ resolved: Resolved) {
    guard application.showsMessages else { return }
    do throws(FactorStoreError) {
      let (record, pending) = try Attempt.noticesWithoutFactor(
        of: account, in: store, isShown: request.isAtTerminal, now: host.changeTime)
      guard let record else { return }
      useLanguage(of: record, resolved)
      tell(pending, of: record, in: store, to: account, resolved)
    } catch {
      // In most cases the user never enrolled, and there is no record.
    }
  }
}

extension Attempt {
  /// Returns what is pending for a user without a factor, and marks it as shown if no confirmation
  /// is needed.
  static func noticesWithoutFactor<Store: FactorStore>(
    of account: Account, in store: Store, isShown: Bool, now: Int64
  ) throws(FactorStoreError) -> (FactorRecord?, PendingNotices) {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      guard let record = entry.kept else { return (nil, .none) }
      // No factor is left that could confirm a notice about itself.
      let pending = PendingNotices(
        record, entry.attempts.unreported, factor: .zero, isShown: isShown, now: now)
      guard !pending.isEmpty else { return (nil, .none) }
      if pending.ending == .told {
        try entry.write(entry.attempts.told(upTo: record.lastNotice))
        try entry.sync()
      }
      return (record, pending)
    }
  }

  /// Marks notices as shown, unless the record was replaced in the meantime.
  static func confirm<Store: FactorStore>(
    _ pending: PendingNotices, of record: FactorRecord, _ account: Account, in store: Store
  ) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      guard entry.attempts.record == record.id, let last = pending.notices.last else { return }
      try entry.write(
        entry.attempts.confirmed(failures: pending.unreported.failures, upTo: last.number))
      try entry.sync()
    }
  }
}
