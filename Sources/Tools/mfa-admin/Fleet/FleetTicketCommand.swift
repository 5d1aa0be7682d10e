import ArgumentParser
import MFAAdmin

/// `mfa-admin fleet ticket`
struct FleetTicketCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ticket", abstract: "Create a ticket with which a host joins the realm.",
    discussion: """
      The ticket can be used once, within 10 minutes, with 'mfa-fleet join'.

      \(AdminStatus.explanation)
      """)

  @Option(help: "A group of hosts in mfa-verifier.conf(5). Can be repeated.")
  var group: [String] = []

  @Argument(help: "The name of the host, which its certificate will have.")
  var host: String

  func run() throws(AdminError) {
    let code = try ThisHost.requiredRealm().newTicket(for: host, groups: group)
    try Console.write(secret: code)
    try Console.write("\n")
  }
}
