import ArgumentParser

/// `mfa-admin`: second factors of others, for root.
struct MFAAdmin: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mfa-admin",
    abstract: "Look at, revoke and unlock the second factors of this host's users.",
    discussion: """
      Every change is written to the system log. Secrets and codes are never shown.

      \(AdminStatus.explanation)
      """,
    version: "0.1.0",
    subcommands: [
      ListCommand.self, ShowCommand.self, RevokeCommand.self, UnlockCommand.self,
      ImportCommand.self,
    ])
}
