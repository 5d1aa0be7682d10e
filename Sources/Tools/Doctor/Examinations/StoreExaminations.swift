import MFAAdmin
import MFABase
import MFAStore

/// Finds an audit log that is damaged, removed or replaced by another one.
///
/// Without the audit log, sign-ins of enrolled users are denied, because an earlier copy of a
/// user's files cannot be distinguished from the current files.
enum DamagedAuditLog: Examination {
  private static let path = StoreFile.auditLog.path

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    do throws(AdminError) {
      let problem = try snapshot.host.auditLogProblem()
      return problem.map { [finding($0, decides: snapshot.decides)] } ?? []
    } catch {
      guard case .store(let error) = error else {
        return [.unchecked("the audit log", at: path, error.message)]
      }
      return findings(error, decides: snapshot.decides)
    }
  }

  private static func findings(_ error: FactorStoreError, decides: Bool) -> [Finding] {
    guard !isReportedElsewhere(error) else { return [] }
    let problem = RecordProblem(error)
    guard error.concernsAuditLog else {
      return [.unchecked("the audit log", at: path, problem.sentence)]
    }
    return [damaged(problem.sentence, hint: problem.hint(for: nil), decides: decides)]
  }

  private static func finding(_ problem: AuditLogProblem, decides: Bool) -> Finding {
    switch problem {
    case .fault, .missingCheckpoint, .realm:
      damaged(problem.sentence, hint: problem.hint, decides: decides)
    case .recordsWithoutEntries, .records:
      Finding(
        severity: .error, code: "audit-log-replaced", place: path, message: problem.sentence,
        hint: (decides
          ? "compare with checkpoint= on the log host: mfa-admin audit-log verify; " : "")
          + "to start a new audit log with the present records: mfa-admin audit-log begin")
    }
  }

  private static func damaged(_ sentence: String, hint: String, decides: Bool) -> Finding {
    let harm = decides ? "users can be locked out, and no" : "no"
    return Finding(
      severity: .error, code: "audit-log-damaged", place: path,
      message: "\(sentence); \(harm) change can be recorded", hint: hint)
  }

  /// Returns whether another examination reports the error: a store that is missing or mounted
  /// read-only, an unusable key, or files with a wrong owner or mode, or with several hard links.
  private static func isReportedElsewhere(_ error: FactorStoreError) -> Bool {
    switch error {
    case .system(.directory, let cause) where cause.isNotFound: true
    case .system(_, let cause) where cause.name == "EROFS": true
    case .system(_, .cryptography): false
    case .foreign, .system(.key, _), .system(.identity, _): true
    case .system(_, let cause) where cause.distrust == .wrongOwner: true
    case .system(_, let cause) where cause.distrust == .wrongPermissions: true
    case .system(_, let cause) where cause.distrust == .severalNames: true
    case .system, .damaged, .otherVersion, .otherKey, .belongsToAnother, .rolledBack,
      .busy, .nameTooLong, .engine, .renamed:
      false
    }
  }
}

/// Finds a store that is not the host's own, and a key that another machine has, too.
enum ForeignStoreOfHost: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    do throws(AdminError) {
      return findings(try snapshot.host.storeComparison(), decides: snapshot.decides)
    } catch {
      // Another examination reports the key, and the owners and permissions.
      if case .store(.system(let part, let cause)) = error,
        cause.distrust != nil || part == .key && cause.obstacle == nil
      {
        return []
      }
      return [
        .unchecked(
          "whether the store is this host's own", at: "\(InstalledPath.storeIdentity)",
          error.message)
      ]
    }
  }

  private static func findings(_ comparison: StoreComparison, decides: Bool) -> [Finding] {
    if let difference = comparison.difference {
      let harm =
        decides ? "all sign-ins and enrolments are denied" : "mfa-admin cannot change services"
      return [
        Finding(
          severity: .error, code: "store-foreign", place: "\(InstalledPath.store)",
          message: "\(difference.sentence); \(harm)", hint: difference.hint)
      ]
    }
    guard decides else { return [] }
    return [sharedKey(comparison), oldIdentity(comparison)].compactMap { $0 }
  }

  private static func sharedKey(_ comparison: StoreComparison) -> Finding? {
    guard let own = comparison.own, let machine = comparison.machine, own.keyMachine != machine
    else { return nil }
    let origin =
      own.keyMachine == nil
      ? "before this machine had an /etc/machine-id" : "on a machine with another /etc/machine-id"
    return Finding(
      severity: .warning, code: "shared-key", place: "\(InstalledPath.key)",
      message:
        "was made \(origin): every machine that was made from the same image can have this key, and "
        + "anyone who reads it on one machine can open the records of all",
      hint: "make a new key: mfa-admin rekey; before the image is made: mfa-admin prepare-image")
  }

  private static func oldIdentity(_ comparison: StoreComparison) -> Finding? {
    guard let own = comparison.own, own.log != 0, let entries = comparison.entries,
      entries > own.entries
    else { return nil }
    return Finding(
      severity: .warning, code: "store-identity-old", place: "\(InstalledPath.storeIdentity)",
      message:
        "does not have the last entries of the audit log, so an earlier copy of the store could be put "
        + "back unnoticed",
      hint:
        "the next change of a user writes it; if this finding stays, make it writable, then: systemctl "
        + "restart mfad.service")
  }
}

/// Finds google-authenticator files in home directories. Each contains a secret that every program
/// run by the user can read.
///
/// MUST 1: the files are never opened. (only `ExaminedHost.status` is used)
/// MUST 2: file systems on which a lookup can hang are never accessed. (`ExaminationTests`)
enum LeftoverFiles: Examination {
  private static let name = ".google_authenticator"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    Finding.checking("home directories for google-authenticator files") {
      () throws(AdminError) in
      guard let mounts = try snapshot.rules.mounts.get() else {
        throw AdminError(at: MountTable.path, "the file does not exist")
      }
      return findings(try snapshot.accounts.get(), mounts, snapshot)
    }
  }

  private static func findings(
    _ accounts: [KnownAccount], _ mounts: MountTable, _ snapshot: HostSnapshot
  ) -> [Finding] {
    var found: [(user: String, path: String)] = []
    var skipped: [(user: String, reason: String)] = []
    for account in accounts where account.isPersonal && account.home.first == UInt8(ascii: "/") {
      let user = VisibleText.escaping(account.account.name)
      switch look(account.home, mounts, snapshot.host) {
      case .nothing: continue
      case .file(let path): found.append((user, path))
      case .skipped(let reason): skipped.append((user, reason))
      }
    }
    return [leftovers(found, snapshot), unseen(skipped)].compactMap { $0 }
  }

  private enum Look {
    case nothing
    case file(String)
    case skipped(String)
  }

  /// Looks for the file in a home directory. Checks each folder from the root on, so that no
  /// symbolic link leads to a file system on which a lookup can hang.
  private static func look(_ home: [UInt8], _ mounts: MountTable, _ host: any ExaminedHost) -> Look
  {
    var path: [UInt8] = []
    let parts = home.split(separator: UInt8(ascii: "/")) + [Array(name.utf8)[...]]
    for (index, part) in parts.enumerated() {
      path += [UInt8(ascii: "/")] + part
      if let kind = mounts.distantKind(of: path) { return .skipped("on \(kind)") }
      let text = String(decoding: path, as: UTF8.self)
      guard Array(text.utf8) == path else { return .skipped("its path is not UTF-8") }
      do throws(AdminError) {
        guard let status = try host.status(of: text) else { return .nothing }
        if index == parts.count - 1 { return .file(VisibleText.escaping(path)) }
        switch status.kind {
        case .folder: continue
        case .link: return .skipped("behind a symbolic link")
        case .file, .other: return .nothing
        }
      } catch {
        return .skipped(error.reason)
      }
    }
    return .nothing
  }

  private static func leftovers(_ found: [(user: String, path: String)], _ snapshot: HostSnapshot)
    -> Finding?
  {
    guard let first = found.first else { return nil }
    return Finding(
      severity: .warning, code: "left-over-files", place: first.path,
      message:
        "google-authenticator files of \(NameList.text(found.map(\.user))): any program that runs as "
        + "one of these users can read the secret and generate codes",
      hint: "import them: mfa-admin import --google-authenticator DIR; then, if no stack uses "
        + "pam_google_authenticator.so, remove the files")
  }

  private static func unseen(_ skipped: [(user: String, reason: String)]) -> Finding? {
    guard !skipped.isEmpty else { return nil }
    return Finding(
      severity: .note, code: "homes-not-looked-at", place: "/etc/passwd",
      message: "the home directories of "
        + "\(NameList.text(skipped.map { "\($0.user) (\($0.reason))" })) were not checked for "
        + "google-authenticator files",
      hint: "check on the file server, or as each user: ls -l ~/\(name)")
  }
}

/// Finds programs and modules that are not the ones that were installed, for example because a copy
/// was interrupted.
enum ReplacedFiles: Examination {
  private static let list = "\(InstalledPath.checksums)"
  private static let program = "/usr/bin/sha256sum"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    Finding.checking("whether files were replaced") { () throws(AdminError) in
      guard let output = try snapshot.host.output(of: program, ["--check", "--quiet", list]) else {
        throw AdminError(at: program, "the program does not exist")
      }
      let lines = String(decoding: output.output, as: UTF8.self).split(separator: "\n")
      let findings = lines.compactMap { finding($0) }
      guard findings.isEmpty, !output.isSuccess else { return findings }
      throw AdminError(at: list, output.complaint)
    }
  }

  /// Returns the finding for a line such as `/usr/lib/mfa/mfad: FAILED open or read`.
  private static func finding(_ line: Substring) -> Finding? {
    guard let match = line.wholeMatch(of: /(.+): FAILED( open or read)?/) else { return nil }
    return Finding(
      severity: .error, code: "file-replaced", place: VisibleText.escaping(String(match.1)),
      message: match.2 == nil
        ? "is not the file that was installed: it was replaced, or only partly copied"
        : "cannot be read, although it was installed",
      hint: "install mfa again: \(Installation.command)")
  }
}

/// Finds stopped or frozen processes that hold a lock in the store and block every process that
/// needs the lock.
enum StoppedLockHolder: OwnDecision {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.host.stoppedLockHolders().map { holder in
      let isAuditLog = holder.file.hasSuffix("/audit-log.head")
      return Finding(
        severity: .error, code: "stopped-lock-holder", place: holder.file,
        message:
          "\(holder.sentence), holds the lock: "
          + (isAuditLog
            ? "no change and no recovery code can be recorded in the audit log"
            : "the user cannot sign in where a code is required"),
        hint:
          "inspect it: ps -fp \(holder.process); end it: mfa-admin unlock USER --end-holder; or: "
          + "kill -KILL \(holder.process)")
    }
  }
}

/// Finds a change of the key that was begun and is not complete.
enum UnfinishedKeyChange: SingleExamination, OwnDecision {
  static let subject = "whether a change of the key is complete"

  private static let place = "\(InstalledPath.key).next"

  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard try snapshot.host.status(of: place) != nil else { return nil }
    return Finding(
      severity: .warning, code: "rekey-unfinished", place: place,
      message:
        "a change of the key was begun and is not complete: some data is sealed with this "
        + "key, and some with the earlier one, so backups need both",
      hint: "complete the change: mfa-admin rekey")
  }
}

/// Finds a helper that may not write to the kernel's audit trail on a host where auditd is
/// installed.
enum UnrecordedChanges: SingleExamination {
  static let subject = "the helper's capabilities"

  /// The possible paths of the audit daemon.
  private static let daemons = ["/usr/sbin/auditd", "/sbin/auditd"]

  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    let helper = "\(InstalledPath.helper)"
    // `Ownership` reports a missing helper.
    guard try isAudited(snapshot), try snapshot.host.status(of: helper) != nil,
      try !snapshot.host.mayWriteAudit(helper)
    else { return nil }
    return Finding(
      severity: .note, code: "helper-not-audited", place: helper,
      message:
        "lacks a capability: changes made with mfa-enroll are recorded in mfa's audit log and "
        + "the system log, but not in the kernel's audit trail",
      hint: "setcap cap_audit_write=p \(helper)")
  }

  private static func isAudited(_ snapshot: HostSnapshot) throws(AdminError) -> Bool {
    for daemon in daemons where try snapshot.host.status(of: daemon) != nil { return true }
    return false
  }
}

/// Finds records that cannot be used, so that their users cannot sign in, and notes the records of
/// deleted accounts.
enum UnusableRecords: OwnDecision {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let reports: [UserReport]
    switch snapshot.stored {
    case .success(let found): reports = found
    // Other examinations report a store that is not the host's own, and a key that is not trusted.
    case .failure(.store(.foreign)): return []
    case .failure(.store(.system(.key, let cause))) where cause.distrust != nil: return []
    case .failure(let error):
      return [.unchecked("the users' records", at: "\(InstalledPath.store)", error.message)]
    }
    let renamed = RenamedUsers.earlierNames(on: snapshot)
    let orphaned = reports.filter { $0.isOrphaned && !renamed.contains($0.name) }
    let unusable = reports.filter { !$0.isUsable && !$0.isOrphaned }
    let housekeeping = orphaned.isEmpty ? [] : [finding(orphaned)]
    guard let first = unusable.first, case .unusable(let problem) = first.content else {
      return housekeeping
    }
    return housekeeping + [
      Finding(
        severity: .error, code: "unusable-records", place: "\(InstalledPath.store)",
        message:
          "the records of \(NameList.text(unusable.map(\.visibleName))) cannot be used, so these "
          + "users cannot sign in where a code is required: \(problem.sentence)",
        hint: "list them: mfa-admin list --unusable; the remedy for each user: mfa-admin show USER")
    ]
  }

  private static func finding(_ orphaned: [UserReport]) -> Finding {
    Finding(
      severity: .note, code: "records-without-account", place: "\(InstalledPath.store)",
      message: "still has records of accounts that no longer exist: "
        + NameList.text(orphaned.map(\.visibleName)),
      hint: "remove them: mfa-admin prune")
  }
}

/// Finds a store that cannot be written to, which causes every code to be rejected.
enum UnwritableStore: SingleExamination, OwnDecision {
  static let subject = "whether the store is writable"

  private static let path = "\(InstalledPath.store)"

  /// The free bytes and files below which the store counts as full.
  private static let least: (bytes: UInt64, files: UInt64) = (1 << 20, 16)

  /// The free bytes and files below which the store counts as nearly full.
  private static let little: (bytes: UInt64, files: UInt64) = (16 << 20, 256)

  private static let harm =
    "an attempt that cannot be counted is rejected, so sign-ins that require a code are denied; "
    + "users without a factor and remembered sign-ins are not affected"

  /// What happens on a full file system.
  private static let harmOfFull =
    "no user can enrol; codes are verified, and mfa-admin revoke and bypass work, as long as the "
    + "allocated space lasts"

  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    // `Ownership` reports a missing store.
    guard try snapshot.host.status(of: path)?.kind == .folder else { return nil }
    if let finding = room(try snapshot.host.fileSystemSpace(at: path)) { return finding }
    do throws(AdminError) {
      guard try !snapshot.host.tryWriting(in: path) else { return nil }
      return Finding(
        severity: .error, code: "store-frozen", place: path,
        message:
          "writing here does not end: the file system is frozen, or its device does not answer. Sign-ins that "
          + "require a code wait a minute and are denied",
        hint:
          "see what froze it, such as a snapshot or a backup that was interrupted; find the "
          + "mount: findmnt --target \(path); then: fsfreeze --unfreeze MOUNT")
    } catch {
      return Finding(
        severity: .error, code: "store-not-writable", place: path,
        message: "cannot write a file here (\(error.reason)): \(harm)",
        hint: "free some space or mount it read-write: findmnt --target \(path); df \(path)")
    }
  }

  private static func room(_ room: FileSystemSpace) -> Finding? {
    if room.isReadOnly {
      return Finding(
        severity: .error, code: "store-read-only", place: path,
        message: "is on a file system that is mounted read-only: \(harm)",
        hint:
          "see the cause: dmesg; find the mount: findmnt --target \(path); then: mount -o remount,rw MOUNT"
      )
    }
    let files = room.files ?? .max
    let left =
      room.bytes < little.bytes
      ? "\(room.bytes >> 10) KiB left" : "\(files) more files can be created"
    if room.bytes < least.bytes || files < least.files {
      return Finding(
        severity: .error, code: "store-full", place: path,
        message: "is on a file system that is full (\(left)): \(harmOfFull)",
        hint:
          "see what is used: df \(path); df --inodes \(path); free some space, for example: journalctl "
          + "--vacuum-size=100M")
    }
    guard room.bytes < little.bytes || files < little.files else { return nil }
    return Finding(
      severity: .warning, code: "store-nearly-full", place: path,
      message: "is on a file system that is nearly full (\(left)): once it is full, no user can "
        + "enrol",
      hint: "free some space: df \(path); df --inodes \(path)")
  }
}

/// Finds a store or key that is lost when the machine restarts.
enum VolatileStore: OwnDecision {
  /// File systems in memory. A container's overlay is not among them: it may be kept.
  private static let kinds = ["tmpfs", "ramfs", "devtmpfs"]

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    Finding.checking("whether the store is on a disk") { () throws(AdminError) in
      // `LeftoverFiles` reports a missing list.
      guard let mounts = try snapshot.rules.mounts.get() else { return [] }
      return ["\(InstalledPath.store)", "\(InstalledPath.configurationFolder)"].compactMap { path in
        guard let kind = mounts.kind(of: Array(path.utf8)), kinds.contains(kind) else { return nil }
        return Finding(
          severity: .error, code: "store-volatile", place: path,
          message:
            "is on a file system in memory (\(kind)): after a restart of the machine, no user "
            + "has a factor, and policy decides whether the password alone signs in",
          hint: "keep it on a disk: findmnt --target \(path)")
      }
    }
  }
}

/// Finds imported factors with a secret of fewer than 128 bits (RFC 4226, section 4, R6).
enum WeakSecrets: SingleExamination, OwnDecision {
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    // `UnusableRecords` reports that the records cannot be read.
    guard case .success(let reports) = snapshot.stored else { return nil }
    let filter = UserFilter(weak: true)
    let weak = reports.filter { $0.isUsable && filter.includes($0, now: 0) }
    guard !weak.isEmpty else { return nil }
    return Finding(
      severity: .warning, code: "weak-secrets", place: StoreFile.factors.path,
      message:
        "imported factors of \(NameList.text(weak.map(\.visibleName), most: 10)) have secrets of "
        + "fewer than 128 bits, which are easier to guess (RFC 4226, section 4)",
      hint:
        "list all of them: mfa-admin list --weak; let each enrol a new factor: mfa-enroll; and remove the "
        + "old one: mfa-enroll unenroll")
  }
}

/// Finds factors of which no code is accepted, because one was accepted while the clock was ahead: that code, and all
/// of earlier times, count as used.
enum ClosedFactors: SingleExamination, OwnDecision {
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    // `UnusableRecords` reports that the records cannot be read.
    guard case .success(let reports) = snapshot.stored else { return nil }
    let now = try snapshot.host.now()
    let closed = reports.filter { report in
      guard case .usable(let user) = report.content else { return false }
      return user.factors.contains { $0.closedUntil(at: now) != nil }
    }
    guard !closed.isEmpty else { return nil }
    return Finding(
      severity: .warning, code: "codes-used-ahead", place: StoreFile.attempts.path,
      message:
        "a factor of \(NameList.text(closed.map(\.visibleName), most: 10)) accepts no code now: the clock was ahead when "
        + "one was accepted, and codes of earlier times count as used",
      hint:
        "until when: mfa-admin show USER; if that is too long, let the user in: mfa-admin bypass USER --reason "
        + "TEXT; and enrol again: mfa-admin revoke USER FACTOR")
  }
}

/// Finds services that `mfa-admin enable` enabled and that have lost its lines since, for example
/// because an upgrade replaced the file.
enum LostLines: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    Finding.checking("whether enabled services still ask for a code") {
      () throws(AdminError) in
      try snapshot.host.recordedServices().get().flatMap { service in
        service.files.compactMap { finding(service, $0, snapshot) }
      }
    }
  }

  private static func finding(
    _ service: RecordedService, _ file: RecordedService.File, _ snapshot: HostSnapshot
  ) -> Finding? {
    let path = VisibleText.escaping(file.path)
    let name = VisibleText.escaping(service.name)
    let what: String
    var place = path
    switch file.state {
    case .complete: return nil
    case .unreadable(let reason):
      return .unchecked("whether \(name) still asks for a code", at: path, reason)
    case .gone: what = "the file is gone"
    case .withoutLines: what = "the file no longer contains them"
    case .edited(let line):
      place = "\(path):\(line)"
      what = "this line, between the marks, was edited"
    }
    let way = wayWithoutCode(service, snapshot)
    return Finding(
      severity: way == nil ? .warning : .error, code: "lines-lost", services: [service.name],
      place: place,
      message: "the lines of mfa-admin enable are no longer complete: \(what)"
        + (way ?? "; other lines still ask for a code"),
      hint:
        "enable it again: \(SignInProgram.enable(service.name)); if that is intended, remove the record: "
        + "mfa-admin disable \(name)")
  }

  /// Returns how users sign in without a code, or nil if other lines of the service still ask for one.
  private static func wayWithoutCode(
    _ service: RecordedService, _ snapshot: HostSnapshot
  ) -> String? {
    guard let found = snapshot.servicesWithModule.first(where: { $0.name == service.name }),
      found.asksForCode
    else { return "; users sign in without a code" }
    guard found.isNamed("sshd"), let way = snapshot.sshd.generalWayWithoutPAM else { return nil }
    return "; users sign in without a code, because sshd does not ask PAM: \(way)"
  }
}
