import MFABase
import MFAModel
import MFAStore

// Reads the audit log, and verifies that it is complete and agrees with the store.
extension Administration {
  /// Returns the last `count` entries that `includes` accepts, oldest first, and the fault of the audit
  /// log, or nil. Does not compare the stored records with the audit log.
  package func auditLog(
    last count: Int, where includes: (AuditLogEntry) -> Bool
  ) throws(AdminError) -> (entries: [AuditLogEntry], problem: AuditLogProblem?) {
    var entries: [AuditLogEntry] = []
    var last: AuditLogEntry?
    let reading = try onStore { () throws(FactorStoreError) in
      try store.inspectAuditLog { line in
        guard line.kind != .torn else { return }
        let entry = AuditLogEntry(line)
        if entry.mark != nil { last = entry }
        guard includes(entry) else { return }
        entries.append(entry)
        if entries.count > 2 * count { entries.removeFirst(entries.count - count) }
      }
    }
    return (entries.suffix(count), AuditLogVerification(reading, last: last).problem)
  }

  /// Verifies the audit log, and compares the stored records with it.
  ///
  /// `expected` is a checkpoint that another host has kept, which the audit log must contain. With
  /// `allowsUnlistedRecords`, records that the audit log does not mention are allowed: they can be
  /// older than the audit log. `body` is called with each verified entry.
  package func verifyAuditLog(
    expecting expected: AuditLogCheckpoint?, allowsUnlistedRecords: Bool,
    _ body: (AuditLogEntry) -> Void = { _ in }
  ) throws(AdminError) -> AuditLogVerification {
    try onStore(try store.requireOwn())
    var histories = AuditLogHistories()
    var last: AuditLogEntry?
    var isExpectedThere = expected == nil
    let reading = try onStore { () throws(FactorStoreError) in
      try store.inspectAuditLog { line in
        guard case .entry(let mark) = line.kind else { return }
        let entry = AuditLogEntry(line)
        last = entry
        body(entry)
        if mark == expected { isExpectedThere = true }
        histories.add(entry, mark)
      }
    }
    var verification = AuditLogVerification(reading, last: last)
    verification.missingCheckpoint = isExpectedThere ? nil : expected
    verification.allowsUnlistedRecords = allowsUnlistedRecords
    if reading.fault == nil {
      for user in histories.users.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        if let finding = finding(user, &histories) { verification.findings.append(finding) }
      }
    }
    verification.unlistedUsers = try recordsWithoutEntries(histories)
    return verification
  }

  /// Returns the damage to the audit log, or the records of present accounts that it does not mention
  /// or contradicts, or nil. An earlier copy of a record is not among them: it cannot be used.
  package func auditLogProblem() throws(AdminError) -> AuditLogProblem? {
    try Self.lasting { () throws(AdminError) in try lossOrDamage() }
  }

  /// Returns the problem that `find` still finds the second time: a user who enrols while the log and the
  /// records are read looks like one without an entry.
  static func lasting(
    _ find: () throws(AdminError) -> AuditLogProblem?
  ) throws(AdminError) -> AuditLogProblem? {
    try find() == nil ? nil : try find()
  }

  private func lossOrDamage() throws(AdminError) -> AuditLogProblem? {
    let problem = try verifyAuditLog(expecting: nil, allowsUnlistedRecords: false).problem
    switch problem {
    case .recordsWithoutEntries(let users):
      var present: [[UInt8]] = []
      for user in users where try hasAccount(user) { present.append(user) }
      return present.isEmpty ? nil : .recordsWithoutEntries(present)
    case .records(let findings):
      var contradicted: [AuditLogFinding] = []
      for finding in findings where finding.kind == .unknown || finding.kind == .gone {
        if try hasAccount(finding.user) { contradicted.append(finding) }
      }
      return contradicted.isEmpty ? nil : .records(contradicted)
    case .fault, .missingCheckpoint, .realm, nil: return problem
    }
  }

  private func hasAccount(_ name: [UInt8]) throws(AdminError) -> Bool {
    do throws(SystemError) { return try accounts.named(name) != nil } catch {
      throw .accounts(error)
    }
  }

  private func finding(_ user: [UInt8], _ histories: inout AuditLogHistories) -> AuditLogFinding? {
    var history = histories.users[user] ?? AuditLogHistories.History()
    do throws(FactorStoreError) {
      let account = Account(name: user, uid: history.uid)
      if try store.fingerprint(of: account) == history.lastFingerprint {
        return rolledBack(account, history)
      }
      // The record may have changed since the audit log was read: compare again under the lock.
      let entry = try lock(account)
      let present = try store.fingerprint(of: account)
      try histories.update(from: store)
      history = histories.users[user] ?? history
      withExtendedLifetime(entry) {}
      guard let kind = history.difference(of: present) else { return rolledBack(account, history) }
      return AuditLogFinding(user: user, kind: kind, last: history.last)
    } catch {
      return AuditLogFinding(user: user, kind: .unusable(RecordProblem(error)), last: history.last)
    }
  }

  /// Locks the user's store entry, even if it fails verification. Returns nil if the file of the
  /// attempt state, which holds the lock, is missing or damaged.
  private func lock(_ account: Account) throws(FactorStoreError) -> LocalFactorStoreEntry? {
    do throws(FactorStoreError) {
      return try store.unverifiedEntry(of: account)
    } catch .system(.attempts, let cause) where cause.isNotFound {
      return nil
    } catch .damaged(.attempts) {
      return nil
    }
  }

  /// Returns a finding if a sign-in would refuse the user's files, for example because the attempt
  /// state does not belong to the record or is older than the audit log says.
  private func rolledBack(
    _ account: Account, _ history: AuditLogHistories.History
  ) -> AuditLogFinding? {
    do throws(FactorStoreError) {
      _ = try store.snapshot(of: account)
      return nil
    } catch {
      return AuditLogFinding(
        user: account.name, kind: .unusable(RecordProblem(error)), last: history.last)
    }
  }

  /// Returns the users whose records the audit log does not mention, sorted by name.
  private func recordsWithoutEntries(
    _ histories: AuditLogHistories
  ) throws(AdminError) -> [[UInt8]] {
    try files().compactMap { $0.user?.bytes }.filter { histories.users[$0] == nil }
  }
}

// Replaces an audit log that is damaged or missing.
extension Administration {
  /// The result of beginning a new audit log.
  package struct NewAuditLog: Equatable {
    /// The files that were moved aside, in /var/lib/mfa.
    package let moved: [String]
    /// The number of users' records that were entered.
    package let entered: Int
    /// The users whose files cannot be used, and who remain locked out.
    package let unusable: [AuditLogFinding]
  }

  /// Moves the audit log aside and begins a new one with an entry for each stored record.
  ///
  /// If the files of a user do not belong together, they are left unchanged and reported.
  package func beginAuditLog(reason: Grant.Reason) throws(AdminError) -> NewAuditLog {
    let suffix = Array("\(now)".utf8)
    let moved = try onStore(try store.moveAuditLogAside(suffix: suffix))
    let mark = try onStore(try store.adopt(entering: event(.logBegun, detail: reason.utf8)))
    var entered = 0
    var unusable: [AuditLogFinding] = []
    // This includes users without a factor: their records hold pending notices.
    for file in try files() {
      if let problem = try enterPresentRecord(in: file) {
        unusable.append(AuditLogFinding(user: file.shown, kind: .unusable(problem), last: 0))
      } else {
        entered += 1
      }
    }
    note("audit-log-begun", mark, as: .warning) { line in
      line.add("reason", escaping: reason.utf8)
      line.add("records", Int64(entered))
    }
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
        record: kept, attempts: entry.attempts, entering: event(.recordPresent))
      return nil
    } catch {
      return subject.problem(error)
    }
  }
}
