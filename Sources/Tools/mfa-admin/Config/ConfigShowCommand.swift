import MFAAdminCore
import MFAAdminOutput
import MFADoctor
import MFAAuditLog
import MFAConfiguration
import MFAPolicy
import ArgumentParser
import MFASystem

/// `mfa-admin config show`
struct ConfigShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the effective settings, and where each is set.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print the settings as Identity Platform JSON.")
  var json = false

  @Option(help: ArgumentHelp("Show the settings where this tenant matches.", valueName: "name"))
  var tenant: String?

  func run() throws(AdminError) {
    let configuration: Configuration
    do throws(ConfigurationFile.Failure) {
      configuration = try ConfigurationFile.read()
    } catch {
      throw .configuration(error)
    }
    var section: Tenant?
    if let tenant {
      section = configuration.tenants.first { $0.name == Array(tenant.utf8) }
      if section == nil { throw .noSuchTenant(tenant) }
    }
    let configurationText = ConfigurationText(configuration)
    guard json else {
      return try Console.write(
        section.map { configurationText.text(of: $0) } ?? configurationText.text)
    }
    let (settings, warning) = configurationText.identityPlatform(section)
    try Console.write(settings.json(isTenant: section != nil).text + "\n")
    if let warning { Console.printError("warning: \(warning)") }
  }
}
