import ArgumentParser
import MFAAdmin

/// `mfa-admin fleet status`
struct FleetStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the hosts, the verifiers and the database of the realm.",
    discussion: """
      Versions and times of hosts and verifiers are recorded once an hour.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func run() throws(AdminError) {
    let realm = try ThisHost.requiredRealm()
    let report = FleetReport(try realm.hosts(), try realm.state())
    try Console.write(json ? report.json.text + "\n" : report.text)
  }
}
