import MFAAdmin
import ArgumentParser

/// `mfa-admin ledger`
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Show and verify the audit log.",
    discussion: AdminStatus.explanation,
    subcommands: [LedgerShowCommand.self, LedgerVerifyCommand.self, LedgerBeginCommand.self])
}
