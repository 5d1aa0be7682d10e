import FactorStore
import Factors
import System

// Beginning an audit log in the place of one that is damaged or gone.
extension Administration {
  /// A new audit log.
  struct LedgerBeginning: Equatable {
    /// The files that were moved aside, in /var/lib/mfa.
    let moved: [String]
    /// How many users' records were entered.
    let entered: Int
    /// Users whose files cannot be used, and who stay locked out.
    let unusable: [LedgerFinding]
  }

  /// Moves the audit log aside and begins another one, with an entry for each record that is there.
  /// Files that do not belong together are left as they are, and named.
  func beginLedger(reason: Grant.Reason) throws(AdminError) -> LedgerBeginning {
    let suffix = Array("\(now)".utf8)
    let moved = try onStore { () throws(FactorStoreError) in
      try store.moveLedgerAside(suffix: suffix)
    }
    let mark = try onStore { () throws(FactorStoreError) in
      try store.enter(LedgerEvent(.logBegun, detail: reason.utf8, by: ledgerActor, at: now))
    }
    var entered = 0
    var unusable: [LedgerFinding] = []
    // Users without a factor as well: what is to be told to them is in their record.
    for file in try files() {
      if let trouble = try enterPresentRecord(in: file) {
        unusable.append(LedgerFinding(user: file.shown, kind: .unusable(trouble), last: 0))
      } else {
        entered += 1
      }
    }
    var line = LogLine()
    line.add("result", "ledger-begun")
    line.add("reason", escaping: reason.utf8)
    line.add("records", Int64(entered))
    line.add("actor", escaping: actor)
    line.add("ledger", escaping: mark.text)
    log(.warning, line)
    return LedgerBeginning(
      moved: moved.map { String(decoding: $0, as: UTF8.self) }, entered: entered,
      unusable: unusable)
  }

  /// Enters the record that a file has now; returns why that is not possible.
  private func enterPresentRecord(in file: StoredFile) throws(AdminError) -> Trouble? {
    guard let user = file.user else { return .strayFile }
    let subject = try subject(String(decoding: user.bytes, as: UTF8.self))
    guard let account = subject.account, account.name == user.bytes else { return .noSuchAccount }
    do throws(FactorStoreError) {
      let entry = try store.unverifiedEntry(of: account)
      guard entry.isWhole else { return .store(.rolledBack(.attempts)) }
      guard let kept = entry.kept else { return nil }
      _ = try entry.replace(
        record: kept, attempts: entry.attempts,
        entering: LedgerEvent(.recordPresent, by: ledgerActor, at: now))
      return nil
    } catch {
      return subject.trouble(error)
    }
  }
}
