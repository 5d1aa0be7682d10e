import MFAStore
import MFABase
import MFAModel

/// The operations of the administrator's commands on the store, without their terminal input and
/// output.
///
/// MUST 1: a record that cannot be read is reported, never omitted. (`AdministrationTests.damaged`)
/// MUST 2: each change applies to the data stored at that moment, under the user's lock, and is
/// written to the system log. (`AdministrationTests.revoke`, `.unlock`)
/// MUST 3: a secret is unsealed only to compare it with an imported one, and a phone number only after
/// that was recorded in the audit log, or to compare it with a test number. (Only `Importing` and
/// Administration+Reveal.swift ask the store for them; `RevealedNumberTests.recordedFirst`)
package struct Administration {
  /// The store of factor records.
  package let store: LocalFactorStore
  /// The host's settings, such as the throttling of failed attempts.
  package let settings: Settings
  /// The current time, in seconds since the epoch.
  package let now: Int64
  /// The accounts of this machine.
  package let accounts: AccountSource
  /// The administrator's account name, as shown in the log.
  package let actor: [UInt8]
  /// Writes a change to the system log.
  package let log: (LogPriority, LogLine) -> Void
  /// Starts mailing the pending notices of an account, without waiting for the result.
  let deliver: (Account) -> Void
  /// Writes an operation on an account to the kernel's audit trail.
  package var audit: (_ operation: [UInt8], _ account: [UInt8]) -> Void = { _, _ in }
  /// The administrator's terminal.
  package var terminal = Source.unknown

  /// The administrator, as entered in the audit log.
  package var ledgerActor: AuditLogEvent.Actor {
    AuditLogEvent.Actor(name: actor, uid: 0, program: Array("mfa-admin".utf8), source: terminal)
  }

  // MARK: Reading

  /// Returns a report on each enrolled user, even if the record cannot be used, sorted by name.
  package func users(progress: Progress = .silent) throws(AdminError) -> [UserReport] {
    try users(progress: progress) { $0 }
  }

  /// Returns `result` applied to the report on each enrolled user, sorted by name.
  ///
  /// `result` is called on several threads.
  package func users<Result: Sendable>(
    progress: Progress = .silent, _ result: @Sendable (UserReport) -> Result
  ) throws(AdminError) -> [Result] {
    try onStore { () throws(FactorStoreError) in try store.requireOwn() }
    let files = try files()
    guard !files.isEmpty else { return [] }
    let reader = try onStore { () throws(FactorStoreError) in try store.reader() }
    let local = accounts.local()
    var progress = progress
    let quick = try onStore { () throws(FactorStoreError) in try ConcurrentRecordReader(store) }
    let (throttle, now) = (settings.throttle, now)
    let found = quick.results(
      for: files.map { $0.target(local) }, onProgress: { progress.step($0, of: files.count) }
    ) { result(UserReport($0, throttle, now: now)) }
    var results: [Result] = []
    results.reserveCapacity(files.count)
    for (file, one) in zip(files, found) {
      if let one {
        results.append(one)
      } else if let report = report(file, reader, local) {
        results.append(result(report))
      }
      progress.step(results.count, of: files.count)
    }
    progress.finish()
    return results
  }

  /// Returns the login accounts that are not enrolled, sorted by name. A user whose record cannot
  /// be used counts as enrolled.
  package func notEnrolled(progress: Progress = .silent) throws(AdminError) -> [UserReport] {
    let stored = Set(try users(progress: progress).map(\.name))
    return try loginAccounts().filter { !stored.contains($0.name) }.map {
      UserReport(name: $0.name, content: .notEnrolled(uid: $0.uid))
    }
  }

  /// Returns the login accounts that the system lists (root, and UIDs from 1000 to 60000 with a
  /// login shell), sorted by name.
  package func loginAccounts() throws(AdminError) -> [Account] {
    try accounts.loginAccounts()
  }

  /// Returns the report on one user.
  package func user(_ text: String) throws(AdminError) -> UserReport {
    let subject = try subject(text)
    switch try finding(subject) {
    case .nothing: throw subject.absence
    case .usable(let snapshot): return usable(snapshot)
    case .unusable(let problem):
      return UserReport(name: subject.name.bytes, content: .unusable(problem))
    }
  }

  /// A file in the store, with the user's name if the file name is valid.
  package struct StoredFile {
    package let user: UserName?
    package let name: FileName

    /// The name under which the file is listed.
    package var shown: [UInt8] { user?.bytes ?? name.bytes }

    /// Returns the file with its account, or nil if the user is not in `local` (/etc/passwd).
    package func target(_ local: [[UInt8]: UInt32]) -> ConcurrentRecordReader.Target? {
      guard let user, let uid = local[user.bytes] else { return nil }
      return ConcurrentRecordReader.Target(account: Account(name: user.bytes, uid: uid), file: name)
    }
  }

  /// Returns the files in the store, sorted by the name under which they are listed.
  package func files() throws(AdminError) -> [StoredFile] {
    var files: [StoredFile] = []
    try onStore { () throws(FactorStoreError) in
      try store.forEachFile { user, name in
        if !Self.isDraft(name) { files.append(StoredFile(user: user, name: name)) }
        return true
      }
    }
    files.sort { $0.shown.lexicographicallyPrecedes($1.shown) }
    return files
  }

  /// Returns whether the file is a draft: a new version of a record that is being written, or that
  /// was left behind when its writer was killed.
  static func isDraft(_ file: FileName) -> Bool {
    guard file.bytes.first == UInt8(ascii: ".") else { return false }
    return FileName(Array(file.bytes.dropFirst()))?.percentDecoded != nil
  }

  /// Returns the report on one file, or nil if its record has no factors or was removed in the
  /// meantime.
  private func report(
    _ file: StoredFile, _ reader: LocalFactorStoreReader, _ local: [[UInt8]: UInt32]
  ) -> UserReport? {
    guard let user = file.user else {
      return UserReport(name: file.name.bytes, content: .unusable(.strayFile))
    }
    if let uid = local[user.bytes] {
      do throws(FactorStoreError) {
        let account = Account(name: user.bytes, uid: uid)
        return try reader.snapshot(of: account).map { usable($0) }
      } catch .belongsToAnother {
        // Another source may have a different UID for this name than /etc/passwd has.
      } catch {
        return UserReport(name: user.bytes, content: .unusable(RecordProblem(error)))
      }
    }
    let subject: AdministeredUser
    do throws(SystemError) {
      let account = try accounts.named(user.bytes)
      // A record with a different spelling of the name belongs to a different account.
      let isOwn = account?.name == user.bytes
      subject = AdministeredUser(name: user, account: isOwn ? account : nil)
    } catch {
      return UserReport(name: user.bytes, content: .unusable(.account(error)))
    }
    do throws(FactorStoreError) {
      return try reader.snapshot(of: subject.accountOrPlaceholder).map { usable($0) }
    } catch {
      return UserReport(name: user.bytes, content: .unusable(subject.problem(error)))
    }
  }

  private func usable(_ snapshot: FactorSnapshot) -> UserReport {
    UserReport(snapshot, settings.throttle, now: now)
  }

  // MARK: Revoking

  /// The factors to revoke.
  package enum Target: Equatable {
    /// The factor that the selector names or, without a selector, the user's only factor.
    case factor(String?)
    /// All factors, even if the record cannot be read.
    case everything
  }

  /// A revocation that is planned but not yet carried out.
  package struct Revocation {
    /// The user concerned.
    package let subject: AdministeredUser
    /// The factor, or nil to revoke everything.
    package let factor: Factor?
    /// The data stored at the time of planning.
    package let finding: Finding
  }

  /// Determines what a revocation would remove, so that the administrator can confirm it.
  package func plan(_ target: Target, of text: String) throws(AdminError) -> Revocation {
    let subject = try subject(text)
    let finding = try finding(subject)
    switch (target, finding) {
    case (.everything, .nothing):
      return Revocation(subject: subject, factor: nil, finding: finding)
    case (.factor, .nothing): throw subject.absence
    case (.everything, .usable), (.everything, .unusable):
      return Revocation(subject: subject, factor: nil, finding: finding)
    case (.factor, .unusable(let problem)): throw .unusable(subject.name, problem)
    case (.factor(let selector), .usable(let snapshot)):
      let factor = try Self.select(selector, in: snapshot.record)
      return Revocation(subject: subject, factor: factor, finding: finding)
    }
  }

  static func select(
    _ selector: String?, in record: FactorRecord
  ) throws(AdminError) -> Factor {
    switch FactorSelection(selector, in: record.factors) {
    case .one(let factor): return factor
    case .none:
      throw .noSuchFactor(record.user, selector: selector ?? "", others: record.factors)
    case .several(let factors): throw .severalFactors(record.user, selector: selector, factors)
    }
  }

  /// Carries out a revocation, and returns what was removed.
  package func revoke(_ revocation: Revocation) throws(AdminError) -> RevocationReport {
    let subject = revocation.subject
    guard let factor = revocation.factor else { return try revokeEverything(revocation) }
    let entry = try entry(of: subject)
    guard var record = entry.record else { throw .notEnrolled(subject.name) }
    do throws(FactorRecord.ChangeRefusal) {
      try record.unenroll(factor.id, from: Source(actor), at: now)
    } catch {
      // The factor was removed while the administrator was asked to confirm.
      throw .noSuchFactor(
        subject.name, selector: "\(VisibleText(factor.displayName))", others: record.factors)
    }
    // The watermark is kept until another factor is enrolled. If it were removed before the record,
    // a crash in between would leave a factor that accepts no code.
    let attempts = entry.attempts.forgetting()
    let rememberedCount = entry.attempts.remembered.entries.count
    let event = AuditLogEvent(.unenrolled, factor, by: ledgerActor, at: now)
    let entered = try onUser(subject) { () throws(FactorStoreError) in
      try replace(entry, record, attempts, entering: event)
    }
    note("revoked", subject, entered, factor: factor.id.hexadecimal)
    if let account = subject.account { deliver(account) }
    return RevocationReport(
      user: subject.name,
      removal: .factor(factor, left: record.factors.count, rememberedCount: rememberedCount),
      entered: entered)
  }

  /// Whether a change was entered in the audit log.
  package enum AuditLogOutcome: Equatable {
    /// The change was entered with this checkpoint, which is nil if nothing was changed.
    case entered(AuditLogCheckpoint?)
    /// The change was not entered, because the log cannot be used for this reason.
    case unrecorded(RecordProblem)

    /// The checkpoint of the entry.
    package var mark: AuditLogCheckpoint? {
      switch self {
      case .entered(let mark): mark
      case .unrecorded: nil
      }
    }

    /// The reason why the change was not entered.
    package var problem: RecordProblem? {
      switch self {
      case .entered: nil
      case .unrecorded(let problem): problem
      }
    }
  }

  /// Makes a change that withdraws or restores access, which must not depend on the audit log.
  ///
  /// If the log cannot be written, `unrecorded` makes the change without an entry, and the reason
  /// is returned.
  private func recordIfPossible(
    _ change: () throws(FactorStoreError) -> AuditLogCheckpoint?,
    unrecorded: () throws(FactorStoreError) -> Void
  ) throws(FactorStoreError) -> AuditLogOutcome {
    do throws(FactorStoreError) {
      return .entered(try change())
    } catch {
      guard error.concernsAuditLog else { throw error }
      try unrecorded()
      return .unrecorded(.store(error))
    }
  }

  private func replace(
    _ entry: LocalFactorStoreEntry, _ record: FactorRecord, _ attempts: AttemptState,
    entering event: AuditLogEvent
  ) throws(FactorStoreError) -> AuditLogOutcome {
    try recordIfPossible(
      { () throws(FactorStoreError) in
        try entry.replace(record: record, attempts: attempts, entering: event)
      },
      unrecorded: { () throws(FactorStoreError) in
        try entry.replaceUnrecorded(record: record, attempts: attempts)
      })
  }

  private func revokeEverything(_ revocation: Revocation) throws(AdminError) -> RevocationReport {
    let subject = revocation.subject
    let report = try onUser(subject) { () throws(FactorStoreError) in
      switch (revocation.finding, subject.account) {
      case (.usable, let account?): return try removeEverything(of: account, subject)
      case (.nothing, let account?):
        // A user without a factor can still have a record with pending notices or grants.
        guard try hasRecord(of: account) else { return try discard(subject) }
        return try removeEverything(of: account, subject)
      case (.unusable, _), (_, nil): return try discard(subject)
      }
    }
    guard let report else { throw subject.absence }
    note("revoked", subject, report.entered, factor: Array("all".utf8))
    if let account = subject.account { deliver(account) }
    return report
  }

  /// Removes the user's data without reading it. Returns nil if nothing is stored.
  private func discard(_ subject: AdministeredUser) throws(FactorStoreError) -> RevocationReport? {
    let event = AuditLogEvent(.revoked, by: ledgerActor, at: now)
    var result = LocalFactorStore.Discarding.nothing
    let entered = try recordIfPossible(
      { () throws(FactorStoreError) in
        result = try store.discard(user: subject.name, account: subject.account, entering: event)
        guard case .removed(let mark) = result else { return nil }
        return mark
      },
      unrecorded: { () throws(FactorStoreError) in
        result = try store.discard(user: subject.name, account: subject.account, entering: nil)
      })
    guard case .removed = result else { return nil }
    return RevocationReport(user: subject.name, removal: .unread, entered: entered)
  }

  /// Returns whether a record is stored for the account, even if it has no factors.
  private func hasRecord(of account: Account) throws(FactorStoreError) -> Bool {
    do throws(FactorStoreError) {
      return try store.entry(of: account, creating: false).kept != nil
    } catch {
      switch error {
      // Nothing is stored, or nothing that can be trusted.
      case .system(.attempts, _), .untrusted(.attempts, _): return false
      case .system, .untrusted, .damaged, .otherVersion, .otherKey, .belongsToAnother, .rolledBack,
        .busy, .cryptography, .nameTooLong, .engine, .foreign,
        .renamed:
        throw error
      }
    }
  }

  /// Removes all factors and grants, and keeps pending notices. Returns nil if the user has
  /// neither.
  private func removeEverything(
    of account: Account, _ subject: AdministeredUser
  ) throws(FactorStoreError) -> RevocationReport? {
    let entry = try store.unverifiedEntry(of: account)
    guard var record = entry.kept, record.isEnrolled || !record.grants.isEmpty else {
      return nil
    }
    let removal = RevocationReport.Removal.everything(
      record.factors, grants: record.grants.count,
      rememberedCount: entry.attempts.remembered.entries.count)
    record.removeEverything()
    record.note(.revoked, about: .account, from: Source(actor), at: now)
    let event = AuditLogEvent(.revoked, by: ledgerActor, at: now)
    let entered = try replace(entry, record, entry.attempts.forgetting(), entering: event)
    return RevocationReport(user: subject.name, removal: removal, entered: entered)
  }

  // MARK: Unlocking

  /// Clears the failed attempts of a user, and returns what was found. A user without a factor can
  /// be throttled too, after wrong tickets.
  ///
  /// With `acceptingRestored`, files that are older than the audit log says are also accepted,
  /// because an administrator has restored them from a backup.
  package func unlock(
    _ text: String, acceptingRestored: Bool = false
  ) throws(AdminError) -> UnlockingReport {
    let subject = try subject(text)
    let (entry, problem) = try entryToUnlock(subject, acceptingRestored)
    guard let record = entry.kept else { throw .notEnrolled(subject.name) }
    let unlocking = UnlockEffect(
      record, entry.attempts, settings.throttle, adjacentIntervals: settings.adjacentIntervals,
      now: now)
    guard unlocking.state != nil || problem != nil else {
      guard record.isEnrolled else { throw subject.absence }
      return UnlockingReport(user: subject.name, unlocking: unlocking, entered: .entered(nil))
    }
    let state = unlocking.state ?? entry.attempts
    let event = AuditLogEvent(
      problem == nil ? .unlocked : .restoreAccepted, detail: Array(unlocking.standing.word.utf8),
      by: ledgerActor, at: now)
    let entered = try onUser(subject) { () throws(FactorStoreError) in
      try replace(entry, record, state, entering: event)
    }
    note("unlocked", subject, entered, failures: unlocking.failures)
    return UnlockingReport(
      user: subject.name, unlocking: unlocking, entered: entered, accepted: problem)
  }

  /// Returns the user's store entry and, if files were accepted although they are older than the
  /// audit log says, the reason why they would otherwise be refused.
  ///
  /// The user can be unlocked even if the audit log cannot be read.
  private func entryToUnlock(
    _ subject: AdministeredUser, _ acceptingRestored: Bool
  ) throws(AdminError) -> (LocalFactorStoreEntry, RecordProblem?) {
    let accepted: RecordProblem?
    switch try finding(subject) {
    case .nothing:
      guard let account = subject.account else { throw subject.absence }
      let isKept = try onUser(subject) { () throws(FactorStoreError) in try hasRecord(of: account) }
      guard isKept else { throw subject.absence }
      return (try entry(of: subject), nil)
    case .usable: return (try entry(of: subject), nil)
    case .unusable(.store(let error)) where error.concernsAuditLog: accepted = nil
    case .unusable(.store(.rolledBack(let part))) where acceptingRestored:
      accepted = .store(.rolledBack(part))
    case .unusable(let problem): throw .unusable(subject.name, problem)
    }
    let entry = try onUser(subject) { () throws(FactorStoreError) in
      try store.unverifiedEntry(of: subject.accountOrPlaceholder)
    }
    return (entry, accepted)
  }

  // MARK: Remembered sign-ins

  /// Clears the remembered sign-ins of a user, and returns their number.
  package func clearRememberedSignIns(of text: String) throws(AdminError) -> ClearedSignInsReport {
    let subject = try subject(text)
    let entry = try usableEntry(of: subject)
    let rememberedCount = entry.attempts.remembered.entries.count
    guard rememberedCount > 0 else {
      return ClearedSignInsReport(user: subject.name, rememberedCount: 0, mark: nil)
    }
    let event = AuditLogEvent(.forgotten, by: ledgerActor, at: now)
    let mark = try onUser(subject) { () throws(FactorStoreError) in
      try entry.write(entry.attempts.forgetting(), entering: event)
    }
    note("forgotten", subject, mark)
    return ClearedSignInsReport(user: subject.name, rememberedCount: rememberedCount, mark: mark)
  }

  // MARK: Users

  /// The data stored for a user, as far as it can be used.
  package enum Finding: Equatable {
    case nothing
    case usable(FactorSnapshot)
    case unusable(RecordProblem)
  }

  /// Looks up a user by name.
  package func subject(_ text: String) throws(AdminError) -> AdministeredUser {
    guard let name = UserName(Array(text.utf8)) else { throw .notAUserName(text) }
    let account: Account?
    do throws(SystemError) { account = try accounts.named(name.bytes) } catch {
      throw .account(name, error)
    }
    // Use the spelling of the account database.
    guard let account, let own = UserName(account.name) else {
      return AdministeredUser(name: name, account: nil)
    }
    return AdministeredUser(name: own, account: account)
  }

  /// Returns the data stored for a user. Throws only if the store as a whole cannot be used.
  package func finding(_ subject: AdministeredUser) throws(AdminError) -> Finding {
    do throws(FactorStoreError) {
      return try store.snapshot(of: subject.accountOrPlaceholder).map { .usable($0) } ?? .nothing
    } catch {
      switch error {
      case .system(.directory, _), .system(.factors, _), .untrusted(.directory, _),
        .untrusted(.factors, _), .system(.identity, _), .untrusted(.identity, _), .foreign:
        throw .store(error)
      case .system, .untrusted, .damaged, .otherVersion, .otherKey, .belongsToAnother, .rolledBack,
        .busy, .cryptography, .nameTooLong, .engine, .renamed:
        return .unusable(subject.problem(error))
      }
    }
  }

  /// Returns the store entry of an enrolled user with a usable record.
  private func usableEntry(of subject: AdministeredUser) throws(AdminError) -> LocalFactorStoreEntry
  {
    switch try finding(subject) {
    case .nothing: throw subject.absence
    case .unusable(let problem): throw .unusable(subject.name, problem)
    case .usable: return try entry(of: subject)
    }
  }

  func entry(of subject: AdministeredUser) throws(AdminError) -> LocalFactorStoreEntry {
    try onUser(subject) { () throws(FactorStoreError) in
      try store.entry(of: subject.accountOrPlaceholder, creating: false)
    }
  }

  /// Runs `body`, and converts an error of the store to `AdminError.unusable` for this user.
  func onUser<Result: ~Copyable>(
    _ subject: AdministeredUser, _ body: () throws(FactorStoreError) -> Result
  ) throws(AdminError) -> Result {
    do throws(FactorStoreError) { return try body() } catch {
      throw .unusable(subject.name, subject.problem(error))
    }
  }

  /// Runs `body`, and converts an error of the store to `AdminError.store`.
  package func onStore<Result>(
    _ body: () throws(FactorStoreError) -> Result
  ) throws(AdminError) -> Result {
    do throws(FactorStoreError) { return try body() } catch { throw .store(error) }
  }

  // MARK: The log

  /// Writes a change to the system log and the kernel's audit trail, with its entry in the audit
  /// log, if any.
  package func note(
    _ result: StaticString, _ subject: AdministeredUser, _ entered: AuditLogOutcome,
    factor: [UInt8]? = nil,
    failures: UInt32? = nil
  ) {
    note(
      result, subject, entered.mark, factor: factor, failures: failures, problem: entered.problem)
  }

  /// Writes a change to the system log and the kernel's audit trail. `problem` is the reason why
  /// the change is not in the audit log, if it is not.
  package func note(
    _ result: StaticString, _ subject: AdministeredUser, _ mark: AuditLogCheckpoint?,
    factor: [UInt8]? = nil,
    failures: UInt32? = nil, grant: [UInt8]? = nil, reason: [UInt8]? = nil,
    problem: RecordProblem? = nil
  ) {
    var line = LogLine()
    line.add("result", result)
    line.add("user", escaping: subject.name.bytes)
    if let factor { line.add("factor", escaping: factor) }
    if let failures { line.add("wrong-codes", Int64(failures)) }
    if let grant { line.add("grant", escaping: grant) }
    if let reason { line.add("reason", escaping: reason) }
    line.add("by", escaping: actor)
    if let mark { line.add("checkpoint", escaping: mark.text) }
    if let problem {
      line.add("checkpoint", "none")
      line.add("part", escaping: Array(problem.part.utf8))
      line.add("audit-log-failure", escaping: Array(problem.code.utf8))
    }
    log(problem == nil ? .notice : .error, line)
    audit(Array("mfa:\(result)".utf8), subject.name.bytes)
  }
}
