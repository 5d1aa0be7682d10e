#if Fleet
import ArgumentParser
import MFAModel

/// The program `mfa-fleet`.
struct MFAFleet: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "mfa-fleet",
      abstract: "Keeps the factors of several hosts in one store.",
      version: "mfa-fleet \(Release.version)",
      subcommands: [
        RelayCommand.self, VerifierCommand.self, AuthorityCommand.self, JoinCommand.self,
      ])
  }
}
#endif
