import MFAAdminCore
import MFAAdminOutput
import MFAConfiguration
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

  /// Returns the configuration files of the host, in order.
  static func layers() throws(AdminError) -> [ConfigurationFile.Layer] {
    var layers: [ConfigurationFile.Layer] = []
    do throws(ConfigurationFile.Failure) {
      try ConfigurationFile.forEachLayer { (layer) throws(ConfigurationFile.Failure) in
        layers.append(try layer.get())
      }
    } catch {
      throw .configuration(error)
    }
    return layers
  }
}
