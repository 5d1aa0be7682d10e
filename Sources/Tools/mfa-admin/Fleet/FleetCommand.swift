import ArgumentParser
import MFAAdmin

/// `mfa-admin fleet`
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Manage the hosts of the realm that this host belongs to.",
    discussion: """
      The commands need a host whose group has "administering = on" in mfa-verifier.conf(5).

      \(AdminStatus.explanation)
      """,
    subcommands: [
      FleetStatusCommand.self, FleetHostsCommand.self, FleetTicketCommand.self,
      FleetRevokeCommand.self, FleetImportCommand.self,
    ])
}
