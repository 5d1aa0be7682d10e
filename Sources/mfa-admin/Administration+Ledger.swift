import FactorStore
import Factors
import System

// The ledger: what happened, and whether that is all.
extension Administration {
  /// What a look through the ledger, and at the records it speaks of, came to.
  struct LedgerVerification: Equatable {
    let reading: LedgerReading
    /// The last entry that is proven.
    let last: LedgerEntry?
    /// The entry that was expected, where it is not there.
    let unexpected: LedgerMark?
    /// Records that are not what the ledger says.
    let findings: [LedgerFinding]
    /// Whose records the ledger knows nothing of.
    let unlistedUsers: [[UInt8]]
    /// Whether somebody has begun a new ledger, so that there may be such records.
    var isBegunAnew = false

    /// How many records the ledger knows nothing of.
    var unlisted: Int { unlistedUsers.count }

    /// What is wrong first.
    var trouble: LedgerTrouble? {
      if let fault = reading.fault { return .fault(fault, last: last) }
      if let unexpected { return .unexpected(unexpected, last: reading.last) }
      if unlisted > 0, !isBegunAnew { return .unlisted(unlistedUsers) }
      return findings.isEmpty ? nil : .records(findings)
    }
  }

  /// The last `count` entries that `includes` lets through, oldest first.
  func ledger(
    last count: Int, where includes: (LedgerEntry) -> Bool
  ) throws(AdminError) -> (entries: [LedgerEntry], verification: LedgerVerification) {
    var entries: [LedgerEntry] = []
    var last: LedgerEntry?
    let reading = try onStore { () throws(FactorStoreError) in
      try store.inspectLedger { line in
        guard line.kind != .torn else { return }
        let entry = LedgerEntry(line)
        if entry.mark != nil { last = entry }
        guard includes(entry) else { return }
        entries.append(entry)
        if entries.count > 2 * count { entries.removeFirst(entries.count - count) }
      }
    }
    return (
      entries.suffix(count),
      LedgerVerification(
        reading: reading, last: last, unexpected: nil, findings: [], unlistedUsers: [])
    )
  }

  /// Goes through the ledger, and compares the records with it. `expected` is a mark that another host
  /// has kept; where a new ledger was begun, records may be older; each entry that is proven is handed
  /// to `body`.
  func verifyLedger(
    expecting expected: LedgerMark?, isBegunAnew: Bool, _ body: (LedgerEntry) -> Void = { _ in }
  ) throws(AdminError) -> LedgerVerification {
    var histories: [[UInt8]: History] = [:]
    var last: LedgerEntry?
    var isExpectedThere = expected == nil
    let reading = try onStore { () throws(FactorStoreError) in
      try store.inspectLedger { line in
        guard case .entry(let mark) = line.kind else { return }
        let entry = LedgerEntry(line)
        last = entry
        body(entry)
        if mark == expected { isExpectedThere = true }
        guard let user = entry.bytes("user") else { return }
        histories[user, default: History()].add(entry, mark)
      }
    }
    var findings: [LedgerFinding] = []
    if reading.fault == nil {
      for (user, history) in histories.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        if let finding = finding(user, history) { findings.append(finding) }
      }
    }
    return LedgerVerification(
      reading: reading, last: last, unexpected: isExpectedThere ? nil : expected,
      findings: findings, unlistedUsers: try unlisted(histories), isBegunAnew: isBegunAnew)
  }

  /// What the ledger says of one user.
  private struct History {
    var uid: UInt32 = 0
    var last: UInt32 = 0
    var lastFingerprint: [UInt8] = []
    /// Each fingerprint, with the last entry that has it.
    var entries: [[UInt8]: UInt32] = [:]

    mutating func add(_ entry: LedgerEntry, _ mark: LedgerMark) {
      // What was removed because nobody could read it names nobody's.
      uid = entry.uid ?? uid
      last = mark.number
      lastFingerprint = entry.fingerprint
      entries[lastFingerprint] = mark.number
    }
  }

  private func finding(_ user: [UInt8], _ history: History) -> LedgerFinding? {
    var history = history
    do throws(FactorStoreError) {
      let account = Account(name: user, uid: history.uid)
      if try store.fingerprint(of: account) == history.lastFingerprint {
        return rolledBack(account, history)
      }
      // It may have changed since the ledger was read: once more, with nobody changing it.
      let entry = try lock(account)
      let present = try store.fingerprint(of: account)
      _ = try store.inspectLedger { line in
        guard case .entry(let mark) = line.kind, mark.number > history.last else { return }
        let entry = LedgerEntry(line)
        if entry.bytes("user") == user { history.add(entry, mark) }
      }
      withExtendedLifetime(entry) {}
      guard present != history.lastFingerprint else { return rolledBack(account, history) }
      let kind: LedgerFinding.Kind =
        if let entry = history.entries[present] { .older(entry: entry) } else {
          present.isEmpty ? .gone : .unknown
        }
      return LedgerFinding(user: user, kind: kind, last: history.last)
    } catch {
      return LedgerFinding(user: user, kind: .unusable(Trouble(error)), last: history.last)
    }
  }

  /// Locks the user's place, whatever is wrong with it; nil where there is none.
  private func lock(_ account: Account) throws(FactorStoreError) -> LocalFactorStoreEntry? {
    do throws(FactorStoreError) {
      return try store.unverifiedEntry(of: account)
    } catch {
      switch error {
      case .system(.attempts, let cause) where cause.isNotFound: return nil
      case .damaged(.attempts): return nil
      case .system, .untrusted, .damaged, .otherVersion, .otherKey, .belongsToAnother, .rolledBack,
        .busy, .cryptography, .nameTooLong:
        throw error
      }
    }
  }

  /// Whether the user's attempt state goes with the record and the entries, as a sign-in finds it.
  private func rolledBack(_ account: Account, _ history: History) -> LedgerFinding? {
    do throws(FactorStoreError) {
      _ = try store.snapshot(of: account)
      return nil
    } catch {
      return LedgerFinding(
        user: account.name, kind: .unusable(Trouble(error)), last: history.last)
    }
  }

  /// By name.
  private func unlisted(_ histories: [[UInt8]: History]) throws(AdminError) -> [[UInt8]] {
    var users: [[UInt8]] = []
    try onStore { () throws(FactorStoreError) in
      try store.forEachFile { user, name in
        if let user, !Self.isDraft(name), histories[user.bytes] == nil {
          users.append(user.bytes)
        }
        return true
      }
    }
    return users.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
