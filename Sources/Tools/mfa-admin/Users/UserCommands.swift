import ArgumentParser
import MFAAdmin
import MFAModel

/// The option of the commands that ask for confirmation.
struct Confirmation: ParsableArguments {
  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  /// Throws unless the administrator confirms, or has given the option.
  func require(_ question: @autoclosure () -> String) throws(AdminError) {
    guard !yes else { return }
    guard Console.canAsk else { throw .unconfirmed }
    guard Console.askForConfirmation(question()) else { throw .declined }
  }
}

/// The option of the commands that wait for locks.
struct LockOption: ParsableArguments {
  @Flag(help: "Kill any process that blocks this command by holding a lock for too long.")
  var endHolder = false
}

/// The arguments of the commands that change what is stored for one user.
struct UserChangeOptions: ParsableArguments {
  @OptionGroup var lock: LockOption

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  /// Makes a change, and handles locks that another process holds for too long.
  func change<Result: ~Copyable>(
    _ body: (_ user: String) throws(AdminError) -> Result
  ) throws(AdminError) -> Result {
    try LockedStore.run(ending: lock.endHolder) { () throws(AdminError) in try body(user) }
  }

  /// Prints the result of a change.
  func write(_ report: JSON, _ sentence: String) throws(AdminError) {
    try Console.write((json ? report.text : sentence) + "\n")
  }
}

/// `mfa-admin forget`
struct ForgetCommand: ParsableCommand {
  static let configuration = command(
    "forget", "Clear a user's remembered sign-ins.",
    """
    With remember or fresh_for in mfa.conf(5), a user who gave a code is not asked again for a \
    while from the same place. After this command, the next sign-in asks for a code again.
    """)

  @OptionGroup var options: UserChangeOptions

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: false)
    let report = try options.change { user throws(AdminError) in
      try administrator.clearRememberedSignIns(of: user)
    }
    try options.write(report.json, report.sentence)
  }
}

/// `mfa-admin unlock`
struct UnlockCommand: ParsableCommand {
  static let configuration = command(
    "unlock", "Let a user try codes again after too many wrong ones.",
    """
    Clears the failed attempts and remembered sign-ins, and ends a wait. Used codes stay used. If \
    the clock was ahead when a code was accepted, the factor accepts no code until that time: \
    revoke the factor, and have the user enrol again.

    A user whose files are older than the last entry in the audit log is locked out, because an \
    earlier copy can contain a factor that was revoked since. Use --accept-restored if you have \
    restored the files yourself.
    """)

  @Flag(help: "Accept the user's files even if they are older than the audit log says.")
  var acceptRestored = false

  @OptionGroup var options: UserChangeOptions

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: true)
    let report = try options.change { user throws(AdminError) in
      try administrator.unlock(user, acceptingRestored: acceptRestored)
    }
    Console.printError(report.entered)
    try options.write(report.json, report.sentence)
  }
}

/// `mfa-admin revoke`
struct RevokeCommand: ParsableCommand {
  static let configuration = command(
    "revoke", "Revoke a user's factors.",
    """
    Without FACTOR and --all, revokes the user's only factor. --all also removes records that \
    cannot be read, or that belong to an account that no longer exists.
    """)

  @Flag(help: "Revoke all factors, and remove everything else that is stored for the user.")
  var all = false

  @OptionGroup var confirmation: Confirmation

  @OptionGroup var options: UserChangeOptions

  @Argument(help: "The factor: its id, at least the first 4 digits of its id, or its name.")
  var factor: String?

  func validate() throws {
    guard !all || factor == nil else {
      throw ValidationError("FACTOR and --all cannot be combined")
    }
  }

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: false)
    let revocation = try administrator.plan(all ? .everything : .factor(factor), of: options.user)
    try confirmation.require(revocation.question)
    var report = try options.change { _ throws(AdminError) in
      try administrator.revoke(revocation)
    }
    // The policy of a realm is on its verifiers.
    if report.leavesNoFactor, !ThisHost.belongsToRealm {
      report.effect = ThisHost.unenrolledSignIns(of: report.user)
    }
    Console.printError(report.entered)
    try options.write(report.json, report.sentence)
  }
}

/// `mfa-admin rename-user`
struct RenameUserCommand: ParsableCommand {
  static let configuration = command(
    "rename-user", "Move a user's factors to the account's new name or user ID, after usermod.",
    """
    A record belongs to a name and a user ID. After either was changed, the user cannot sign in until this \
    command has moved the record: after a change of the user ID, give the same name twice. Failed attempts and used codes stay counted; remembered \
    sign-ins end.

    A realm whose hosts have the key directory does this itself when the user signs in. Offline recovery codes of \
    a realm are removed: the user makes new ones.
    """)

  @Argument(help: "The name of the record: the earlier one, or the present one after usermod -u.")
  var old: String

  @Argument(help: "The present name of the account.")
  var new: String

  @OptionGroup var lock: LockOption

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: false)
    let name = try LockedStore.run(ending: lock.endHolder) { () throws(AdminError) in
      try administrator.renameUser(old, to: new)
    }
    let place = old == new ? "the present user ID" : "\(VisibleText(name))"
    try Console.write(
      "moved the factors of \(VisibleText.escaping(Array(old.utf8))) to \(place)\n")
  }
}

/// `mfa-admin show`
struct ShowCommand: ParsableCommand {
  static let configuration = command(
    "show", "Show a user's factors and failed attempts.")

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Flag(help: "Show phone numbers in full. The audit log records that.")
  var reveal = false

  @Argument(help: "The user's name.")
  var user: String

  func validate() throws {
    guard !reveal || !json else { throw ValidationError("--reveal prints text: omit --json") }
  }

  func run() throws(AdminError) {
    if let realm = try ThisHost.realm() {
      guard !reveal else { throw .localOption("--reveal") }
      let report = try realm.user(user)
      try Console.write(
        json ? report.json.text + "\n" : UserDetails.text(report, at: try ThisHost.now()))
      if case .unusable(let problem) = report.content, let name = report.userName {
        throw .unusable(name, problem)
      }
      return
    }
    let (administration, failure) = try ThisHost.administration(needsConfiguration: false)
    let report = try administration.user(user)
    try Console.write(
      json ? report.json.text + "\n" : UserDetails.text(report, at: try ThisHost.now()))
    if reveal { try Console.write(UserDetails.text(try administration.phoneNumbers(of: user))) }
    if case .unusable(let problem) = report.content, let name = report.userName {
      if let failure { Console.report(failure) }
      throw .unusable(name, problem)
    }
    if let failure { throw failure }
  }
}

/// `mfa-admin prune`
struct PruneCommand: ParsableCommand {
  static let configuration = command(
    "prune", "Remove the records of accounts that no longer exist.",
    """
    An unavailable directory service looks like deleted accounts. If more than three and more \
    than a tenth of all users seem to be deleted, nothing is removed without --many.
    """)

  @Flag(help: "Print whose records would be removed, and change nothing.")
  var dryRun = false

  @Flag(help: "Remove the records even if many accounts are missing.")
  var many = false

  @OptionGroup var confirmation: Confirmation

  @OptionGroup var lock: LockOption

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: false)
    let orphans = try administration.orphans(progress: Console.progress)
    guard !dryRun, !orphans.names.isEmpty else { return try show(orphans) }
    guard many || !orphans.areSuspicious else {
      throw .manyAccountsMissing(orphans.names.count, of: orphans.total)
    }
    let names = NameList.text(orphans.names.map { "\(VisibleText($0))" })
    try confirmation.require("remove the records of the deleted accounts \(names)?")
    var reports: [RevocationReport] = []
    for name in orphans.names {
      let report = try LockedStore.run(ending: lock.endHolder) { () throws(AdminError) in
        try administration.prune(name)
      }
      guard let report else { continue }
      Console.printError(report.entered)
      if json { reports.append(report) } else { try Console.write(report.sentence + "\n") }
    }
    if json {
      try Console.write(JSON.object([("removed", .array(reports.map(\.json)))]).text + "\n")
    }
  }

  private func show(_ orphans: Administration.Orphans) throws(AdminError) {
    if json {
      let names = orphans.names.map { JSON.string(String(decoding: $0.bytes, as: UTF8.self)) }
      try Console.write(JSON.object([("deleted", .array(names))]).text + "\n")
    } else {
      for name in orphans.names {
        try Console.write("\(VisibleText(name)): would be removed\n")
      }
      if orphans.names.isEmpty { Console.printError("all records belong to accounts that exist") }
    }
  }
}
