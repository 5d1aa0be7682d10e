import MFAStore
import MFABase
import MFAModel
import MFARealm

// The audit log of the realm.
extension RealmAdministrator {
  /// Calls `body` with each line with a number above `number`.
  private func forEachLine(
    after number: UInt32, _ body: (AdministeredLogLine) -> Void
  ) throws(AdminError) {
    try forEachElement({ .auditLog(after: $0?.number ?? number) }, of: \.auditLog, body)
  }

  /// Calls `body` with each verified entry with a number above `number`.
  func forEachEntry(
    after number: UInt32, _ body: (AuditLogEntry) -> Void
  ) throws(AdminError) {
    var reading = RealmLogReading(after: number)
    try forEachLine(after: number) { line in
      let entry = reading.take(line)
      if entry.mark != nil { body(entry) }
    }
  }

  /// Returns the checkpoint of the first entry, which no other realm has.
  func identity() throws(AdminError) -> String {
    let (lines, _) = try reply(to: .auditLog(after: 0), \.auditLog)
    return String(decoding: lines.first?.checkpoint ?? [], as: UTF8.self)
  }

  /// Returns the number of the last entry; 0 for an empty audit log.
  func logEnd() throws(AdminError) -> UInt32 {
    try reply(to: .auditLogEnd) { if case .auditLogEnd(let end) = $0 { end } else { nil } }
  }

  /// Returns the last `count` entries that `includes` accepts, oldest first, and the problem with the lines that
  /// were read, if there is one. Without `isFiltered`, only the last lines are read.
  package func auditLog(
    last count: Int, isFiltered: Bool, where includes: (AuditLogEntry) -> Bool
  ) throws(AdminError) -> (entries: [AuditLogEntry], problem: AuditLogProblem?) {
    var after: UInt32 = 0
    if !isFiltered {
      let (first, overflow) = try logEnd().subtractingReportingOverflow(UInt32(clamping: count))
      after = overflow ? 0 : first
    }
    var entries: [AuditLogEntry] = []
    var reading = RealmLogReading(after: after)
    try forEachLine(after: after) { line in
      let entry = reading.take(line)
      guard includes(entry) else { return }
      entries.append(entry)
      if entries.count > 2 * count { entries.removeFirst(entries.count - count) }
    }
    return (entries.suffix(count), reading.problem)
  }

  /// Verifies the audit log, and compares the stored records with it.
  ///
  /// `expected` is a checkpoint that another host has kept, which the audit log must contain.
  package func verifyAuditLog(
    expecting expected: AuditLogCheckpoint?
  ) throws(AdminError) -> AuditLogVerification {
    var histories = AuditLogHistories()
    var reading = RealmLogReading(after: 0)
    var isExpectedThere = expected == nil
    let take = { (line: AdministeredLogLine) in
      let entry = reading.take(line)
      guard let mark = entry.mark else { return }
      if mark == expected { isExpectedThere = true }
      histories.add(entry, mark)
    }
    try forEachLine(after: 0, take)
    var findings: [AuditLogFinding] = []
    var unlisted: [[UInt8]] = []
    if reading.problem == nil {
      var users: [[UInt8]: AdministeredRealmUser] = [:]
      for user in try all() { users[user.name] = user }
      // Entries that were made meanwhile.
      try forEachLine(after: histories.last, take)
      for name in Set(histories.users.keys).union(users.keys) {
        guard let history = histories.users[name] else {
          unlisted.append(name)
          continue
        }
        let finding = try finding(name, history, users[name]) { () throws(AdminError) in
          try forEachLine(after: histories.last, take)
          return histories.users[name] ?? history
        }
        if let finding { findings.append(finding) }
      }
    }
    var verification = AuditLogVerification(fault: reading.problem, last: reading.lastEntry)
    verification.missingCheckpoint = isExpectedThere ? nil : expected
    verification.findings = findings.sorted { $0.user.lexicographicallyPrecedes($1.user) }
    verification.unlistedUsers = unlisted.sorted { $0.lexicographicallyPrecedes($1) }
    return verification
  }

  /// Compares a record with what the audit log says. `updated` reads the entries that were made meanwhile.
  private func finding(
    _ name: [UInt8], _ history: AuditLogHistories.History, _ user: AdministeredRealmUser?,
    updated: () throws(AdminError) -> AuditLogHistories.History
  ) throws(AdminError) -> AuditLogFinding? {
    if let problem = user?.problem {
      return AuditLogFinding(user: name, kind: .unusable(problem), last: history.last)
    }
    guard user?.fingerprint ?? [] != history.lastFingerprint else { return nil }
    // The record may have changed since it was read: compare again.
    guard let subject = UserName(name) else { return nil }
    let present = try find(subject)?.fingerprint ?? []
    let history = try updated()
    return history.difference(of: present).map {
      AuditLogFinding(user: name, kind: $0, last: history.last)
    }
  }
}

extension AdministrationReply {
  /// Lines of the audit log, and whether there are no more.
  fileprivate var auditLog: (elements: [AdministeredLogLine], isEnd: Bool)? {
    if case .auditLog(let lines, let isEnd) = self { (lines, isEnd) } else { nil }
  }
}

extension AuditLogEntry {
  /// Parses a line of the audit log of a realm.
  init(_ line: AdministeredLogLine) {
    self.init(line.text, mark: AuditLogCheckpoint(line.checkpoint))
  }
}
