import MFAAdmin
import MFADoctor
import MFAStore
import MFAAttempt
import MFAModel
import ArgumentParser
import MFABase

/// `mfa-admin config show`
struct ConfigShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the effective settings, and where each is set.",
    discussion: """
      With --json, the settings are printed in the form in which config apply read them last: the \
      body of a REST call, or the object of the Admin SDK. For settings that were not applied, the \
      form is the body of a REST call.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print the settings as Identity Platform JSON.")
  var json = false

  @Option(help: ArgumentHelp("Show the settings where this tenant matches.", valueName: "name"))
  var tenant: String?

  func run() throws(AdminError) {
    let layers = try ConfigCommand.layers(asDecided: true)
    let configuration = try Self.effective(layers)
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
    let (settings, warning) = configurationText.identityPlatform(
      section, try IdentityPlatformFile.applied(tenant: section?.name, in: layers))
    try Console.write(settings.json(isTenant: section != nil).text + "\n")
    if let warning { Console.printError("warning: \(warning)") }
  }

  private static func effective(
    _ layers: [ConfigurationFile.Layer]
  ) throws(AdminError) -> Configuration {
    var draft = ConfigurationDraft()
    do throws(ConfigurationFile.Failure) {
      for layer in layers { try ConfigurationFile.add(layer, to: &draft) }
      return try ConfigurationFile.finish(draft)
    } catch {
      throw .configuration(error)
    }
  }
}
