import System

/// Why a service was not switched on, off or confirmed.
enum ChangeError: Error, Equatable {
  /// The text is no name of a service that can be switched.
  case notAService(String)
  /// There is no file for the service in /etc/pam.d.
  case noServiceFile(String)
  /// A file cannot be used as it is, or not be written.
  case file(String, FileTrouble)
  /// There is no certain place for the lines in the service's file.
  case stack(service: String, file: String, StackProof.Obstacle)
  /// sshd would not do what it is to do, for this reason.
  case secureShell(String)
  /// sshd did not take up its settings.
  case reload(String)
  /// Nobody would put the change back in time.
  case guardian(String)
  /// This record of a change cannot be read.
  case record(String)
  /// Another process is changing services.
  case busy
  /// A sign-in by the service cannot be told from others.
  case unknownProgram(String)
  /// The service asks for codes by lines that are not ours.
  case notOurs(service: String, place: String)
  /// This line is between our marks, and is not ours.
  case altered(service: String, place: String)
  /// No change waits to be confirmed.
  case nothingToConfirm
  /// The command does not come from a new sign-in by any of these services.
  case noNewSignIn([(service: String, reason: String)])
  /// The kernel does not tell what is needed.
  case system(String, SystemError)
  /// The change cannot be entered in the ledger.
  case ledger(String, hint: String)
  /// A step failed, and what was changed was put back.
  indirect case undone(ChangeError)
  /// A step failed, and so did putting back what was changed.
  indirect case notUndone(ChangeError, ChangeError)

  /// What is the matter with a file.
  enum FileTrouble: Equatable {
    case system(SystemError)
    case untrusted(Distrust)
    /// Another program has changed it at this very moment.
    case changed

    var text: String {
      switch self {
      case .system(let error): error.text
      case .untrusted(let distrust): "\(distrust.name)"
      case .changed: "another program has just changed it"
      }
    }
  }

  /// The exit status.
  var status: AdminStatus {
    switch self {
    case .notAService, .noServiceFile, .nothingToConfirm: .notFound
    case .undone(let error): error.status
    case .file, .stack, .secureShell, .reload, .guardian, .record, .busy, .unknownProgram, .notOurs,
      .altered, .noNewSignIn, .system, .ledger, .notUndone:
      .failure
    }
  }

  /// What happened.
  var message: String {
    switch self {
    case .notAService(let name):
      "\"\(VisibleText.escaping(name))\" is no service that can be switched"
    case .noServiceFile(let name): "there is no /etc/pam.d/\(name)"
    case .file(let path, let trouble):
      "\(VisibleText.escaping(path)) cannot be used: \(trouble.text)"
    case .stack(let service, _, let obstacle):
      "\(service): there is no certain place for pam_mfa.so: \(obstacle.sentence)"
    case .secureShell(let reason): "sshd would not ask for a password and a code: \(reason)"
    case .reload(let reason): "sshd did not take up its settings: \(reason)"
    case .guardian(let reason): "nobody would put the change back in time: \(reason)"
    case .record(let path): "\(path) is no record of a change"
    case .busy: "another process is switching services"
    case .unknownProgram(let service):
      "which program signs people in as \(service) is not known: it cannot be confirmed"
    case .notOurs(let service, let place):
      "\(service) asks for codes by \(place), which mfa-admin enable did not write"
    case .altered(let service, let place):
      "\(service): \(place), between the marks of mfa-admin enable, was edited"
    case .nothingToConfirm: "no change waits to be confirmed"
    case .noNewSignIn(let services):
      "this is no new sign-in: "
        + services.map { "\($0.service): \($0.reason)" }.joined(separator: "; ")
    case .system(let what, let error): "\(what) cannot be told: \(error.text)"
    case .ledger(let message, _): "the ledger does not take it: \(message)"
    case .undone(let error): error.message + "; everything is as it was"
    case .notUndone(let error, let other):
      error.message + "; and what was changed could not be put back: " + other.message
    }
  }

  /// What to do next.
  var hint: String {
    switch self {
    case .notAService, .noServiceFile: "mfa-admin services lists them"
    case .file(_, .changed): "try again"
    case .file(let path, _):
      "it has to be a plain file of root's that nobody else can write to: ls -l "
        + VisibleText.escaping(path)
    case .stack(_, let file, _):
      "write it by hand into \(file), behind what asks for the password: "
        + "auth requisite pam_mfa.so; account required pam_mfa.so: README.md; mfa-admin doctor"
    case .secureShell:
      "let \(SecureShellDropIn.mainPath) begin with: Include \(SecureShellDropIn.folder)/*.conf"
        + "; sshd -T shows what holds"
    case .reload: "sshd -t; systemctl status ssh"
    case .guardian: "correct that, or say --no-confirm and put it back yourself if need be"
    case .record(let path): "look at it, and at the files that it names; then remove it: rm \(path)"
    case .busy: "try again; fuser -v \(ChangeJournal.pendingPath) shows who is at it"
    case .unknownProgram: "say --no-confirm, and keep a root shell open until you have tried it"
    case .notOurs: "take that line out by hand"
    case .altered(let service, _):
      "take the lines between the marks out by hand, with the marks; "
        + "then mfa-admin disable \(service)"
    case .nothingToConfirm: "mfa-admin services shows how things stand"
    case .noNewSignIn:
      "keep this terminal open, sign in anew in a second one, and say there: sudo mfa-admin confirm"
    case .system: "is /proc mounted? look at the system log"
    case .ledger(_, let hint): hint
    case .undone(let error): error.hint
    case .notUndone(_, let other): other.hint + "; then mfa-admin restore"
    }
  }

  /// Whether trying again later may do.
  var mayPass: Bool {
    switch self {
    case .file, .busy, .system, .reload, .guardian, .ledger: true
    case .undone(let error), .notUndone(_, let error): error.mayPass
    case .notAService, .noServiceFile, .stack, .secureShell, .record, .unknownProgram, .notOurs,
      .altered, .nothingToConfirm, .noNewSignIn:
      false
    }
  }

  static func == (left: ChangeError, right: ChangeError) -> Bool {
    left.message == right.message && left.hint == right.hint
  }
}
