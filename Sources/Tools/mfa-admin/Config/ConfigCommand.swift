import MFAAdmin
import MFAAttempt
import ArgumentParser

/// `mfa-admin config`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check, show and change the configuration.",
    discussion: AdminStatus.explanation,
    subcommands: [
      ConfigCheckCommand.self, ConfigShowCommand.self, ConfigSetCommand.self,
      ConfigWriteCommand.self, ConfigApplyCommand.self, ConfigTemplateCommand.self,
    ])

  /// Returns the configuration files of the host, in order: as this process reads them, or as the user who
  /// decides about sign-ins does.
  static func layers(asDecided: Bool = false) throws(AdminError) -> [ConfigurationFile.Layer] {
    var layers: [ConfigurationFile.Layer] = []
    func read() throws(ConfigurationFile.Failure) {
      try ConfigurationFile.forEachLayer { (layer) throws(ConfigurationFile.Failure) in
        layers.append(try layer.get())
      }
    }
    do throws(ConfigurationFile.Failure) {
      if asDecided { try DecidingUser.reading(read) } else { try read() }
    } catch {
      throw .configuration(error)
    }
    return layers
  }
}
