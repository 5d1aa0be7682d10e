import ArgumentParser
import MFAAdmin

/// `mfa-admin fleet hosts`
struct FleetHostsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hosts", abstract: "List the hosts of the realm.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func run() throws(AdminError) {
    let hosts = try ThisHost.requiredRealm().hosts()
    if json {
      try Console.write(
        JSON.object([("hosts", .array(hosts.map { FleetReport.json($0) }))]).text + "\n")
    } else {
      try Console.write(FleetReport.table(of: hosts))
    }
  }
}
