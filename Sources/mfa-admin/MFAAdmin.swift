import ArgumentParser
import Factors

/// `mfa-admin`: second factors of others, for root.
struct MFAAdmin: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mfa-admin",
    abstract: "Look at, revoke, unlock and stand in for the second factors of this host's users.",
    discussion: """
      Every change is written to the system log. Secrets are never shown, and what 'ticket' and \
      'bypass' make is shown once.

      \(AdminStatus.explanation)
      """,
    version: "mfa-admin \(Release.version)",
    subcommands: [
      ListCommand.self, ShowCommand.self, RevokeCommand.self, UnlockCommand.self,
      ImportCommand.self, TicketCommand.self, BypassCommand.self, GrantsCommand.self,
      WithdrawCommand.self, DoctorCommand.self, ReadinessCommand.self, ExplainCommand.self,
      ConfigCommand.self, ForgetCommand.self, EnableCommand.self, ConfirmCommand.self,
      DisableCommand.self, ServicesCommand.self, RestoreCommand.self, LedgerCommand.self,
      ReportCommand.self,
    ])
}
