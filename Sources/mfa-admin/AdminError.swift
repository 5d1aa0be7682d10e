import FactorStore
import Factors
import PAMStack
import Policy
import SignIn
import System

/// Why a command did not do what it was told to.
enum AdminError: Error, Equatable {
  /// The caller is not root.
  case notRoot(arguments: [String])
  /// There is no such account, and nothing is stored under the name.
  case noSuchUser(UserName)
  /// The text cannot be a user's name.
  case notAUserName(String)
  /// Nothing is enrolled for the user.
  case notEnrolled(UserName)
  /// The user has other factors.
  case noSuchFactor(UserName, selector: String, others: [Factor])
  /// More than one factor may be meant.
  case severalFactors(UserName, selector: String?, [Factor])
  /// The user has as many grants as there may be.
  case tooManyGrants(UserName)
  /// The user has no such grant.
  case noSuchGrant(UserName)
  /// Nobody is there to be asked.
  case unconfirmed
  /// Whoever was asked did not say yes.
  case declined
  /// The user's record cannot be used.
  case unusable(UserName, Trouble)
  /// The store as a whole cannot be used.
  case store(FactorStoreError)
  /// The system could not tell about an account.
  case account(UserName, SystemError)
  /// The system could not list the accounts.
  case accounts(SystemError)
  /// The configuration cannot be used.
  case configuration(ConfigurationFile.Failure)
  /// So many mistakes were found in the configuration, or in other files.
  case mistakes(Int, inForce: Bool)
  /// The configuration has no such tenant.
  case noSuchTenant(String)
  /// The file cannot be read.
  case unreadable(String, SystemError)
  /// The file is not the JSON that it should be; what is the matter.
  case notIdentityPlatform(String, String)
  /// The drop-in was not written; what is the matter with it or its folder.
  case notApplied(ConfigurationFile.Failure)
  /// Another process is changing the configuration.
  case configurationBusy
  /// So many of the records that were listed cannot be used.
  case unusableRecords(Int, of: Int)
  /// The doctor has found so many things.
  case findings(errors: Int, warnings: Int)
  /// So many accounts could not sign in if policy were enforced.
  case lockedOut(Int, of: Int)
  /// The folder of PAM's service files cannot be read.
  case services(StackRefusal)
  /// The path is not absolute.
  case notAPath(String)
  /// The folder or file to import from cannot be used.
  case importSource(String, ImportSource.Refusal)
  /// So many of the factors that were found were not imported.
  case notImported(Int, of: Int)
  /// So many of the items of a report are not met.
  case notMet(Int, of: Int)
  /// The ledger is not what was written; what is wrong.
  case ledger(LedgerTrouble)
  /// The clock cannot be read.
  case clock(SystemError)
  /// What was to be said could not be written.
  case output(SystemError)

  /// The lock of this file could not be had; the processes that hold it.
  case locked(String, [LockHolder])
  /// The process that holds a lock has not ended, or could not be killed.
  case notEnded(LockHolder)
  /// A service was not switched on, off or confirmed.
  case change(ChangeError)

  /// The exit status.
  var status: AdminStatus {
    switch self {
    case .notRoot: .notRoot
    case .noSuchUser, .notEnrolled, .noSuchFactor, .noSuchGrant, .noSuchTenant, .notAUserName:
      .notFound
    case .severalFactors, .unconfirmed, .notAPath: .usage
    case .change(let error): error.status
    case .findings: .findings
    case .lockedOut, .services, .tooManyGrants, .declined, .unusable, .store, .account,
      .accounts, .configuration, .unusableRecords, .mistakes, .unreadable, .notIdentityPlatform,
      .notApplied, .configurationBusy,
      .importSource,
      .notImported, .ledger, .notMet,
      .clock, .output, .locked, .notEnded:
      .failure
    }
  }

  /// What happened, and to whom.
  var message: String {
    switch self {
    case .notRoot: "only root may look at and change the factors of others"
    case .noSuchUser(let user): "there is no user \(VisibleText(user))"
    case .notAUserName(let text): "\"\(VisibleText.escaping(text))\" cannot be a user's name"
    case .notEnrolled(let user): "\(VisibleText(user)) has not enrolled a factor"
    case .noSuchFactor(let user, let selector, _):
      "\(VisibleText(user)) has no factor \"\(VisibleText.escaping(selector))\""
    case .severalFactors(let user, nil, let factors):
      "\(VisibleText(user)) has \(factors.count) factors; which one is meant was not said"
    case .severalFactors(let user, let selector?, let factors):
      "\"\(VisibleText.escaping(selector))\" fits \(factors.count) factors of \(VisibleText(user))"
    case .tooManyGrants(let user):
      "\(VisibleText(user)) has \(FactorRecord.maximumGrants) tickets and bypass codes already"
    case .noSuchGrant(let user): "\(VisibleText(user)) was granted no such thing"
    case .unconfirmed: "this needs a yes, and standard input is no terminal to ask at"
    case .declined: "nothing was revoked"
    case .unusable(let user, let trouble):
      "what is stored for \(VisibleText(user)) cannot be used: \(trouble.sentence)"
    case .store(let error): "the store cannot be used: \(Trouble.store(error).sentence)"
    case .account(let user, let error):
      "the system could not tell about the account \(VisibleText(user)): \(error.text)"
    case .accounts(let error): "the system could not list the accounts: \(error.text)"
    case .configuration(let failure): Self.message(failure)
    case .mistakes(1, _): "1 mistake was found"
    case .mistakes(let count, _): "\(count) mistakes were found"
    case .noSuchTenant(let name):
      "the configuration has no tenant \"\(VisibleText.escaping(name))\""
    case .unreadable(let path, let error):
      "\(VisibleText.escaping(path)) cannot be read: \(error.text)"
    case .notIdentityPlatform(let place, let reason):
      "\(VisibleText.escaping(place)): \(reason)"
    case .notApplied(let failure): "nothing was changed: \(Self.message(failure))"
    case .configurationBusy: "another process is changing the configuration"
    case .findings(let errors, let warnings):
      "found \(errors) \(errors == 1 ? "error" : "errors") and \(warnings) "
        + (warnings == 1 ? "warning" : "warnings")
    case .lockedOut(1, let total): "1 of \(total) accounts would be locked out"
    case .lockedOut(let count, let total): "\(count) of \(total) accounts would be locked out"
    case .services(let refusal):
      "\(VisibleText.escaping(refusal.place)) cannot be read: \(refusal.name)"
    case .unusableRecords(let count, let total): "\(count) of \(total) records cannot be used"
    case .notAPath(let path): "\"\(VisibleText.escaping(path))\" is not an absolute path"
    case .importSource(let path, let refusal): "\(VisibleText.escaping(path)): \(refusal.text)"
    case .notImported(let count, let total): "\(count) of \(total) factors were not imported"
    case .notMet(let count, let total): "\(count) of \(total) items are not met"
    case .ledger(let trouble): trouble.sentence
    case .clock(let error): "the clock cannot be read: \(error.text)"
    case .output(let error): "standard output cannot be written: \(error.text)"
    case .locked(let path, let holders) where holders.isEmpty:
      "the lock of \(VisibleText.escaping(path)) was held for ten seconds"
    case .locked(let path, let holders):
      "the lock of \(VisibleText.escaping(path)) is held by "
        + holders.map(\.sentence).joined(separator: "; ")
    case .notEnded(let holder): "\(holder.sentence), has not ended"
    case .change(let error): error.message
    }
  }

  /// What to do next.
  var hint: String {
    switch self {
    case .notRoot(let arguments):
      (["sudo", "mfa-admin"] + arguments.map { Self.quoted($0) }).joined(separator: " ")
    case .noSuchUser, .notAUserName: "mfa-admin list"
    case .notEnrolled: "mfa-admin list shows who has"
    case .noSuchFactor(_, _, let factors), .severalFactors(_, _, let factors):
      "name one of: "
        + factors.map { "\(VisibleText($0.id)) (\(VisibleText($0.displayName)))" }
        .joined(separator: ", ")
    case .tooManyGrants(let user):
      "take one back: mfa-admin grants \(VisibleText(user)); mfa-admin withdraw"
    case .noSuchGrant: "mfa-admin grants shows who was granted what"
    case .unconfirmed: "say --yes"
    case .declined: "answer y, or say --yes"
    case .unusable(let user, let trouble): trouble.hint(for: user)
    case .store(let error): Trouble.store(error).hint(for: nil)
    case .account, .accounts:
      "try again when the directory service answers; getent passwd shows what it says"
    case .configuration(let failure):
      "correct \(VisibleText.escaping(failure.path)); until then every sign-in is denied"
    case .mistakes(_, true): "correct them; until then every sign-in is denied"
    case .mistakes(_, false): "correct them before these files are put in place"
    case .noSuchTenant: "mfa-admin config show lists them"
    case .unreadable: "name a file that can be read"
    case .notIdentityPlatform:
      "mfa-admin config show --json shows what it looks like; for a tenant, with --tenant"
    case .configurationBusy:
      "try again; fuser -v \(VisibleText.escaping(ConfigurationFile.folderPath)) shows who holds it"
    case .notApplied(let failure): Self.hint(notApplied: failure.reason)
    case .findings: "the second line of each says what to do; mfa-admin(8) says more under DOCTOR"
    case .lockedOut: "mfa-admin explain --user USER --service SERVICE says more about each"
    case .services: "it belongs to root, and nobody else may write to it"
    case .unusableRecords: "mfa-admin show USER says what to do about each"
    case .notAPath: "write it from / on, without . and .."
    case .importSource:
      "put it where every folder on the way belongs to root and nobody else can write to it"
    case .notImported: "the lines above say why; what was imported is not imported twice"
    case .notMet: "mfa.conf(5) says more about each setting, mfa-admin(8) about each command"
    case .ledger(let trouble): trouble.hint
    case .clock: "look at the system log"
    case .output: "make room, or write elsewhere"
    case .locked(_, let holders) where holders.isEmpty: "try again"
    case .locked: "the same command with --end-holder kills what holds the lock"
    case .notEnded(let holder): "ps -fp \(holder.process) shows it; try again"
    case .change(let error): error.hint
    }
  }

  /// An argument as a person would type it in a shell.
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

  private static func hint(notApplied reason: ConfigurationFile.Failure.Reason) -> String {
    switch reason {
    case .invalid(let error):
      if case .noSelector = error.reason {
        return "write the tenant with its selectors into another file first: mfa.conf(5)"
      }
      return "mfa-admin config show tells what other files say"
    case .system, .notAPath, .tooManyFiles, .untrusted:
      return
        "install -d -o root -g root -m 0755 \(VisibleText.escaping(ConfigurationFile.folderPath))"
    }
  }

  static func message(_ failure: ConfigurationFile.Failure) -> String {
    let path = VisibleText.escaping(failure.path)
    return switch failure.reason {
    case .notAPath: "\(path) is not an absolute path"
    case .system(let error): "\(path) cannot be read: \(error.text)"
    case .untrusted(let distrust): "\(path) is not trusted: \(distrust.name)"
    case .tooManyFiles:
      "\(path) has more than \(ConfigurationFile.maximumDropIns) files of the configuration"
    case .invalid(let error): String(decoding: error.message(file: failure.path), as: UTF8.self)
    }
  }
}
