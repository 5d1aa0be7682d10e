import MFAAttempt
import MFABase
import MFAImport
import MFAModel
import MFAPAMStack
import MFARealm
import MFAStore
import MFAWire

/// The reason why a command failed.
package enum AdminError: Error, Equatable {
  /// The caller is not root.
  case notRoot(arguments: [String])
  /// No account has the name, and nothing is stored under it.
  case noSuchUser(UserName)
  /// The text is not a valid user name.
  case notAUserName(String)
  /// The user has no factor.
  case notEnrolled(UserName)
  /// The selector matches none of the user's factors, which are `others`.
  case noSuchFactor(UserName, selector: String, others: [FactorSummary])
  /// The selector matches several factors, or is missing although the user has several.
  case severalFactors(UserName, selector: String?, [FactorSummary])
  /// The user already has the maximum number of grants.
  case tooManyGrants(UserName)
  /// The user has no grant that matches.
  case noSuchGrant(UserName)
  /// A confirmation is needed, but there is no terminal to ask for it.
  case unconfirmed
  /// The administrator did not confirm.
  case declined
  /// The user's record cannot be used.
  case unusable(UserName, RecordProblem)
  /// The store as a whole cannot be used.
  case store(FactorStoreError)
  /// The lookup of an account failed.
  case account(UserName, SystemError)
  /// The system's list of accounts cannot be read.
  case accounts(SystemError)
  /// The configuration cannot be used.
  case configuration(ConfigurationError)
  /// The number of mistakes found, and whether they are in the configuration in force.
  case mistakes(Int, inForce: Bool)
  /// The configuration has no such tenant.
  case noSuchTenant(String)
  /// The system has no group with the name.
  case noSuchGroup([UInt8])
  /// The file cannot be read.
  case unreadable(String, SystemError)
  /// The file cannot be written.
  case unwritable(String, SystemError)
  /// The file has no Identity Platform settings that can be applied; the values are the place and the reason.
  case notIdentityPlatform(String, String)
  /// The drop-in was not written. The value names the file or folder that caused this.
  case notApplied(ConfigurationError)
  /// So many accounts are missing that a directory service is probably unavailable.
  case manyAccountsMissing(Int, of: Int)
  /// The editor ended with a failure, and nothing was changed.
  case editorFailed(String, ProgramEnd)
  /// None of these editors exists.
  case noEditor([String])
  /// Another process edits the configuration.
  case editorBusy
  /// An editor needs a terminal.
  case noTerminal
  /// The administrator discarded the changes.
  case discarded
  /// Another process is changing the configuration.
  case configurationBusy
  /// The number of listed records that cannot be used.
  case unusableRecords(Int, of: Int)
  /// The number of errors and warnings that `doctor` found.
  case findings(errors: Int, warnings: Int)
  /// `doctor` reports no such finding at this place now.
  case noSuchFinding(String, place: String)
  /// The line of a finding cannot be read, so that the finding cannot be recognised later.
  case findingWithoutLine(place: String)
  /// No finding with this code is accepted at this place.
  case noSuchAcceptance(String, place: String)
  /// The number of accounts that could not sign in if policy were enforced.
  case lockedOut(Int, of: Int)
  /// So many ways into services require nothing before the code.
  case firstFactorMissing(Int)
  /// The system user that owns the store does not exist.
  case noSystemUser
  /// So many files and folders cannot be repaired.
  case unrepaired(Int)
  /// So many files and folders have to be repaired.
  case repairNeeded(Int)
  /// The folder of PAM's service files cannot be read.
  case services(StackRefusal)
  /// The path is not absolute.
  case notAPath(String)
  /// The folder or file to import from cannot be used.
  case importSource(String, ImportRefusal)
  /// The number of factors that could not be imported.
  case notImported(Int, of: Int)
  /// The number of items of a report that are not met.
  case notMet(Int, of: Int)
  /// The audit log is damaged, or a stored record does not match it.
  case auditLog(AuditLogProblem)
  /// The clock cannot be read.
  case clock(SystemError)
  /// Standard output cannot be written to.
  case output(SystemError)

  /// The lock on a file could not be acquired; the values are the path and the lock's holders.
  case locked(String, [LockHolder])
  /// The process that holds a lock could not be killed, or has not ended.
  case notEnded(LockHolder)
  /// A backup could not be made or restored.
  case backup(BackupProblem)
  /// The script that creates the store failed; the value is its last line.
  case storeNotMade(String)
  /// The preparation of an image did not complete; the values are the path and the reason.
  case imageNotPrepared(String, String)
  /// The account has not the user ID that the record of the earlier name has.
  case notRenamed(UserName, from: UserName)
  /// The account of the earlier name still exists.
  case accountExists(UserName)
  /// No message was sent to a phone.
  case phone(PhoneProblem)

  // MARK: Realms

  /// The host belongs to no realm.
  case noRealm
  /// The command works on the store of one host.
  case localCommand
  /// No option of this command is possible on a host of a realm; the value is the option.
  case localOption(String)
  /// The relay cannot be reached.
  case noRelay(SystemError)
  /// Another user than root created the socket of the relay.
  case untrustedRelay(UInt32)
  /// The relay did not answer.
  case silentRelay
  /// The relay ended the connection, or sent an answer that this version does not know.
  case otherVersion
  /// The list of what this host has imported cannot be used. The value is its path.
  case importListUnusable(String)
  /// The list of what this host has imported is about another realm. The value is its path.
  case importListOfOtherRealm(String)
  /// The number of users about whom this host and the realm differ. Nothing was imported.
  case importConflicts(Int)
  /// The number of users who were not imported.
  case usersNotImported(Int, of: Int)
  /// The realm, or the relay, refused the request. The value is a detail, such as a name.
  case refused(AdministrationFailure, String)

  // MARK: Changes to services

  /// The text is not the name of a service that can be enabled.
  case notAService(String)
  /// The service has no file.
  case noServiceFile(String)
  /// A file cannot be used or written.
  case file(String, SystemError)
  /// What a program reads cannot be used: the file, folder or program, or a line of a file, and the reason as
  /// the end of a sentence.
  case unusableFile(String, String)
  /// Another program has just changed a file.
  case fileChanged(String)
  /// A report cannot be written, because of the file or the folder at this path.
  case report(String, SystemError)
  /// The service's file has no safe place for the lines.
  case stack(service: String, file: String, reason: String)
  /// Another service includes the service's file, and its own lines would ask for a second code.
  case secondCode(service: String, other: String, file: String, wasEnabled: Bool)
  /// It is not known how a service asks users, or it cannot ask for a code.
  case conversation(service: String, reason: String, hint: String)
  /// sshd would not ask for a password and a code.
  case secureShell(reason: String, hint: String)
  /// libpam cannot load the module. The value is the reason.
  case module(String)
  /// A trial sign-in through the new file ended as it must not. Nothing was changed.
  case trial(service: String, reason: String)
  /// No trial sign-in was possible. Nothing was changed.
  case untried(service: String, reason: String)
  /// sshd did not reload its settings.
  case reload(String)
  /// The rollback watcher could not be started.
  case rollbackWatcher(String)
  /// The change record at this path cannot be read.
  case invalidRecord(String)
  /// Another process is changing services.
  case busy
  /// The service's sign-in program is unknown, so a sign-in through it cannot be recognised.
  case unknownProgram(String)
  /// The service asks for codes because of lines that `mfa-admin enable` did not write.
  case enabledByHand(service: String, place: String)
  /// The service asks for codes because another service was enabled, such as sudo for sudo-i.
  case enabledWith(service: String, other: String)
  /// sshd asks for a code already, and not with the options of the command.
  case enabledOtherwise
  /// No change is pending.
  case nothingToConfirm
  /// The command was not started from a new sign-in. The values are the services, each with the reason.
  case noNewSignIn([String])
  /// Information from the kernel cannot be read.
  case system(String, SystemError)
  /// The change cannot be recorded in the audit log.
  indirect case unrecorded(AdminError)
  /// The list of accepted findings cannot be used, which the error is about.
  indirect case acceptances(AdminError)
  /// A step failed, and the changes were rolled back.
  indirect case rolledBack(AdminError)
  /// A step failed, and so did the rollback.
  indirect case rollbackFailed(AdminError, AdminError)

  /// The exit status.
  package var status: AdminStatus { consequence.status }

  /// Whether the same attempt to change a service may succeed later.
  package var isTemporary: Bool { consequence.isTemporary }

  /// The exit status, and whether the same attempt may succeed later.
  private var consequence: (status: AdminStatus, isTemporary: Bool) {
    switch self {
    case .phone(let problem): (problem.status, false)
    case .rolledBack(let error): error.consequence
    case .rollbackFailed(_, let error): (.failure, error.isTemporary)
    case .notRoot: (.notRoot, false)
    case .noSuchUser, .notEnrolled, .noSuchFactor, .noSuchGrant, .noSuchGroup, .noSuchTenant,
      .notAUserName, .noSuchFinding, .noSuchAcceptance, .notAService, .noServiceFile,
      .nothingToConfirm,
      .refused(.notFound, _), .refused(.unknownGroup, _):
      (.notFound, false)
    case .severalFactors, .unconfirmed, .noTerminal, .notAPath, .noRealm, .localOption,
      .refused(.badHostName, _), .refused(.badGrant, _):
      (.usage, false)
    case .findings: (.findings, false)
    case .account, .accounts, .busy, .clock, .configurationBusy, .editorBusy, .file, .fileChanged,
      .locked,
      .noRelay, .reload, .report, .rollbackWatcher, .silentRelay, .system, .unrecorded,
      .unusableFile:
      (.failure, true)
    case .acceptances, .accountExists, .auditLog, .backup, .configuration, .conversation, .declined,
      .discarded,
      .editorFailed, .enabledByHand, .enabledOtherwise, .enabledWith, .findingWithoutLine,
      .firstFactorMissing,
      .imageNotPrepared,
      .importConflicts, .importListOfOtherRealm, .importListUnusable, .importSource,
      .invalidRecord, .localCommand, .lockedOut, .manyAccountsMissing, .mistakes, .module,
      .noEditor, .noNewSignIn, .noSystemUser, .notApplied, .notEnded, .notIdentityPlatform,
      .notImported, .notMet, .notRenamed, .otherVersion, .output, .refused, .repairNeeded,
      .secondCode, .secureShell, .services, .stack, .store, .storeNotMade, .tooManyGrants, .trial,
      .unknownProgram, .unreadable, .unrepaired, .untried,
      .untrustedRelay, .unusable, .unusableRecords, .unwritable, .usersNotImported:
      (.failure, false)
    }
  }

  /// Whether something failed or is wrong. Warnings alone are no error, although the exit status says
  /// that there are some.
  package var isError: Bool {
    guard case .findings(errors: 0, _) = self else { return true }
    return false
  }

  /// What failed, and why.
  package var message: String {
    switch self {
    case .phone(let problem): problem.message
    case .noRealm: "this host does not belong to a realm"
    case .localCommand:
      "this command works on the store of one host, and this host belongs to a realm"
    case .localOption(let option): "\(option) is not possible on a host of a realm"
    case .noRelay(let error): "the relay of this host cannot be reached: \(error.text)"
    case .untrustedRelay(let owner): "uid \(owner) listens on the socket of the relay"
    case .silentRelay: "the relay of this host does not answer"
    case .otherVersion: "the relay or the verifier has another version than mfa-admin"
    case .importListUnusable(let path):
      "\(path) cannot be read as the list of what this host has imported"
    case .importListOfOtherRealm(let path):
      "\(path) lists what this host has imported into another realm"
    case .importConflicts(1):
      "this host and the realm differ about one user; nothing was imported"
    case .importConflicts(let count):
      "this host and the realm differ about \(count) users; nothing was imported"
    case .usersNotImported(let count, let total):
      "\(count) of \(total) users were not imported"
    case .refused(let failure, let detail): failure.message(detail)
    case .notRoot: "this command must be run as root"
    case .noSuchUser(let user): "there is no user \(VisibleText(user))"
    case .notAUserName(let text): "\"\(VisibleText.escaping(text))\" cannot be a user's name"
    case .notEnrolled(let user): "\(VisibleText(user)) has not enrolled a factor"
    case .noSuchFactor(let user, let selector, _):
      "\(VisibleText(user)) has no factor \"\(VisibleText.escaping(selector))\""
    case .severalFactors(let user, nil, let factors):
      "\(VisibleText(user)) has \(factors.count) factors; name one of them"
    case .severalFactors(let user, let selector?, let factors):
      "\"\(VisibleText.escaping(selector))\" matches \(factors.count) factors of "
        + "\(VisibleText(user))"
    case .tooManyGrants(let user):
      "\(VisibleText(user)) already has \(FactorRecord.maximumGrants) tickets and bypass codes"
    case .noSuchGrant(let user):
      "\(VisibleText(user)) has no such ticket, bypass code or program password"
    case .unconfirmed:
      "confirmation is required, but standard input or standard error is not a terminal"
    case .declined: "not confirmed; nothing was changed"
    case .unusable(let user, let problem):
      "the data stored for \(VisibleText(user)) cannot be used: \(problem.sentence)"
    case .store(let error): "the store cannot be used: \(RecordProblem.store(error).sentence)"
    case .account(let user, let error):
      "cannot look up the account \(VisibleText(user)): \(error.text)"
    case .accounts(let error): "cannot list the accounts: \(error.text)"
    case .configuration(let failure): Self.message(failure)
    case .mistakes(1, _): "1 mistake was found"
    case .mistakes(let count, _): "\(count) mistakes were found"
    case .noSuchGroup(let name): "there is no group \(VisibleText.escaping(name))"
    case .noSuchTenant(let name):
      "the configuration has no tenant \"\(VisibleText.escaping(name))\""
    case .unreadable(let path, let error):
      "\(VisibleText.escaping(path)) cannot be read: \(error.text)"
    case .unwritable(let path, let error):
      "\(VisibleText.escaping(path)) cannot be written: \(error.text)"
    case .notIdentityPlatform(let place, let reason):
      "\(VisibleText.escaping(place)): \(reason)"
    case .notApplied(let failure): "nothing was changed: \(Self.message(failure))"
    case .manyAccountsMissing(let count, let total):
      "the accounts of \(count) of \(total) users with a record cannot be found"
    case .editorFailed(let name, .exited(let status)):
      "\(VisibleText.escaping(name)) ended with the status \(status); nothing was changed"
    case .editorFailed(let name, .killed):
      "\(VisibleText.escaping(name)) was ended by a signal; nothing was changed"
    case .noEditor(let names):
      "there is no editor \(VisibleText.escaping(names.joined(separator: ", ")))"
    case .editorBusy: "the configuration is being edited already"
    case .noTerminal: "an editor needs a terminal"
    case .discarded: "your changes were discarded; nothing was changed"
    case .configurationBusy: "another process is changing the configuration"
    case .findings(let errors, let warnings):
      "found "
        + [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }
        .map { "\($0.0) \($0.1)" + ($0.0 == 1 ? "" : "s") }.joined(separator: " and ")
    case .noSuchFinding(let code, let place):
      "doctor does not find \(VisibleText.escaping(code)) at \(VisibleText.escaping(place)) now"
    case .findingWithoutLine(let place):
      "\(VisibleText.escaping(place)) cannot be read, so the finding cannot be recognised later"
    case .noSuchAcceptance(let code, let place):
      "\(VisibleText.escaping(code)) is not accepted at \(VisibleText.escaping(place))"
    case .noSystemUser: "the user mfa does not exist: no factor can be used and no user can enrol"
    case .unrepaired(1): "1 file is not as it has to be, and cannot be repaired by this command"
    case .unrepaired(let count):
      "\(count) files are not as they have to be, and cannot be repaired by this command"
    case .repairNeeded(1): "1 file has to be repaired"
    case .repairNeeded(let count): "\(count) files have to be repaired"
    case .lockedOut(1, let total): "1 of \(total) accounts would be locked out"
    case .lockedOut(let count, let total): "\(count) of \(total) accounts would be locked out"
    case .firstFactorMissing(1): "a service requires nothing before the code"
    case .firstFactorMissing(let count):
      "\(count) ways into services require nothing before the code"
    case .services(let refusal):
      "\(VisibleText.escaping(refusal.place)) cannot be read: \(refusal.name)"
    case .unusableRecords(let count, let total): "\(count) of \(total) records cannot be used"
    case .notAPath(let path): "\"\(VisibleText.escaping(path))\" is not an absolute path"
    case .importSource(let path, let refusal): "\(VisibleText.escaping(path)): \(refusal.text)"
    case .notImported(let count, let total): "\(count) of \(total) factors were not imported"
    case .notMet(let count, let total): "\(count) of \(total) items are not met"
    case .auditLog(let problem): problem.sentence
    case .clock(let error): "the clock cannot be read: \(error.text)"
    case .output(let error): "cannot write to standard output: \(error.text)"
    case .locked(let path, let holders) where holders.isEmpty:
      "the lock of \(VisibleText.escaping(path)) was held for ten seconds"
    case .locked(let path, let holders):
      "the lock of \(VisibleText.escaping(path)) is held by "
        + holders.map(\.sentence).joined(separator: "; ")
    case .notEnded(let holder): "\(holder.sentence), has not ended"
    case .backup(let problem): problem.message
    case .notRenamed(let user, let earlier):
      "the record of \(VisibleText(earlier)) has another user ID than the account \(VisibleText(user))"
    case .accountExists(let user):
      "the account \(VisibleText(user)) still exists, with the user ID of the record"
    case .storeNotMade(let line): "\(InstalledPath.storeScript) failed: \(line)"
    case .imageNotPrepared(let path, let reason):
      "\(VisibleText.escaping(path)) was not removed: \(reason)"
    case .notAService(let name):
      "\"\(VisibleText.escaping(name))\" is not a service that can be enabled or disabled"
    case .noServiceFile(let name):
      "\(InstalledPath.services) and \(InstalledPath.vendorServices) have no file \(name)"
    case .file(let path, let problem):
      "\(VisibleText.escaping(path)) cannot be used: \(problem.text)"
    case .unusableFile(let place, let reason):
      "\(VisibleText.escaping(place)) cannot be used: \(reason)"
    case .acceptances(let error): error.message
    case .fileChanged(let path):
      "\(VisibleText.escaping(path)) cannot be used: another program has just changed it"
    case .report(let path, let problem):
      "the report cannot be written: \(VisibleText.escaping(path)): \(problem.text)"
    case .stack(let service, _, let reason):
      "\(service): found no safe place for pam_mfa.so: \(reason)"
    case .secondCode(let service, let other, _, _):
      "\(service): \(other) includes its file and has lines of its own: users would be asked for two codes"
    case .conversation(let service, let reason, _): "\(service): \(reason)"
    case .secureShell(let reason, _):
      "sshd would not ask for a password and a code: \(reason)"
    case .module(let reason): "libpam cannot load pam_mfa.so: \(reason)"
    case .trial(let service, let reason): "\(service): the trial failed: \(reason)"
    case .untried(let service, let reason):
      "\(service): a trial sign-in was not possible: \(reason)"
    case .reload(let reason): "sshd did not reload its settings: \(reason)"
    case .rollbackWatcher(let reason): "cannot start the rollback watcher: \(reason)"
    case .invalidRecord(let path): "\(path) is not a valid change record"
    case .busy: "another process is changing services"
    case .unknownProgram(let service):
      "the sign-in program of \(service) is unknown, so the change cannot be confirmed"
    case .enabledWith(let service, let other):
      "\(service) asks for a code because \(other) is enabled, and they are switched together"
    case .enabledOtherwise:
      "sshd asks for a code already: --factors and --except-group do not change what it asks for"
    case .enabledByHand(let service, let place):
      "\(service) asks for a code because of \(place), which mfa-admin enable did not write"
    case .nothingToConfirm: "no change is waiting for confirmation"
    case .noNewSignIn(let services):
      "this is not a new sign-in: \(services.joined(separator: "; "))"
    case .system(let what, let error): "cannot read \(what): \(error.text)"
    case .unrecorded(let error): "cannot record the change in the audit log: \(error.message)"
    case .rolledBack(let error): error.message + "; all changes were rolled back"
    case .rollbackFailed(let error, let other):
      error.message + "; the rollback failed: " + other.message
    }
  }

  /// What the administrator can do next.
  package var hint: String {
    switch self {
    case .notRoot(let arguments):
      (["sudo", "mfa-admin"] + arguments.map { Self.quoted($0) }).joined(separator: " ")
    case .noSuchUser, .notAUserName: "mfa-admin list"
    case .notEnrolled: "mfa-admin list shows the enrolled users"
    case .noSuchFactor(_, _, let factors), .severalFactors(_, _, let factors):
      "name one of: "
        + factors.map { "\(VisibleText($0.id)) (\(VisibleText($0.displayName)))" }
        .joined(separator: ", ")
    case .tooManyGrants(let user):
      "withdraw one with mfa-admin withdraw; mfa-admin grants \(VisibleText(user)) lists them"
    case .noSuchGrant: "mfa-admin grants lists all tickets, bypass codes and program passwords"
    case .unconfirmed: "run the command again with --yes"
    case .declined: "answer y, or use --yes"
    case .unusable(let user, let problem): problem.hint(for: user)
    case .store(let error): RecordProblem.store(error).hint(for: nil)
    case .account, .accounts:
      "try again when the directory service responds; check with getent passwd"
    case .configuration(let failure):
      Self.remedy(failure)
        ?? "correct \(VisibleText.escaping(failure.path)); until then every sign-in is denied"
    case .mistakes(_, true): "correct them; until then every sign-in is denied"
    case .mistakes(_, false): "correct them before these files are put in place"
    case .noSuchTenant: "mfa-admin config show lists them"
    case .noSuchGroup: "check with getent group that the directory service responds"
    case .unreadable: "check the path and the permissions of the file"
    case .unwritable(let path, let error):
      RecordProblem.hint(for: error, at: path)
        ?? "every folder of the path must belong to root, and only root may write to it"
    case .notIdentityPlatform:
      "IDENTITY PLATFORM in mfa-admin(8) shows each form that is accepted"
    case .manyAccountsMissing:
      "check with getent passwd that the directory service responds; if they were deleted: mfa-admin "
        + "prune --many"
    case .editorFailed: "run the command again, and save the file before the editor ends"
    case .noEditor: "name an editor: sudo EDITOR=/usr/bin/nano mfa-admin config edit"
    case .editorBusy: "fuser -v \(InstalledPath.configurationLock) shows the process"
    case .noTerminal:
      "mfa-admin config set changes one setting; mfa-admin config write takes a file from standard input"
    case .discarded: "to begin again: mfa-admin config edit"
    case .configurationBusy:
      "try again; fuser -v \(VisibleText.escaping(ConfigurationFile.folderPath)) shows the process"
    case .notApplied(let failure): Self.hint(notApplied: failure)
    case .findings: "the second line of each finding says what to do; see DOCTOR in mfa-admin(8)"
    case .noSuchFinding:
      "mfa-admin doctor prints each place before, and each code after a finding, in [brackets]"
    case .findingWithoutLine: "run mfa-admin doctor again, and use the place that it prints now"
    case .noSuchAcceptance: "mfa-admin doctor accepted lists the accepted findings"
    case .lockedOut: "mfa-admin explain --user USER --service SERVICE shows details for one account"
    case .firstFactorMissing: "mfa-admin doctor shows the line or setting to change"
    case .noSystemUser: "install mfa again: " + Installation.command
    case .unrepaired: "the lines above say what to do; then run mfa-admin repair again"
    case .repairNeeded: "mfa-admin repair"
    case .services: "it must belong to root, and only root may write to it"
    case .unusableRecords: "mfa-admin show USER says what to do about each record"
    case .notAPath: "use a path that begins with / and has no . or .. component"
    case .importSource:
      "every folder of the path must belong to root, and only root may write to it"
    case .notImported: "the lines above say why; you can try again: nothing is imported twice"
    case .notMet: "mfa.conf(5) describes each setting, mfa-admin(8) each command"
    case .auditLog(let problem): problem.hint
    case .clock: "check the system log"
    case .output: "free disk space, or redirect the output elsewhere"
    case .locked(_, let holders) where holders.isEmpty: "try again"
    case .locked: "to kill the process that holds the lock, add --end-holder"
    case .notEnded(let holder): "ps -fp \(holder.process) shows it; try again"
    case .backup(let problem): problem.hint
    case .notRenamed(_, let earlier):
      "remove the record: mfa-admin revoke \(VisibleText(earlier)) --all"
    case .accountExists:
      "first rename the account: usermod -l NEW OLD; or change its user ID: usermod -u UID NAME"
    case .storeNotMade: "run \(InstalledPath.storeScript) --adopt, which says what to do"
    case .imageNotPrepared: "remove it, and run mfa-admin prepare-image again"
    case .phone(let problem): problem.hint
    case .noRealm: "mfa-fleet(8) describes how a host joins a realm"
    case .localCommand:
      "the realm's factors are not on this host; ON A HOST OF A REALM in mfa-admin(8) lists what is possible"
    case .localOption: "omit it"
    case .noRelay, .silentRelay: "systemctl status mfa-relay.service"
    case .untrustedRelay: "find the program: ss --listening --packet --processes"
    case .otherVersion: "restart the relay after an upgrade: systemctl restart mfa-relay.service"
    case .importListUnusable(let path):
      "without the list, what the realm has revoked since would be imported again: restore \(path)"
    case .importListOfOtherRealm(let path):
      "move the file away to import into this realm: mv \(path) \(path).old"
    case .importConflicts:
      "--conflicts keep leaves what the realm has, --conflicts take replaces it with what this host has"
    case .usersNotImported: "the lines above say why; you can repeat the command"
    case .refused(let failure, let detail): failure.hint(detail)
    case .notAService: "run mfa-admin services to list the services"
    case .noServiceFile:
      "run mfa-admin services to list the services; if the program has no file, it uses that of \"other\": write one first"
    case .fileChanged: "try again"
    case .file(let path, _): Self.hint(aboutFile: path)
    case .unusableFile(let place, _): Self.hint(aboutFile: place)
    case .report(let path, _):
      "name a regular file, or a new one, in a folder that only its owner can write to, without a "
        + "symbolic link in the path: ls -ld " + VisibleText.escaping(path)
    case .stack(_, let file, _):
      "add these lines to \(file) by hand, after the lines that ask for the password: auth "
        + "requisite pam_mfa.so after_password; account required pam_mfa.so (man pam_mfa), then run "
        + "mfa-admin doctor"
    case .secondCode(let service, let other, let file, let wasEnabled):
      (wasEnabled
        ? "mfa-admin disable \(other)" : "remove the lines of pam_mfa.so from \(file)")
        + ", then mfa-admin enable \(service): \(other) asks with the lines of \(service)"
    case .secureShell(_, let hint), .conversation(_, _, let hint): hint
    case .module: "install mfa again: " + Installation.command
    case .trial: "nothing was changed; mfa-admin doctor may name the cause"
    case .untried:
      "nothing was changed; leave out --no-confirm and confirm from a real sign-in, or add --untried"
    case .reload: "correct what sshd -t prints, then reload sshd: systemctl status ssh"
    case .rollbackWatcher:
      "correct the cause, or use --no-confirm and undo the change yourself if necessary"
    case .invalidRecord(let path):
      "check the file and the files that it names, then remove it: rm \(path)"
    case .busy: "try again; fuser -v \(InstalledPath.pendingChanges) shows the process"
    case .unknownProgram:
      "use --no-confirm, and keep a root shell open until you have tested a sign-in"
    case .enabledWith(_, let other): "to switch them off: mfa-admin disable \(other)"
    case .enabledOtherwise:
      "nothing was changed; to use the options: mfa-admin disable sshd, then the same command again"
    case .enabledByHand: "remove that line by hand"
    case .nothingToConfirm: "run mfa-admin services to see the state of each service"
    case .noNewSignIn:
      "keep this terminal open, sign in from a second one, and run there: sudo mfa-admin confirm"
    case .system: "make sure that /proc is mounted; see the system log"
    case .unrecorded(let error): error.hint
    case .acceptances(let failure):
      "correct the file or remove it: rm \(VisibleText.escaping(failure.place)); without it, all "
        + "findings are reported again"
    case .rolledBack(let error): error.hint
    case .rollbackFailed(_, let other): other.hint + "; then run mfa-admin restore"
    }
  }

  private static func hint(aboutFile path: String) -> String {
    "it must be a regular file that belongs to root and that no other user can write to: ls -l "
      + VisibleText.escaping(path)
  }

  /// Returns an argument quoted for a shell.
  private static func quoted(_ argument: String) -> String {
    let isPlain = argument.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "="):
        true
      case _: false
      }
    }
    if isPlain, !argument.isEmpty { return argument }
    return "'" + VisibleText.escaping(argument).replacing("'", with: "'\\''") + "'"
  }

  private static func hint(notApplied failure: ConfigurationError) -> String {
    guard failure.isMistake else {
      return
        "install -d -o root -g root -m 0755 \(VisibleText.escaping(ConfigurationFile.folderPath))"
    }
    if case .noSelector = failure.reason {
      return "define the tenant and its selectors in another file first: mfa.conf(5)"
    }
    if case .unknownKey(let name, _) = failure.reason {
      let nearest = Configuration.Key.nearest(to: String(decoding: name.text, as: UTF8.self))
      return (nearest.map { "did you mean \($0.name)? " } ?? "") + "mfa.conf(5) describes each key"
    }
    return "mfa-admin config show shows the settings in other files"
  }

  /// Returns the command that lets the user who decides read a file of the configuration, if that is what
  /// is wrong.
  package static func remedy(_ failure: ConfigurationError) -> String? {
    guard isHiddenFromDecider(failure) else {
      return isWronglyOwned(failure) ? "mfa-admin repair" : nil
    }
    return ReadingObstacle.remedy(at: failure.path)
  }

  /// Returns whether `mfa-admin repair` can correct the owner or the permissions of the file.
  private static func isWronglyOwned(_ failure: ConfigurationError) -> Bool {
    guard case .system(let error) = failure.reason,
      failure.path.starts(with: InstalledPath.configurationFolder.bytes)
    else { return false }
    return error.distrust == .wrongOwner || error.distrust == .wrongPermissions
  }

  /// Returns whether the user who decides cannot read the file: root can read everything.
  private static func isHiddenFromDecider(_ failure: ConfigurationError) -> Bool {
    guard case .system(let error) = failure.reason else { return false }
    return error.isForbidden && Console.isRoot
  }

  /// Returns the reason why the configuration cannot be used, with its file.
  package static func message(_ failure: ConfigurationError) -> String {
    guard isHiddenFromDecider(failure) else {
      return String(decoding: failure.message, as: UTF8.self)
    }
    return "the user \(DecidingUser.name), who decides about sign-ins, cannot read "
      + VisibleText.escaping(failure.path)
  }
}

// What cannot be read or used, and why: also a part of a finding of `mfa-admin doctor`.
extension AdminError {
  /// Creates the error about a file, folder or program, or about a line of a file.
  package init(at place: String, _ reason: String) { self = .unusableFile(place, reason) }

  /// What cannot be used: the file, folder or program, or the line of a file; empty for other errors.
  package var place: String {
    guard case .unusableFile(let place, _) = self else { return "" }
    return place
  }

  /// Why it cannot be used, as the end of a sentence; the whole message of other errors.
  package var reason: String {
    guard case .unusableFile(_, let reason) = self else { return message }
    return reason
  }

  /// The member of Identity Platform settings, and why it is refused.
  package var member: String {
    // As bytes, so that line feeds are escaped too.
    VisibleText.escaping(Array((place.isEmpty ? reason : "\(place): \(reason)").utf8))
  }

  /// Calls `body`, whose error is about `place`.
  package static func at<Value>(
    _ place: String, _ body: () throws(SystemError) -> Value
  ) throws(AdminError) -> Value {
    do throws(SystemError) { return try body() } catch {
      throw AdminError(at: place, error.text)
    }
  }

  /// The place and the reason.
  package var sentence: String {
    place.isEmpty ? reason : "\(VisibleText.escaping(place)): \(reason)"
  }
}

/// How mfa was installed on this host.
package enum Installation {
  /// The command that installs mfa again.
  package static var command: String { command { Program.isThere($0) } }

  /// Returns the command on a host that has these programs and folders: that of the package manager which installed mfa.
  package static func command(has: (StaticString) -> Bool) -> String {
    if has("/usr/share/doc/libpam-mfa") {
      "apt-get install --reinstall libpam-mfa mfa-tools"
    } else if has("/usr/share/licenses/mfa-tools") {
      "dnf reinstall pam_mfa mfa-tools"
    } else {
      "packaging/install"
    }
  }
}

/// The exit statuses.
package enum AdminStatus: Int32 {
  /// The command succeeded.
  case success = 0
  /// Something failed, a record cannot be used, or a check other than `doctor` found a problem.
  case failure = 1
  /// There is no such user, factor, grant, tenant or service, or there is nothing to confirm.
  case notFound = 2
  /// `doctor` or `check` found an error or a warning.
  case findings = 3
  /// The command line is not valid, or a required confirmation cannot be requested.
  case usage = 64
  /// The command must be run as root.
  case notRoot = 77

  /// The description of the statuses for `--help`.
  package static var explanation: String {
    """
    Exit status:
      0   success
      1   something failed, a record cannot be used, or a check found a problem
      2   there is no such user, factor, grant, tenant or service
      3   doctor or check found an error or a warning
      64  the command line is not valid, or the command needs an answer or --yes
      77  the command must be run as root
    """
  }
}

// MFAAdmin: what several commands of mfa-admin do, without their arguments, and how they print.
//
// `Administration` has the operations on the store: list users, revoke, unlock, import, grant, and
// verify the audit log. `ThisHost.administration` opens it for the host that the program runs on.
// `AdminError` is the reason why a command failed, with a hint. The reports, such as `UserReport`,
// hold a result and its forms as text and as JSON.
//
// `Console` is the process's terminal, standard output and standard error. `JSON` is a value that
// is printed for programs; `JSONReader` parses JSON text. `VisibleText` escapes text from untrusted
// sources. `AdminStatus` lists the exit statuses.
//
// MUST 1: operations print nothing. Commands print their reports with `Console`.
// MUST 2: this library never signs a user in, so it does not import `MFASignIn`.
// MUST 3: text that another program or user chose is printed only through `VisibleText` or `JSON`.
