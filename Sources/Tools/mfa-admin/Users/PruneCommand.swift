import ArgumentParser
import MFAAdmin
import MFAModel

/// `mfa-admin prune`
struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Remove the records of accounts that no longer exist.",
    discussion: """
      An unavailable directory service looks like deleted accounts. If more than three and more \
      than a tenth of all users seem to be deleted, nothing is removed without --many.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print whose records would be removed, and change nothing.")
  var dryRun = false

  @Flag(help: "Remove the records even if many accounts are missing.")
  var many = false

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  @Flag(help: "Kill any process that blocks this command by holding a lock for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let orphans = try administration.orphans(progress: Console.progress)
    guard !dryRun, !orphans.names.isEmpty else { return try show(orphans) }
    guard many || !orphans.areSuspicious else {
      throw .manyAccountsMissing(orphans.names.count, of: orphans.total)
    }
    if !yes {
      guard Console.canAsk else { throw .unconfirmed }
      let names = NameList.text(orphans.names.map { "\(VisibleText($0))" })
      guard Console.askForConfirmation("remove the records of the deleted accounts \(names)?")
      else { throw .declined }
    }
    var reports: [RevocationReport] = []
    for name in orphans.names {
      let report = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
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
