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
  func tell(_ pending: PendingNotices, of record: FactorRecord, _ resolved: Resolved) {
    for message in pending.messages(in: resolved.language) {
      tell(message, as: .information, essential: false)
    }
    switch pending.ending {
    case .told: return
    case .stays:
      guard let confirmation = pending.confirmation else { return }
      tell(.noticesStay(until: confirmation), resolved, essential: false)
    case .asks:
      guard !resolved.options.usesFirstPass, let last = pending.notices.last else { return }
      var continuation = Continuation()
      continuation.phase = .notices
      continuation.record = RecordVersion(record)
      continuation.lastNotice = min(last.number, pending.lastRead)
      continuation.failures = pending.unreported.failures
      do throws(Pause) {
        continuation.askedAt = try now()
        application.add(
          .confirm(
            SecretBytes(copying: resolved.text(.noticeConfirmation).utf8.span),
            continuation: try seal(continuation, resolved)))
      } catch {
        // The notices stay pending, and the next sign-in shows them again.
      }
    }
  }

  /// Marks notices as read if the user answered yes, and says what happens after another answer. An
  /// application that answers every question with the password confirms nothing.
  func confirmNotices(_ resolved: Resolved) {
    let continuation = resolved.continuation
    guard let account = resolved.account, let store = resolved.store,
      case .text(let answer) = application.takeAnswer()
    else { return }
    do throws(Pause) {
      guard continuation.isInTime(try now()) else { return }
      var found = try enrolled(account, store)
      if found == nil { found = try removed(account, store) }
      guard let (owner, snapshot) = found, RecordVersion(snapshot.record) == continuation.record
      else { return }
      useLanguage(of: snapshot.record, resolved)
      guard resolved.language.isYes(answer.span.copied()) else {
        let confirmation = NoticeConfirmation(
          of: snapshot.record, after: snapshot.attempts.unreported.lastShownNotice)
        return tell(.noticesStay(until: confirmation), resolved, essential: false)
      }
      try confirm(continuation, snapshot.record, owner, store)
    } catch {
      // The notices stay pending, and the next sign-in shows them again.
    }
  }

  /// Returns the record of a user who has no factor any more.
  private func removed(
    _ account: Account, _ store: Machine.Store
  ) throws(Pause) -> (owner: Account, snapshot: FactorSnapshot)? {
    do throws(FactorStoreError) {
      return try store.keptSnapshot(of: account).map { (owner: account, snapshot: $0) }
    } catch {
      throw .store(error)
    }
  }

  private func confirm(
    _ continuation: Continuation, _ record: FactorRecord, _ account: Account,
    _ store: Machine.Store
  ) throws(Pause) {
    do throws(FactorStoreError) {
      try store.deciding { () throws(FactorStoreError) in
        let entry = try store.entry(of: account, creating: false)
        guard entry.attempts.record == record.id else { return }
        try entry.write(
          entry.attempts.confirmed(
            failures: continuation.failures, upTo: continuation.lastNotice))
        try entry.sync()
      }
    } catch {
      throw .store(error)
    }
  }

  /// Shows a user without a factor what happened to the user's earlier factors. A user's own process is told
  /// nothing: it could hide that.
  func showPendingNotices(_ account: Account, _ store: Machine.Store, _ resolved: Resolved) {
    guard application.showsMessages, identity.actsAsRoot else { return }
    do throws(FactorStoreError) {
      let (record, pending) = try Attempt.noticesWithoutFactor(
        of: account, in: store, isShown: request.isAtTerminal, from: host.located(request.source),
        now: host.changeTime)
      guard let record else { return }
      useLanguage(of: record, resolved)
      tell(pending, of: record, resolved)
    } catch {
      // In most cases the user never enrolled, and there is no record.
    }
  }
}

extension Attempt {
  /// Returns what is pending for a user without a factor, and marks it as shown if no confirmation
  /// is needed.
  static func noticesWithoutFactor<Store: FactorStore>(
    of account: Account, in store: Store, isShown: Bool, from source: Source, now: Int64
  ) throws(FactorStoreError) -> (FactorRecord?, PendingNotices) {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      guard let record = entry.kept else { return (nil, .none) }
      // No factor is left that could confirm a notice about itself.
      let pending = PendingNotices(
        record, entry.attempts.unreported, factor: .zero, isShown: isShown, from: source, now: now)
      guard !pending.isEmpty else { return (nil, .none) }
      if pending.ending == .told {
        try entry.write(entry.attempts.told(upTo: pending.lastRead))
        try entry.sync()
      }
      return (record, pending)
    }
  }
}
