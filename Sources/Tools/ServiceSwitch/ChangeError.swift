import MFAAdminOutput
import MFABytes
import MFASystem

/// The reason why a service could not be enabled, disabled or confirmed.
package enum ChangeError: Error, Equatable {
  /// The text is not the name of a service that can be enabled.
  case notAService(String)
  /// The service has no file in /etc/pam.d.
  case noServiceFile(String)
  /// A file cannot be used or written.
  case file(String, FileProblem)
  /// The service's file has no safe place for the lines.
  case stack(service: String, file: String, StackProof.Obstacle)
  /// sshd would not ask for a password and a code. The value is the reason.
  case secureShell(String)
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
  /// The line between the marks is not a line that `mfa-admin enable` writes.
  case altered(service: String, place: String)
  /// No change is pending.
  case nothingToConfirm
  /// The command was not started from a new sign-in through any of these services.
  case noNewSignIn([(service: String, reason: String)])
  /// Information from the kernel cannot be read.
  case system(String, SystemError)
  /// The change cannot be recorded in the audit log.
  case ledger(String, hint: String)
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
    case .file, .stack, .secureShell, .reload, .rollbackWatcher, .invalidRecord, .busy,
      .unknownProgram, .enabledByHand,
      .altered, .noNewSignIn, .system, .ledger, .rollbackFailed:
      .failure
    }
  }

  /// The error in words.
  package var message: String {
    switch self {
    case .notAService(let name):
      "\"\(VisibleText.escaping(name))\" is not a service that can be enabled or disabled"
    case .noServiceFile(let name): "\(InstalledPath.services)/\(name) does not exist"
    case .file(let path, let problem):
      "\(VisibleText.escaping(path)) cannot be used: \(problem.text)"
    case .stack(let service, _, let obstacle):
      "\(service): found no safe place for pam_mfa.so: \(obstacle.sentence)"
    case .secureShell(let reason): "sshd would not ask for a password and a code: \(reason)"
    case .reload(let reason): "sshd did not reload its settings: \(reason)"
    case .rollbackWatcher(let reason): "cannot start the rollback watcher: \(reason)"
    case .invalidRecord(let path): "\(path) is not a valid change record"
    case .busy: "another process is changing services"
    case .unknownProgram(let service):
      "the sign-in program of \(service) is unknown, so the change cannot be confirmed"
    case .enabledByHand(let service, let place):
      "\(service) asks for a code because of \(place), which mfa-admin enable did not write"
    case .altered(let service, let place):
      "\(service): \(place), between the marks of mfa-admin enable, was edited"
    case .nothingToConfirm: "no change is waiting for confirmation"
    case .noNewSignIn(let services):
      "this is not a new sign-in: "
        + services.map { "\($0.service): \($0.reason)" }.joined(separator: "; ")
    case .system(let what, let error): "cannot read \(what): \(error.text)"
    case .ledger(let message, _): "cannot record the change in the audit log: \(message)"
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
    case .stack(_, let file, _):
      "add these lines to \(file) by hand, after the lines that ask for the password: auth "
        + "requisite pam_mfa.so; account required pam_mfa.so (see README.md), then run mfa-admin "
        + "doctor"
    case .secureShell:
      "put \"Include \(SecureShellDropIn.folder)/*.conf\" at the top of "
        + "\(SecureShellDropIn.mainPath); sshd -T shows the effective settings"
    case .reload: "run sshd -t and systemctl status ssh"
    case .rollbackWatcher:
      "correct the cause, or use --no-confirm and undo the change yourself if necessary"
    case .invalidRecord(let path):
      "check the file and the files that it names, then remove it: rm \(path)"
    case .busy: "try again; fuser -v \(ChangeJournal.pendingPath) shows the process"
    case .unknownProgram:
      "use --no-confirm, and keep a root shell open until you have tested a sign-in"
    case .enabledByHand: "remove that line by hand"
    case .altered(let service, _):
      "remove the marks and the lines between them by hand, then run mfa-admin disable \(service)"
    case .nothingToConfirm: "run mfa-admin services to see the state of each service"
    case .noNewSignIn:
      "keep this terminal open, sign in from a second one, and run there: sudo mfa-admin confirm"
    case .system: "make sure that /proc is mounted; see the system log"
    case .ledger(_, let hint): hint
    case .rolledBack(let error): error.hint
    case .rollbackFailed(_, let other): other.hint + "; then run mfa-admin restore"
    }
  }

  /// Whether the same attempt may succeed later.
  var isTemporary: Bool {
    switch self {
    case .file, .busy, .system, .reload, .rollbackWatcher, .ledger: true
    case .rolledBack(let error), .rollbackFailed(_, let error): error.isTemporary
    case .notAService, .noServiceFile, .stack, .secureShell, .invalidRecord, .unknownProgram,
      .enabledByHand,
      .altered, .nothingToConfirm, .noNewSignIn:
      false
    }
  }

  package static func == (left: ChangeError, right: ChangeError) -> Bool {
    left.message == right.message && left.hint == right.hint
  }
}
