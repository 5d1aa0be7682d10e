import ArgumentParser
import MFAAdmin
import MFARealm

/// `mfa-admin realm import`
struct RealmImportCommand: ParsableCommand {
  static let configuration = command(
    "import", "Import the users of this host's local store into the realm.",
    """
    Prints a line for each user. The larger number of failed attempts and the later used code count. The \
    local store is not changed. The command can be repeated, and does not bring back what the realm has \
    revoked since.

    The host needs a group with "importing = on" in mfa-verifier.conf(5).
    """)

  /// What the option --conflicts can be.
  enum Conflicts: String, CaseIterable, ExpressibleByArgument {
    case keep, take, ask
  }

  @Option(
    help: ArgumentHelp(
      "What happens if the realm has other factors of a user: keep them, take those of this host, or ask.",
      valueName: "choice"))
  var conflicts: Conflicts?

  @Flag(help: "Print what would happen, and change nothing.")
  var dryRun = false

  @Flag(help: "Remove from the realm what this host has imported and has not changed since.")
  var undo = false

  @Flag(name: [.short, .long], help: "Do not ask for confirmation of --undo.")
  var yes = false

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func validate() throws {
    guard !undo || conflicts == nil else {
      throw ValidationError("--undo has no conflicts")
    }
    guard conflicts != .ask || Console.canAsk else {
      throw ValidationError("there is no terminal; give --conflicts keep or --conflicts take")
    }
  }

  func run() throws(AdminError) {
    var realm = try ThisHost.realmImport()
    if undo { return try runUndo(&realm) }
    let choice: ConflictChoice =
      switch conflicts {
      case .keep: .keep
      case .take: .take
      case .ask, nil: .undecided
      }
    var plans = try realm.plans(choice)
    let conflicting = plans.count { $0.hasConflict }
    if dryRun || (conflicting > 0 && !Console.canAsk) {
      try write(plans.map(\.report))
      guard dryRun || conflicting == 0 else { throw .importConflicts(conflicting) }
      return
    }
    for index in plans.indices where plans[index].hasConflict { try ask(realm, &plans[index]) }
    var reports = plans.filter { $0.hasConflict || $0.report.problem != nil }.map(\.report)
    let left = reports.count
    if !json { try write(reports) }
    try realm.carryOut(plans) { report throws(AdminError) in
      reports.append(report)
      if !json { try Console.write(report.text + "\n") }
    }
    if json { try write(reports) }
    if reports.isEmpty { Console.printError("no user of the local store has a factor") }
    guard left == 0 else { throw .usersNotImported(left, of: reports.count) }
  }

  /// Asks how a conflict is decided.
  private func ask(_ realm: RealmImport, _ plan: inout RealmImport.Plan) throws(AdminError) {
    Console.printError(plan.report.text)
    let answer = Console.ask(
      "keep what the realm has, take what this host has, or skip the user? [keep/take/SKIP]")
    switch answer {
    case "k", "keep": try realm.decide(&plan, .keep)
    case "t", "take": try realm.decide(&plan, .take)
    case _: break
    }
  }

  private func runUndo(_ realm: inout RealmImport) throws(AdminError) {
    if !yes, !dryRun {
      guard Console.canAsk else { throw .unconfirmed }
      guard Console.askForConfirmation("remove from the realm what this host has imported?") else {
        throw .declined
      }
    }
    var reports: [UserImportReport] = []
    try realm.undo(isTrial: dryRun) { report throws(AdminError) in
      reports.append(report)
      if !json { try Console.write(report.text + "\n") }
    }
    if json { try write(reports) }
    guard !reports.isEmpty else {
      return Console.printError("the realm has nothing that this host has imported")
    }
    guard !dryRun, let time = try ThisHost.endOfAcceptedCodes() else { return }
    Console.printError(
      "hint: let the host leave the realm after \(time): until then its store would accept codes that the realm has accepted"
    )
  }

  private func write(_ reports: [UserImportReport]) throws(AdminError) {
    try Console.write(
      json
        ? JSON.object([("users", .array(reports.map(\.json)))]).text + "\n"
        : reports.map { $0.text + "\n" }.joined())
  }
}
