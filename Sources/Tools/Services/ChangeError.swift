import MFAAdmin
import MFADoctor
import MFABase
import MFAAttempt

/// The reason why a service could not be enabled, disabled or confirmed.
package enum ChangeError: Error, Equatable {
  /// The text is not the name of a service that can be enabled.
  case notAService(String)
  /// The service has no file.
  case noServiceFile(String)
  /// A file cannot be used or written.
  case file(String, FileProblem)
  /// A report cannot be written, because of the file or the folder at this path.
  case report(String, FileProblem)
  /// The service's file has no safe place for the lines.
  case stack(service: String, file: String, StackProof.Obstacle)
  /// sshd would not ask for a password and a code. The value is the reason.
  case secureShell(SecureShellObstacle)
  /// libpam cannot load the module. The value is the reason.
  case module(String)
  /// The configuration cannot be used, so every sign-in would be denied.
  case configuration(ConfigurationFile.Failure)
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
  /// No change is pending.
  case nothingToConfirm
  /// The command was not started from a new sign-in through any of these services.
  case noNewSignIn([(service: String, reason: String)])
  /// Information from the kernel cannot be read.
  case system(String, SystemError)
  /// The change cannot be recorded in the audit log.
  case auditLog(String, hint: String)
  /// The list of accepted findings cannot be used.
  case acceptances(UnusableAcceptances)
  /// A step failed, and the changes were rolled back.
  indirect case rolledBack(ChangeError)
  /// A step failed, and so did the rollback.
  indirect case rollbackFailed(ChangeError, ChangeError)

  /// The problem with a file.
  package enum FileProblem: Equatable {
    case system(SystemError)
    case untrusted(TrustFailure)
    /// Another program has just changed the file.
    case changed

    package var text: String {
      switch self {
      case .system(let error): error.text
      case .untrusted(let distrust): "\(distrust.name)"
      case .changed: "another program has just changed it"
      }
    }
  }

  /// The exit status.
  package var status: AdminStatus {
    switch self {
    case .notAService, .noServiceFile, .nothingToConfirm: .notFound
    case .rolledBack(let error): error.status
    case .file, .report, .stack, .secureShell, .module, .configuration, .trial, .untried, .reload,
      .rollbackWatcher, .invalidRecord, .busy, .unknownProgram, .enabledByHand, .enabledWith,
      .noNewSignIn, .system, .auditLog, .acceptances, .rollbackFailed:
      .failure
    }
  }

  /// The error in words.
  package var message: String {
    switch self {
    case .notAService(let name):
      "\"\(VisibleText.escaping(name))\" is not a service that can be enabled or disabled"
    case .noServiceFile(let name):
      "\(InstalledPath.services) and \(InstalledPath.vendorServices) have no file \(name)"
    case .file(let path, let problem):
      "\(VisibleText.escaping(path)) cannot be used: \(problem.text)"
    case .report(let path, let problem):
      "the report cannot be written: \(VisibleText.escaping(path)): \(problem.text)"
    case .stack(let service, _, let obstacle):
      "\(service): found no safe place for pam_mfa.so: \(obstacle.sentence)"
    case .secureShell(let obstacle):
      "sshd would not ask for a password and a code: \(obstacle.reason)"
    case .module(let reason): "libpam cannot load pam_mfa.so: \(reason)"
    case .configuration(let failure): AdminError.message(failure)
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
    case .enabledByHand(let service, let place):
      "\(service) asks for a code because of \(place), which mfa-admin enable did not write"
    case .nothingToConfirm: "no change is waiting for confirmation"
    case .noNewSignIn(let services):
      "this is not a new sign-in: "
        + services.map { "\($0.service): \($0.reason)" }.joined(separator: "; ")
    case .system(let what, let error): "cannot read \(what): \(error.text)"
    case .auditLog(let message, _): "cannot record the change in the audit log: \(message)"
    case .acceptances(let failure):
      "\(VisibleText.escaping(failure.path)) cannot be used: \(failure.reason)"
    case .rolledBack(let error): error.message + "; all changes were rolled back"
    case .rollbackFailed(let error, let other):
      error.message + "; the rollback failed: " + other.message
    }
  }

  /// The remedy.
  package var hint: String {
    switch self {
    case .notAService, .noServiceFile: "run mfa-admin services to list the services"
    case .file(_, .changed): "try again"
    case .file(let path, _):
      "it must be a regular file that belongs to root and that no other user can write to: ls -l "
        + VisibleText.escaping(path)
    case .report(let path, _):
      "name a regular file, or a new one, in a folder that only its owner can write to, without a "
        + "symbolic link in the path: ls -ld " + VisibleText.escaping(path)
    case .stack(_, let file, _):
      "add these lines to \(file) by hand, after the lines that ask for the password: auth "
        + "requisite pam_mfa.so; account required pam_mfa.so (man pam_mfa), then run mfa-admin "
        + "doctor"
    case .secureShell(let obstacle): obstacle.hint
    case .module: "install mfa again: packaging/install"
    case .configuration(let failure): AdminError.configuration(failure).hint
    case .trial: "nothing was changed; mfa-admin doctor may name the cause"
    case .untried:
      "nothing was changed; leave out --no-confirm and confirm from a real sign-in, or add --untried"
    case .reload: "correct what sshd -t prints, then reload sshd: systemctl status ssh"
    case .rollbackWatcher:
      "correct the cause, or use --no-confirm and undo the change yourself if necessary"
    case .invalidRecord(let path):
      "check the file and the files that it names, then remove it: rm \(path)"
    case .busy: "try again; fuser -v \(ChangeJournal.pendingPath) shows the process"
    case .unknownProgram:
      "use --no-confirm, and keep a root shell open until you have tested a sign-in"
    case .enabledWith(_, let other): "to switch them off: mfa-admin disable \(other)"
    case .enabledByHand: "remove that line by hand"
    case .nothingToConfirm: "run mfa-admin services to see the state of each service"
    case .noNewSignIn:
      "keep this terminal open, sign in from a second one, and run there: sudo mfa-admin confirm"
    case .system: "make sure that /proc is mounted; see the system log"
    case .auditLog(_, let hint): hint
    case .acceptances(let failure):
      "correct the file or remove it: rm \(VisibleText.escaping(failure.path)); without it, all "
        + "findings are reported again"
    case .rolledBack(let error): error.hint
    case .rollbackFailed(_, let other): other.hint + "; then run mfa-admin restore"
    }
  }

  /// Whether the same attempt may succeed later.
  var isTemporary: Bool {
    switch self {
    case .file, .report, .busy, .system, .reload, .rollbackWatcher, .auditLog: true
    case .rolledBack(let error), .rollbackFailed(_, let error): error.isTemporary
    case .notAService, .noServiceFile, .stack, .secureShell, .module, .configuration, .trial,
      .untried, .invalidRecord, .unknownProgram, .enabledByHand, .enabledWith,
      .nothingToConfirm, .noNewSignIn, .acceptances:
      false
    }
  }

  package static func == (left: ChangeError, right: ChangeError) -> Bool {
    left.message == right.message && left.hint == right.hint
  }
}
