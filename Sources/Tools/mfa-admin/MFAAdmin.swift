import MFAAdmin
import MFAModel
import ArgumentParser

/// `mfa-admin`: the command with which root manages the users' second factors.
struct MFAAdmin: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mfa-admin",
    abstract: "Manage the second factors of this host's users.",
    discussion: """
      Every change is written to the system log. Secrets are never shown. The codes that 'ticket' \
      and 'bypass' create are shown once.

      \(AdminStatus.explanation)
      """,
    version: "mfa-admin \(Release.version)",
    subcommands: [
      ListCommand.self, ShowCommand.self, RevokeCommand.self, PruneCommand.self, UnlockCommand.self,
      RenameUserCommand.self,
      ImportCommand.self, TicketCommand.self, BypassCommand.self, GrantsCommand.self,
      WithdrawCommand.self, DoctorCommand.self, ReadinessCommand.self, ExplainCommand.self,
      ConfigCommand.self, ForgetCommand.self, EnableCommand.self, ConfirmCommand.self,
      DisableCommand.self, ServicesCommand.self, RestoreCommand.self, LedgerCommand.self,
      ReportCommand.self, CheckCommand.self, FleetCommand.self, PhoneCommand.self,
      RekeyCommand.self, AdoptStoreCommand.self, PrepareImageCommand.self,
      BreakGlassCommand.self,
      BackupCommand.self, RestoreBackupCommand.self, LoadModuleCommand.self, TrySignInCommand.self,
    ])
}
