import MFAAdmin
import ArgumentParser

/// `mfa-admin grants`
struct GrantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grants", abstract: "List tickets and bypass codes, without the codes themselves.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Argument(help: "The user's name. Without it, all users.")
  var user: String?

  func run() throws(AdminError) {
    let reports = try ThisHost.userAdministrator(needsConfiguration: false).grants(user)
    if json {
      let grants = JSON.array(reports.map { JSON.object($0.members) })
      try Console.write(JSON.object([("grants", grants)]).text + "\n")
    } else if reports.isEmpty {
      Console.printError("there are no tickets or bypass codes")
    } else {
      try Console.write(GrantTable(reports).text(columns: Console.columns))
    }
  }
}
