import ArgumentParser

/// `mfa-admin list`
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List everybody who has enrolled, and how things stand.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  func run() throws(AdminError) {
    let (administration, failure) = try ThisHost.administration(needsConfiguration: false)
    let reports = try administration.users()
    if json {
      try Console.write(JSON.object([("users", .array(reports.map(\.json)))]).text + "\n")
    } else if reports.isEmpty {
      Console.complain("nobody has enrolled a factor")
    } else {
      try Console.write(UserTable(reports).text(columns: Console.columns))
    }
    let unusable = reports.count { !$0.isUsable }
    if unusable > 0 {
      if let failure { Console.report(failure) }
      throw .unusableRecords(unusable, of: reports.count)
    }
    if let failure { throw failure }
  }
}
