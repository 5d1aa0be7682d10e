import ArgumentParser
import MFAAdmin
import MFAModel

/// `mfa-admin config set`
struct ConfigSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change one setting in a configuration file.",
    discussion: """
      Changes the line that sets the key, in the file that decides it now, or adds it to \
      /etc/mfa/mfa.conf. Everything else in the file stays. Nothing is written if the configuration \
      would have a mistake. The version before is kept, with the ending .old.

      \(AdminStatus.explanation)
      """)

  @Option(help: ArgumentHelp("Change the section of this tenant.", valueName: "name"))
  var tenant: String?

  @Option(help: ConfigWriting.fileHelp)
  var file: String?

  @Argument(help: "The key, such as state.")
  var key: String

  @Argument(help: "The value, such as disabled.")
  var value: String

  func run() throws {
    try ThisHost.requireRoot()
    let section = tenant.map { Array($0.utf8) }
    if let tenant, let section, !Tenant.isName(section.span) {
      throw AdminError.noSuchTenant(tenant)
    }
    let keys = ConfigurationLines.spellings(of: key)
    guard !(key + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), !key.contains("=")
    else {
      throw ValidationError("a key and a value are on one line")
    }
    let named = try file.map { try ConfigWriting.path(named: $0) }
    try IdentityPlatformFile.locking { () throws(AdminError) in
      let layers = try ConfigurationEdit.layers()
      let path = named ?? ConfigurationEdit.place(of: keys, tenant: section, in: layers)
      var lines = ConfigurationLines(try ConfigurationEdit.text(of: path, in: layers))
      lines.set(keys, to: Array(value.utf8), tenant: section)
      let edit = try ConfigurationEdit(lines.text, at: path, over: layers)
      for other in edit.overriding(keys, tenant: section, in: layers) {
        Console.printError("warning: \(VisibleText.escaping(other)) overrides this value of \(key)")
      }
      try ConfigWriting.write(edit)
    }
  }
}
