import MFAAdmin
import MFADoctor
import MFAStore
import MFABase
import MFAPAMStack

// MFAServiceSwitch: `mfa-admin enable`, `disable`, `confirm` and `restore`.
//
// `ServicePlan` computes the new files of a service and proves that they ask for a code.
// `ServiceSwitch` writes them, waits for the confirmation and rolls back. `ChangeJournal` records
// each step, so that the next process can complete or undo an interrupted change.
//
// MUST 1: this library prints nothing: `ServiceSwitch.report` receives the messages.
// MUST 2: no file is written that the journal does not list.

/// Enables and disables services, and rolls back unconfirmed changes. Use it only while the journal
/// is locked.
///
/// MUST 1: every file write is recorded in the journal before it happens, and if the process is
/// interrupted at any point, the next process completes or undoes the change. (`ChangeFaults`)
/// MUST 2: no service is enabled without an entry in the audit log, and a failing audit log never
/// prevents disabling. (`EndToEnd.Enable.audit-log`)
/// MUST 3: a file that was edited after the confirmation keeps the edits outside of our lines, and a copy
/// of edited lines of ours. No edit keeps a service from being disabled. (`ChangedFileTests`)
/// MUST 4: before the confirmation, no edit, owner, permission or link keeps a file from being
/// restored, and one file that cannot be restored does not keep the others from it.
/// (`EndToEnd.Enable.editedOnTrial`, `EndToEnd.Enable.fileThatStays`)
package struct ServiceSwitch {
  /// The records of all changes.
  package let journal: ChangeJournal
  /// The administrator's account name, as shown in the log.
  package let actor: [UInt8]
  /// Whether sshd may be reloaded.
  package var mayReload = true
  /// Records a change to a service in the audit log before the change is made.
  package var record:
    (AuditLogEvent.Kind, _ service: [UInt8]) throws(AdminError) -> AuditLogCheckpoint =
      ServiceAuditLog.enter
  /// Receives the messages, one line each.
  package var report: (String) -> Void

  /// Creates the value. Nothing is read yet.
  package init(
    journal: ChangeJournal, actor: [UInt8], report: @escaping (String) -> Void = { _ in }
  ) {
    self.journal = journal
    self.actor = actor
    self.report = report
  }

  // MARK: Enabling

  /// Applies all plans or none of them. The changes are rolled back after `seconds` unless they are
  /// confirmed; if `seconds` is nil, they are permanent.
  ///
  /// - Returns: the deadline for the confirmation in seconds since the epoch, or nil.
  package func enable(_ plans: [ServicePlan], seconds: Int64?) throws(AdminError) -> Int64? {
    for plan in plans where seconds != nil && !SignInProgram.isKnown(plan.service) {
      throw .unknownProgram(plan.name)
    }
    let deadline = try seconds.map { (seconds) throws(AdminError) in try Self.deadline(seconds) }
    var begun: [ServiceChange] = []
    var marks: [AuditLogCheckpoint] = []
    do throws(AdminError) {
      for plan in plans {
        let change = ServiceChange(
          service: plan.service, stage: .inProgress, deadline: deadline, actor: actor,
          files: plan.files)
        begun.append(change)
        try journal.write(change)
        if begun.count == 1, deadline != nil { try RollbackWatcher.start() }
        marks.append(try record(.serviceEnabled, plan.service))
        try put(change)
      }
      // All services enabled together begin to wait for confirmation at the same time.
      for (change, mark) in zip(begun, marks) { try complete(change, mark) }
    } catch {
      throw rollingBack(begun, after: error)
    }
    return deadline?.time
  }

  /// Writes the files of a change and reloads sshd if necessary.
  private func put(_ change: ServiceChange) throws(AdminError) {
    var effective: SSHDSettings?
    for file in change.files {
      guard try SystemFile.read(file.path)?.contents == file.old else {
        throw .fileChanged(file.path)
      }
      try file.saved?.reserve(for: file.path)
      try SystemFile(contents: file.new, permissions: file.permissions, group: file.group)
        .write(to: file.path)
      if file.path == SecureShellDropIn.path { effective = try Self.check(file.new) }
    }
    guard ServicePlan.concernsSecureShell(change.service) else { return }
    if effective == nil {
      effective = try Self.check(SystemFile.read(SecureShellDropIn.path)?.contents ?? [])
    }
    if let warning = effective.flatMap({ SecureShellDropIn.warning(inEffective: $0) }) {
      report("warning: \(warning)")
    }
    guard mayReload, try SecureShellServer.reload(effective: effective) else {
      return report("note: sshd is not running: the settings take effect when it starts")
    }
  }

  /// Verifies that sshd would use the settings of the drop-in, and returns all settings.
  private static func check(_ dropIn: [UInt8]) throws(AdminError) -> SSHDSettings {
    try SecureShellServer.check(expecting: SecureShellDropIn.factors(in: dropIn))
  }

  /// Records that all files are in place, and which sign-in processes are older than the change.
  private func complete(_ change: ServiceChange, _ mark: AuditLogCheckpoint) throws(AdminError) {
    if ServicePlan.family(of: change.service).contains(Array("sudo-i".utf8)) {
      Tool.forgetSudoTimestamps()
    }
    var pendingChange = change
    pendingChange.stage = .pending
    pendingChange.processes = ProcessTable.processes(of: change.service)
    try journal.write(pendingChange)
    if change.deadline == nil { try makePermanent(pendingChange) }
    log("service-enabled", of: change, as: .serviceEnabled, mark: mark) { line in
      if let deadline = change.deadline {
        line.add("until", deadline.time)
      } else {
        line.add("confirmation", "none")
      }
    }
  }

  /// Rolls back all `changes`. Returns the error to report.
  private func rollingBack(_ changes: [ServiceChange], after error: AdminError) -> AdminError {
    var other: AdminError?
    for change in changes.reversed() {
      do throws(AdminError) {
        // A change may already be complete. Roll it back even if the disk is full and the record
        // cannot be written.
        do throws(AdminError) { try begin(undoing: change) } catch {}
        try restore(
          change, reason: "failed", .serviceRestored, entered(.serviceRestored, change.service))
      } catch {
        other = error
      }
    }
    return other.map { .rollbackFailed(error, $0) } ?? .rolledBack(error)
  }

  private static func deadline(_ seconds: Int64) throws(AdminError) -> ServiceChange.Deadline {
    let boot = try ProcessTable.boot()
    do throws(SystemError) {
      return ServiceChange.Deadline(
        boot: boot, sinceBoot: try Clock.sinceBoot() + seconds, time: try Clock.now() + seconds)
    } catch {
      throw .system("the clock", error)
    }
  }

  // MARK: Confirming

  /// Confirms each pending change whose service handled the new sign-in from which this command was
  /// started.
  ///
  /// - Returns: the confirmed services, and the services still waiting with the reason.
  ///
  /// If `isUnattended`, the sign-in need not have used the service's new lines.
  package func confirm(isUnattended: Bool = false) throws(AdminError) -> (
    confirmed: [String], waiting: [(service: String, reason: String)]
  ) {
    let ancestors = ProcessTable.ancestors()
    var confirmed: [String] = []
    var waiting: [(service: String, reason: String)] = []
    for entry in try journal.pending() {
      // An unreadable record must not prevent the confirmation of other changes.
      guard case .success(let change) = entry, change.stage == .pending else { continue }
      let name = VisibleText.escaping(change.service)
      let obstacle = SignInProgram.obstacle(
        of: change.service, ancestors: ancestors, old: change.processes)
      let user = SignInProgram.user(of: change.service, ancestors: ancestors)
      let silence =
        isUnattended
        ? nil
        : user.flatMap {
          SilentSignIn.reason(
            change.service, user: $0, connection: SignInProgram.connection(ancestors: ancestors))
        }
      if let reason = obstacle ?? silence {
        waiting.append((name, reason))
        continue
      }
      let mark = try record(.serviceConfirmed, change.service)
      try makePermanent(change)
      log("service-confirmed", of: change, as: .serviceConfirmed, mark: mark) { line in
        if isUnattended { line.add("confirmation", "unattended") }
      }
      confirmed.append(name)
    }
    guard !confirmed.isEmpty || !waiting.isEmpty else { throw .nothingToConfirm }
    guard !confirmed.isEmpty else {
      throw .noNewSignIn(waiting.map { "\($0.service): \($0.reason)" })
    }
    return (confirmed, waiting)
  }

  /// Makes a change permanent.
  private func makePermanent(_ change: ServiceChange) throws(AdminError) {
    try journal.confirm(change)
    for file in change.files {
      // A remaining backup copy is harmless.
      do throws(AdminError) { try SystemFile.removeReserve(of: file.path) } catch {}
    }
  }

  // MARK: Disabling

  /// Returns the change to undo in order to disable a service, from its record or from the marks in
  /// its files. Returns nil if the service is not enabled.
  package func change(of service: [UInt8]) throws(AdminError) -> ServiceChange? {
    // An unreadable record belongs to a different service, or the marks below replace it.
    if let change = try journal.pending(service) { return change }
    if let change = try journal.confirmed(service) {
      // If the service was enabled again because one file had lost its lines, the record does not have
      // the others.
      let recorded = Set(change.files.map(\.path))
      let others = try markedFiles(of: service).filter { !recorded.contains($0.path) }
      return change.confirmed(adding: others)
    }
    let files = try markedFiles(of: service)
    guard !files.isEmpty else { return nil }
    return ServiceChange(
      service: service, stage: .undoing, deadline: nil, actor: actor, files: files)
  }

  /// Returns the files of a service that have marked lines.
  private func markedFiles(of service: [UInt8]) throws(AdminError) -> [ChangedFile] {
    var files: [ChangedFile] = []
    let paths =
      (ServicePlan.concernsSecureShell(service) ? [SecureShellDropIn.path] : [])
      + ServicePlan.family(of: service).map { ServicePlan.path(of: $0) }
    for path in paths {
      guard let file = try SystemFile.read(path) else { continue }
      switch MarkedText(service: service).removing(from: file.contents) {
      case .absent: continue
      case .removed(let rest, _):
        files.append(
          ChangedFile(
            path: path, old: rest.isEmpty && path == SecureShellDropIn.path ? nil : rest,
            new: file.contents, permissions: file.permissions, owner: 0, group: file.group))
      }
    }
    return files
  }

  /// Disables a service.
  package func disable(_ change: ServiceChange) throws(AdminError) {
    let mark = entered(.serviceDisabled, change.service)
    try begin(undoing: change)
    try restore(change, reason: "disabled", .serviceDisabled, mark)
  }

  private func begin(undoing change: ServiceChange) throws(AdminError) {
    var undone = change
    undone.stage = .undoing
    try journal.write(undone)
  }

  /// Returns the action that restores each file, with what is at its path now, in reverse order of
  /// writing.
  package func remedies(
    _ change: ServiceChange
  ) throws(AdminError) -> [(
    file: ChangedFile, present: PresentFile, remedy: ChangedFile.Restoration
  )] {
    var remedies: [(file: ChangedFile, present: PresentFile, remedy: ChangedFile.Restoration)] = []
    for file in change.files.reversed() {
      let present = try present(file, change)
      let remedy = file.remedy(
        service: change.service, present: present, isTrial: change.isTrial)
      remedies.append((file, present, remedy))
    }
    return remedies
  }

  /// Returns what is at the path of a file of a change. After the confirmation, throws if it is not a
  /// file that only root can have written.
  private func present(
    _ file: ChangedFile, _ change: ServiceChange
  ) throws(AdminError) -> PresentFile {
    guard !change.isTrial else { return try PresentFile.at(file.path) }
    return try SystemFile.read(file.path).map { .regular($0, isTrusted: true) } ?? .absent
  }

  // MARK: Rollback

  /// The result of a check for overdue changes.
  package struct Outcome {
    /// The next deadline, in seconds since the machine started.
    package var next: Int64?
    /// The errors that occurred.
    package var errors: [AdminError] = []
    /// The number of changes rolled back.
    package var count = 0
  }

  /// Rolls back all changes that are overdue or incomplete or, if `all`, all pending changes.
  package func rollBackOverdueChanges(all: Bool = false) throws(AdminError) -> Outcome {
    var outcome = Outcome()
    let boot = try ProcessTable.boot()
    let now: Int64
    do throws(SystemError) { now = try Clock.sinceBoot() } catch {
      throw .system("the clock", error)
    }
    do throws(AdminError) { try journal.removeDrafts() } catch { outcome.errors.append(error) }
    for entry in try journal.pending() {
      do throws(AdminError) {
        let change = try entry.get()
        let reason = Self.reason(change, boot: boot, now: now) ?? (all ? "boot" : nil)
        guard let reason else {
          let end = change.deadline?.sinceBoot ?? now
          outcome.next = min(outcome.next ?? end, end)
          continue
        }
        if all {
          // Roll back even if the disk is full and the record cannot be written. The next start
          // then rolls back again.
          do throws(AdminError) { try begin(undoing: change) } catch {}
        }
        try restore(
          change, reason: reason, .serviceRestored, entered(.serviceRestored, change.service))
        outcome.count += 1
      } catch {
        outcome.errors.append(error)
      }
    }
    return outcome
  }

  /// Returns the reason to roll back a change now, or nil.
  package static func reason(_ change: ServiceChange, boot: String, now: Int64) -> StaticString? {
    switch change.stage {
    case .inProgress: return "interrupted"
    case .undoing: return "disabled"
    case .pending:
      guard let deadline = change.deadline else { return "interrupted" }
      if deadline.boot != boot { return "boot" }
      return deadline.isOver(boot: boot, sinceBoot: now) ? "not-confirmed" : nil
    }
  }

  /// Restores the files of a change and removes its record. If a file cannot be restored, restores the
  /// others, and keeps the record.
  private func restore(
    _ change: ServiceChange, reason: StaticString, _ kind: AuditLogEvent.Kind,
    _ mark: AuditLogCheckpoint?
  ) throws(AdminError) {
    var problems: [AdminError] = []
    var isReloadDue = false
    for file in change.files.reversed() {
      do throws(AdminError) {
        let isWritten = try restore(file, of: change)
        if isWritten, file.path == SecureShellDropIn.path { isReloadDue = true }
      } catch {
        problems.append(error)
      }
    }
    // A process that was killed may have restored the drop-in without reloading sshd.
    if problems.isEmpty, change.files.contains(where: { $0.path == SecureShellDropIn.path }) {
      isReloadDue = true
    }
    if isReloadDue, mayReload {
      do throws(AdminError) { _ = try SecureShellServer.reload() } catch {
        Self.log(failure: error.message)
        report("warning: \(error.message)")
      }
    }
    if let problem = problems.first {
      for other in problems.dropFirst() { report("warning: \(other.message)") }
      throw problem
    }
    try journal.removeRecord(of: change)
    log("service-restored", of: change, as: kind, mark: mark) { $0.add("reason", reason) }
    report("\(VisibleText.escaping(change.service)): \(Self.sentence(reason))")
  }

  private static func sentence(_ reason: StaticString) -> String {
    switch "\(reason)" {
    case "not-confirmed": "was not confirmed in time and has been rolled back"
    case "boot": "was not confirmed before the machine restarted and has been rolled back"
    case "interrupted": "was only partly enabled and has been rolled back"
    case "disabled": "no longer asks for a code"
    case _: "has been rolled back"
    }
  }

  /// Restores a file. Returns whether the file was written or removed.
  private func restore(_ file: ChangedFile, of change: ServiceChange) throws(AdminError) -> Bool {
    let folders: SystemFile.FolderRequirement = change.isTrial ? .any : .rootOnly
    try SystemFile.removeDraft(of: file.path, folders)
    let isWritten =
      try isBeforeItsTurn(file, change) ? false : try undo(file, of: change, folders)
    try SystemFile.removeReserve(of: file.path, folders)
    return isWritten
  }

  /// Returns whether a change ended before it wrote this file. What is in the file then is from another
  /// program.
  private func isBeforeItsTurn(
    _ file: ChangedFile, _ change: ServiceChange
  ) throws(AdminError) -> Bool {
    guard change.stage == .inProgress, change.isTrial, file.old != nil else { return false }
    return try !SystemFile.hasReserve(file.path)
  }

  private func undo(
    _ file: ChangedFile, of change: ServiceChange, _ folders: SystemFile.FolderRequirement
  ) throws(AdminError) -> Bool {
    let present = try present(file, change)
    let remedy = file.remedy(service: change.service, present: present, isTrial: change.isTrial)
    switch remedy {
    case .unchanged: return false
    case .gone:
      report("note: \(file.path) was edited since: there was nothing left to remove")
      return false
    case .remove:
      try SystemFile.remove(file.path, folders)
    case .write(let text, let isExact):
      let edited = change.isTrial ? nil : present.file
      try put(
        SystemFile(
          contents: text, permissions: edited?.permissions ?? file.permissions,
          group: edited?.group ?? file.group), to: file.path, folders)
      if !isExact {
        report("note: \(file.path) was edited since: the edits stay, our lines were removed")
      }
    case .putBack:
      keep(present, of: file.path)
      if let saved = file.saved {
        try put(saved, to: file.path, folders)
      } else {
        try SystemFile.remove(file.path, folders)
      }
    case .writeKeeping(let text, let line):
      keep(present, of: file.path) { copy in
        "note: line \(line) of \(file.path) was edited: all lines of mfa-admin were removed, and what "
          + "was there is in \(copy)"
      }
      try put(
        SystemFile(
          contents: text, permissions: present.file?.permissions ?? file.permissions,
          group: present.file?.group ?? file.group), to: file.path, folders)
    }
    return true
  }

  /// Writes a file, from the backup copy if that is equal.
  private func put(
    _ file: SystemFile, to path: String, _ folders: SystemFile.FolderRequirement
  ) throws(AdminError) {
    do throws(AdminError) {
      if try file.putReserve(to: path, folders) { return }
    } catch {
      // The file is written below.
    }
    try file.write(to: path, folders)
  }

  /// Keeps what is at a path beside it. A full disk does not prevent the rollback.
  private func keep(
    _ present: PresentFile, of path: String, note: ((_ copy: String) -> String)? = nil
  ) {
    guard present != .absent else {
      return report("note: \(path) was removed since: the file from before the change is back")
    }
    do throws(AdminError) {
      let copy = try present.keep(of: path)
      // The rollback watcher has no terminal.
      var line = LogLine()
      line.add("result", "edit-kept")
      line.add("file", escaping: Array(path.utf8))
      line.add("copy", escaping: Array(copy.utf8))
      Log.write(.notice, line)
      report(
        note?(copy)
          ?? "note: \(path) was edited since: what it was before the change is back, and what was there "
          + "is in \(copy)")
    } catch {
      report("warning: what was edited in \(path) is lost: \(error.message)")
    }
  }

  // MARK: The log

  /// Records a rollback or the disabling of a service, if possible. A service can be disabled even
  /// if the store is broken.
  private func entered(_ kind: AuditLogEvent.Kind, _ service: [UInt8]) -> AuditLogCheckpoint? {
    do throws(AdminError) { return try record(kind, service) } catch {
      Self.log(failure: error.message)
      report("warning: \(error.message)")
      return nil
    }
  }

  private func log(
    _ result: StaticString, of change: ServiceChange, as kind: AuditLogEvent.Kind,
    mark: AuditLogCheckpoint?,
    _ more: (inout LogLine) -> Void = { _ in }
  ) {
    var record = LogLine()
    record.add("op", escaping: Array("mfa:".utf8) + kind.name.bytes)
    record.add("service", escaping: change.service)
    Audit.write(configuration: record, terminal: Console.terminal)
    var line = LogLine()
    line.add("result", result)
    line.add("service", escaping: change.service)
    more(&line)
    line.add("by", escaping: actor)
    if let mark { line.add("checkpoint", escaping: mark.text) }
    Log.write(.notice, line)
  }

  /// Writes a failed rollback to the system log.
  package static func log(failure: String) {
    var line = LogLine()
    line.add("result", "service-not-restored")
    line.addQuoted("reason", Array(failure.utf8))
    Log.write(.error, line)
  }
}
