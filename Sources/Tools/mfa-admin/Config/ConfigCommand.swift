import MFAAdminOutput
import ArgumentParser

/// `mfa-admin config`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check, show and change the configuration.",
    discussion: AdminStatus.explanation,
    subcommands: [
      ConfigCheckCommand.self, ConfigShowCommand.self, ConfigApplyCommand.self,
      ConfigTemplateCommand.self,
    ])
}
