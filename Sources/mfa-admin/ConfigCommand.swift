import ArgumentParser
import FactorStore
import Policy
import SignIn
import System

/// `mfa-admin config`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check, show and change the configuration.",
    discussion: AdminStatus.explanation,
    subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self, ConfigApplyCommand.self])
}

/// `mfa-admin config check`
struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Find mistakes in the configuration.",
    discussion: """
      Reads the files of the host, or those that are named, each over those before it, and says what \
      is wrong first in each: the file, the line, the key, and what would be right.

      \(AdminStatus.explanation)
      """)

  @Argument(help: ArgumentHelp("The files, the one that counts most last.", valueName: "file"))
  var files: [String] = []

  func run() throws(AdminError) {
    let check = files.isEmpty ? ConfigurationCheck.ofTheHost() : ConfigurationCheck.of(files)
    for failure in check.failures { Console.complain("error: " + AdminError.message(failure)) }
    guard check.failures.isEmpty else {
      throw .mistakes(check.failures.count, inForce: files.isEmpty)
    }
    for file in check.files { try Console.write(VisibleText.escaping(file) + ": no mistake\n") }
  }
}

/// `mfa-admin config show`
struct ConfigShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what the configuration comes to, and where from.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print the JSON of Identity Platform.")
  var json = false

  @Option(help: ArgumentHelp("Show what holds where this tenant matches.", valueName: "name"))
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
    let sheet = ConfigurationSheet(configuration)
    guard json else {
      return try Console.write(section.map { sheet.text(of: $0) } ?? sheet.text)
    }
    let (settings, warning) = sheet.identityPlatform(section)
    try Console.write(settings.json(isTenant: section != nil).text + "\n")
    if let warning { Console.complain("warning: \(warning)") }
  }
}

/// `mfa-admin config apply`
struct ConfigApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Take over the JSON of Identity Platform.",
    discussion: """
      Writes \(String(decoding: IdentityPlatformFile.path, as: UTF8.self)). What it says of others \
      than the project, or the tenant, stays.

      \(AdminStatus.explanation)
      """)

  @Option(help: ArgumentHelp("The tenant that it is for.", valueName: "name"))
  var tenant: String?

  @Flag(help: "Change nothing, and print what would be written.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The file with the JSON.", valueName: "file"))
  var file: String

  func run() throws(AdminError) {
    guard dryRun || Console.isRoot else {
      throw .notRoot(arguments: Array(CommandLine.arguments.dropFirst()))
    }
    let name = tenant.map { Array($0.utf8) }
    if let tenant, let name, !Tenant.isName(name.span) { throw .noSuchTenant(tenant) }
    let settings = try Self.settings(in: file, isTenant: name != nil)
    for ignored in settings.ignored { Console.complain("note: left out \(ignored)") }
    let result: IdentityPlatformFile
    if dryRun {
      result = try IdentityPlatformFile(settings, tenant: name, over: try Self.layers())
      try Console.write(String(decoding: result.text, as: UTF8.self))
    } else {
      result = try IdentityPlatformFile.locking { () throws(AdminError) in
        let result = try IdentityPlatformFile(settings, tenant: name, over: try Self.layers())
        let (administration, _) = try ThisHost.administration(needsConfiguration: false)
        let mark = try Self.enter(name, administration)
        try result.write()
        Self.log(name, mark)
        Self.note(administration)
        return result
      }
      try Console.write(
        "\(String(decoding: IdentityPlatformFile.path, as: UTF8.self)): written\n")
    }
    for (key, place) in result.overruled(tenant: name) {
      Console.complain(
        "warning: \(key.name) is another all the same: \(VisibleText.escaping(place)) sets it")
    }
  }

  private static func settings(
    in file: String, isTenant: Bool
  ) throws(AdminError) -> IdentityPlatform {
    let text: [UInt8]
    do throws(SystemError) {
      text = try PlainFile.read(file, longest: Configuration.maximumLength).get()
    } catch {
      throw .unreadable(file, error)
    }
    guard text.count <= Configuration.maximumLength else {
      throw .notIdentityPlatform(file, "is longer than \(Configuration.maximumLength) bytes")
    }
    let json: JSON
    do throws(JSONReader.Refusal) {
      json = try JSONReader.value(of: text)
    } catch {
      throw .notIdentityPlatform("\(file):\(error.line)", error.reason)
    }
    do throws(IdentityPlatform.Refusal) {
      return try IdentityPlatform(json, isTenant: isTenant)
    } catch {
      throw .notIdentityPlatform(file, error.text)
    }
  }

  private static func layers() throws(AdminError) -> [ConfigurationFile.Layer] {
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

  /// Enters the change in the ledger before it is made.
  private static func enter(
    _ tenant: [UInt8]?, _ administration: Administration
  ) throws(AdminError) -> LedgerMark {
    let section = tenant.map { Array("[tenant ".utf8) + $0 + Array("]".utf8) }
    let event = LedgerEvent(
      .configured, ids: section ?? Array("[project]".utf8), detail: IdentityPlatformFile.path,
      by: administration.ledgerActor, at: administration.now)
    do throws(FactorStoreError) { return try administration.store.enter(event) } catch {
      throw .store(error)
    }
  }

  /// Enters what has come of it. Where that cannot be read, the next to go by it enters it.
  private static func note(_ administration: Administration) {
    do throws(ConfigurationFile.Failure) {
      ThisHost.note(
        try ConfigurationFile.read().edition, in: administration.store,
        by: administration.ledgerActor)
    } catch {
      Console.complain("warning: the ledger does not say yet what the configuration is now")
    }
  }

  private static func log(_ tenant: [UInt8]?, _ mark: LedgerMark) {
    func begin(_ line: inout LogLine) {
      line.add("file", escaping: IdentityPlatformFile.path)
      if let tenant { line.add("tenant", escaping: tenant) }
    }
    var record = LogLine()
    record.add("op", "mfa:configured")
    begin(&record)
    Audit.write(configuration: record, terminal: Console.terminal)
    var line = LogLine()
    line.add("result", "configured")
    begin(&line)
    line.add("actor", escaping: Console.actor)
    line.add("ledger", escaping: mark.text)
    Log.write(.notice, line)
  }
}
