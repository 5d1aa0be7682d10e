import MFAStore
import MFABase
import MFAModel

// Replaces an audit log that is damaged or missing.
extension Administration {
  /// The result of beginning a new audit log.
  package struct NewAuditLog: Equatable {
    /// The files that were moved aside, in /var/lib/mfa.
    package let moved: [String]
    /// The number of users' records that were entered.
    package let entered: Int
    /// The users whose files cannot be used, and who remain locked out.
    package let unusable: [LedgerFinding]
  }

  /// Moves the audit log aside and begins a new one with an entry for each stored record.
  ///
  /// If the files of a user do not belong together, they are left unchanged and reported.
  package func beginLedger(reason: Grant.Reason) throws(AdminError) -> NewAuditLog {
    let suffix = Array("\(now)".utf8)
    let moved = try onStore { () throws(FactorStoreError) in
      try store.moveLedgerAside(suffix: suffix)
    }
    let mark = try onStore { () throws(FactorStoreError) in
      try store.adopt(
        entering: AuditLogEvent(.logBegun, detail: reason.utf8, by: ledgerActor, at: now))
    }
    var entered = 0
    var unusable: [LedgerFinding] = []
    // This includes users without a factor: their records hold pending notices.
    for file in try files() {
      if let problem = try enterPresentRecord(in: file) {
        unusable.append(LedgerFinding(user: file.shown, kind: .unusable(problem), last: 0))
      } else {
        entered += 1
      }
    }
    var line = LogLine()
    line.add("result", "audit-log-begun")
    line.add("reason", escaping: reason.utf8)
    line.add("records", Int64(entered))
    line.add("by", escaping: actor)
    line.add("checkpoint", escaping: mark.text)
    log(.warning, line)
    return NewAuditLog(
      moved: moved.map { String(decoding: $0, as: UTF8.self) }, entered: entered,
      unusable: unusable)
  }

  /// Enters the current record of a file. Returns the reason if that is impossible, or nil.
  private func enterPresentRecord(in file: StoredFile) throws(AdminError) -> RecordProblem? {
    guard let user = file.user else { return .strayFile }
    let subject = try subject(String(decoding: user.bytes, as: UTF8.self))
    guard let account = subject.account, account.name == user.bytes else { return .noSuchAccount }
    do throws(FactorStoreError) {
      let entry = try store.unverifiedEntry(of: account)
      guard entry.isWhole else { return .store(.rolledBack(.attempts)) }
      guard let kept = entry.kept else { return nil }
      _ = try entry.replace(
        record: kept, attempts: entry.attempts,
        entering: AuditLogEvent(.recordPresent, by: ledgerActor, at: now))
      return nil
    } catch {
      return subject.problem(error)
    }
  }
}
