import MFAAttempt
import MFABase
import MFAModel
import MFAStore

/// The operations of the administrator's commands on the store, without their terminal input and
/// output.
///
/// MUST 1: a record that cannot be read is reported, never omitted. (`AdministrationTests.damaged`)
/// MUST 2: each change applies to the data stored at that moment, under the user's lock, and is
/// written to the system log. (`AdministrationTests.revoke`, `.unlock`)
/// MUST 3: a secret is unsealed only to compare it with an imported one, and a phone number only after
/// that was recorded in the audit log, or to compare it with a test number. (Only `Importing` and
/// Administration+Reveal.swift ask the store for them; `RevealedNumberTests.recordedFirst`)
package struct Administration: UserAdministrator {
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
  package var auditLogActor: AuditLogEvent.Actor {
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
    try onStore(try store.requireOwn())
    let files = try files()
    guard !files.isEmpty else { return [] }
    let reader = try onStore(try store.reader())
    let local = accounts.local()
    var progress = progress
    let quick = try onStore(try ConcurrentRecordReader(store))
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

  /// Returns the name of a user, in the spelling of the account database.
  package func name(of user: String) throws(AdminError) -> UserName { try subject(user).name }

  /// Returns that the user does not exist, or is not enrolled.
  package func absence(of user: String) throws(AdminError) -> AdminError {
    try subject(user).absence
  }

  // MARK: Changing

  /// Makes a change of what is stored for a user.
  package func make(
    _ change: UserChange, of user: String, acceptingRestored: Bool
  ) throws(AdminError) -> ChangedUser? {
    let subject = try subject(user)
    if case .revokeEverything = change { return try revokeEverything(subject) }
    let (entry, problem) = try entry(of: subject, for: change, acceptingRestored)
    guard let entry else { return nil }
    return try made(change, entry, subject, accepting: problem)
  }

  /// Returns the user's store entry, or nil if there is none. Also returns the reason why the user's files would be
  /// refused, if they were accepted although they are older than the audit log says.
  private func entry(
    of subject: AdministeredUser, for change: UserChange, _ acceptingRestored: Bool
  ) throws(AdminError) -> (LocalFactorStoreEntry?, RecordProblem?) {
    switch change {
    case .unlock: return try entryToUnlock(subject, acceptingRestored)
    case .forget: return (try usableEntry(of: subject), nil)
    case .revoke, .revokeEverything: return (try entry(of: subject), nil)
    case .grant, .withdraw:
      guard let account = subject.account else { throw .noSuchUser(subject.name) }
      let entry = try onUser(
        subject,
        change.createsRecord
          ? try store.entry(of: account, creating: true) : try store.existingEntry(of: account))
      return (entry, nil)
    }
  }

  private func made(
    _ change: UserChange, _ entry: LocalFactorStoreEntry, _ subject: AdministeredUser,
    accepting problem: RecordProblem? = nil
  ) throws(AdminError) -> ChangedUser? {
    let context = UserChange.Context(
      settings: settings, by: auditLogActor, from: Source(administrator: actor), at: now,
      acceptsRestored: problem != nil)
    let outcome = try onUser(subject, try change.apply(to: entry, context))
    switch outcome {
    case .notFound: return nil
    case .tooManyGrants: throw .tooManyGrants(subject.name)
    case .made(let effect, let entered):
      if change.isNoticed, let account = subject.account { deliver(account) }
      return ChangedUser(
        user: subject.name, effect: effect, entered: entered, accepted: problem)
    }
  }

  /// Removes everything that is stored for a user, even if it cannot be read.
  private func revokeEverything(_ subject: AdministeredUser) throws(AdminError) -> ChangedUser? {
    switch (try finding(subject), subject.account) {
    case (.usable, let account?): return try removeEverything(of: account, subject)
    case (.nothing, let account?):
      // A user without a factor can still have a record with pending notices or grants.
      let isKept = try onUser(subject, try hasRecord(of: account))
      return isKept ? try removeEverything(of: account, subject) : try discard(subject)
    case (.unusable, _), (_, nil): return try discard(subject)
    }
  }

  private func removeEverything(
    of account: Account, _ subject: AdministeredUser
  ) throws(AdminError) -> ChangedUser? {
    let entry = try onUser(subject, try store.unverifiedEntry(of: account))
    return try made(.revokeEverything, entry, subject)
  }

  /// Removes the user's data without reading it. Returns nil if nothing is stored.
  private func discard(_ subject: AdministeredUser) throws(AdminError) -> ChangedUser? {
    let entered = try onUser(subject) { () throws(FactorStoreError) in
      do throws(FactorStoreError) {
        return try discarded(subject, entering: event(.revoked)).map { AuditLogOutcome.entered($0) }
      } catch {
        guard error.concernsAuditLog else { throw error }
        return try discarded(subject, entering: nil).map { _ in .unrecorded(error) }
      }
    }
    guard let entered else { return nil }
    if let account = subject.account { deliver(account) }
    let removal = UserChange.Removal(
      factors: [], factorsLeft: 0, grants: 0, remembered: 0, isOfEverything: true)
    return ChangedUser(
      user: subject.name, effect: .revoked(removal), entered: entered, isUnread: true)
  }

  /// Returns the checkpoint of the entry in the audit log, or nil if nothing is stored.
  private func discarded(
    _ subject: AdministeredUser, entering event: AuditLogEvent?
  ) throws(FactorStoreError) -> AuditLogCheckpoint?? {
    let result = try store.discard(user: subject.name, account: subject.account, entering: event)
    guard case .removed(let mark) = result else { return nil }
    return .some(mark)
  }

  /// Returns whether a record is stored for the account, even if it has no factors.
  private func hasRecord(of account: Account) throws(FactorStoreError) -> Bool {
    do throws(FactorStoreError) {
      return try store.entry(of: account, creating: false).kept != nil
    } catch .system(.attempts, _) {
      // Nothing is stored, or nothing that can be trusted.
      return false
    }
  }

  /// Returns the user's store entry and, if files were accepted although they are older than the
  /// audit log says, the reason why they would otherwise be refused.
  ///
  /// The user can be unlocked even if the audit log cannot be read.
  private func entryToUnlock(
    _ subject: AdministeredUser, _ acceptingRestored: Bool
  ) throws(AdminError) -> (LocalFactorStoreEntry?, RecordProblem?) {
    let accepted: RecordProblem?
    switch try finding(subject) {
    case .nothing:
      guard let account = subject.account else { return (nil, nil) }
      let isKept = try onUser(subject, try hasRecord(of: account))
      return (isKept ? try entry(of: subject) : nil, nil)
    case .usable: return (try entry(of: subject), nil)
    case .unusable(.store(let error)) where error.concernsAuditLog: accepted = nil
    case .unusable(.store(.rolledBack(let part))) where acceptingRestored:
      accepted = .store(.rolledBack(part))
    case .unusable(let problem): throw .unusable(subject.name, problem)
    }
    let entry = try onUser(subject, try store.unverifiedEntry(of: subject.accountOrPlaceholder))
    return (entry, accepted)
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
    return try accounts.user(named: name)
  }

  /// Returns the data stored for a user. Throws only if the store as a whole cannot be used.
  package func finding(_ subject: AdministeredUser) throws(AdminError) -> Finding {
    do throws(FactorStoreError) {
      return try store.snapshot(of: subject.accountOrPlaceholder).map { .usable($0) } ?? .nothing
    } catch {
      switch error {
      case .system(.directory, _), .system(.factors, _), .system(.identity, _), .foreign:
        throw .store(error)
      case .system, .damaged, .otherVersion, .otherKey, .belongsToAnother, .rolledBack,
        .busy, .nameTooLong, .engine, .renamed:
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
    try onUser(subject, try store.entry(of: subject.accountOrPlaceholder, creating: false))
  }

  /// Evaluates an expression, and converts an error of the store to `AdminError.unusable` for this user.
  func onUser<Result: ~Copyable>(
    _ subject: AdministeredUser, _ body: @autoclosure () throws(FactorStoreError) -> Result
  ) throws(AdminError) -> Result {
    try onUser(subject) { () throws(FactorStoreError) in try body() }
  }

  /// Runs `body`, and converts an error of the store as above.
  func onUser<Result: ~Copyable>(
    _ subject: AdministeredUser, _ body: () throws(FactorStoreError) -> Result
  ) throws(AdminError) -> Result {
    do throws(FactorStoreError) { return try body() } catch {
      throw .unusable(subject.name, subject.problem(error))
    }
  }

  /// Evaluates an expression, and converts an error of the store to `AdminError.store`.
  func onStore<Result: ~Copyable>(
    _ body: @autoclosure () throws(FactorStoreError) -> Result
  ) throws(AdminError) -> Result {
    try onStore { () throws(FactorStoreError) in try body() }
  }

  /// Runs `body`, and converts an error of the store as above.
  package func onStore<Result: ~Copyable>(
    _ body: () throws(FactorStoreError) -> Result
  ) throws(AdminError) -> Result {
    do throws(FactorStoreError) { return try body() } catch { throw .store(error) }
  }

  // MARK: The log

  /// Returns an event of this administrator for the audit log.
  func event(_ kind: AuditLogEvent.Kind, detail: [UInt8] = []) -> AuditLogEvent {
    AuditLogEvent(kind, detail: detail, by: auditLogActor, at: now)
  }

  /// Writes a change of the store as a whole to the system log.
  func note(
    _ result: StaticString, _ checkpoint: AuditLogCheckpoint, as priority: LogPriority = .notice,
    _ fields: (inout LogLine) -> Void = { _ in }
  ) {
    var line = LogLine()
    line.add("result", result)
    fields(&line)
    line.add("by", escaping: actor)
    line.add("checkpoint", escaping: checkpoint.text)
    log(priority, line)
  }

  /// Writes a change to the system log and the kernel's audit trail, with its entry in the audit
  /// log, if any.
  package func note(
    _ result: StaticString, _ user: UserName, _ entered: AuditLogOutcome,
    _ fields: (inout LogLine) -> Void
  ) {
    var line = LogLine()
    line.add("result", result)
    line.add("user", escaping: user.bytes)
    fields(&line)
    line.add("by", escaping: actor)
    if let mark = entered.mark { line.add("checkpoint", escaping: mark.text) }
    let problem = entered.problem
    if let problem {
      line.add("checkpoint", "none")
      line.add("part", escaping: Array(problem.part.utf8))
      line.add("audit-log-failure", escaping: Array(problem.code.utf8))
    }
    log(problem == nil ? .notice : .error, line)
    audit(Array("mfa:\(result)".utf8), user.bytes)
  }
}

// Tickets and bypass codes.
extension Administration {
  /// Returns the grants of one user, or of all users if `text` is nil.
  package func grants(_ text: String?) throws(AdminError) -> [GrantReport] {
    guard let text else { return try allGrants() }
    let subject = try subject(text)
    return reports(try kept(subject))
  }

  private func allGrants() throws(AdminError) -> [GrantReport] {
    var reports: [GrantReport] = []
    for user in try files().compactMap(\.user) {
      let subject = try subject(String(decoding: user.bytes, as: UTF8.self))
      // Without an account no grant can be used; `list` reports the record.
      guard subject.account != nil else { continue }
      reports += self.reports(try kept(subject))
    }
    return reports
  }

  private func reports(_ record: FactorRecord?) -> [GrantReport] {
    guard let record else { return [] }
    return record.grants.map {
      GrantReport(user: record.user, grant: $0.withoutDigest, isGood: $0.isGood(at: now))
    }
  }

  /// Returns the stored record of a user, even if it has no factors, or nil.
  private func kept(_ subject: AdministeredUser) throws(AdminError) -> FactorRecord? {
    try onUser(subject, try store.existingEntry(of: subject.accountOrPlaceholder)?.kept)
  }
}

// Removes the records of deleted accounts.
extension Administration {
  /// The records of accounts that no longer exist.
  package struct Orphans: Equatable {
    /// The names, sorted.
    package let names: [UserName]
    /// The number of all users with a record.
    package let total: Int

    /// Whether so many accounts are missing that a directory service is probably unavailable: more
    /// than three, and more than a tenth of all.
    package var areSuspicious: Bool { names.count > 3 && names.count * 10 > total }
  }

  /// Finds the records of accounts that no longer exist.
  package func orphans(progress: Progress = .silent) throws(AdminError) -> Orphans {
    let reports = try users(progress: progress) { ($0.userName, $0.isOrphaned) }
    let orphaned = reports.compactMap { $0.1 ? $0.0 : nil }
    // Nothing is removed of users who only have another name.
    let renamed = orphaned.isEmpty ? [] : try renamedUsers().map(\.earlier)
    return Orphans(names: orphaned.filter { !renamed.contains($0) }, total: reports.count)
  }

  /// Removes what is stored for a deleted account, or returns nil if the account exists again or
  /// nothing is stored.
  package func prune(_ name: UserName) throws(AdminError) -> RevocationReport? {
    let text = String(decoding: name.bytes, as: UTF8.self)
    guard try subject(text).account == nil else { return nil }
    let plan = try plan(.everything, of: text)
    do throws(AdminError) { return try revoke(plan) } catch {
      guard case .noSuchUser = error else { throw error }
      return nil
    }
  }
}
