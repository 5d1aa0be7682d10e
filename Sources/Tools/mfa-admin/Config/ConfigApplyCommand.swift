import MFAAdmin
import MFADoctor
import MFAStore
import MFAAttempt
import MFAModel
import ArgumentParser
import MFABase

/// `mfa-admin config apply`
struct ConfigApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply settings from Identity Platform JSON.",
    discussion: """
      Reads the body of a REST call, with the member mfa (for a tenant: mfaConfig), or the object of \
      the Admin SDK, with the member multiFactorConfig. mfa-admin(8) shows each form.

      Writes \(String(decoding: IdentityPlatformFile.path, as: UTF8.self)). Replaces only the \
      section of the project, or of the tenant given by --tenant.

      \(AdminStatus.explanation)
      """)

  @Option(help: ArgumentHelp("The tenant to configure, instead of the project.", valueName: "name"))
  var tenant: String?

  @Flag(help: "Print what would be written, and change nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The file with the JSON or the object.", valueName: "file"))
  var file: String

  func run() throws(AdminError) {
    if !dryRun { try ThisHost.requireRoot() }
    let name = tenant.map { Array($0.utf8) }
    if let tenant, let name, !Tenant.isName(name.span) { throw .noSuchTenant(tenant) }
    let settings = try Self.settings(in: file, isTenant: name != nil)
    for ignored in settings.ignored { Console.printError("note: ignored \(ignored)") }
    let result: IdentityPlatformFile
    if dryRun {
      result = try IdentityPlatformFile(settings, tenant: name, over: try ConfigCommand.layers())
      try Console.write(String(decoding: result.text, as: UTF8.self))
    } else {
      result = try IdentityPlatformFile.locking { () throws(AdminError) in
        let result = try IdentityPlatformFile(
          settings, tenant: name, over: try ConfigCommand.layers())
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
    if result.switchesPhonesOff {
      Console.printError(
        "warning: codes are no longer sent to phones, because the settings lack "
          + settings.listName)
    }
    for (key, place) in result.overruled(tenant: name) {
      Console.printError(
        "warning: \(VisibleText.escaping(place)) overrides the new value of \(key.name)")
    }
  }

  private static func settings(
    in file: String, isTenant: Bool
  ) throws(AdminError) -> IdentityPlatform {
    let text: [UInt8]
    do throws(TrustedPath.Refusal) {
      text = try PlainFile.read(file, longest: Configuration.maximumLength).get()
    } catch {
      throw .unreadable(file, error)
    }
    guard text.count <= Configuration.maximumLength else {
      throw .notIdentityPlatform(file, "is longer than \(Configuration.maximumLength) bytes")
    }
    do throws(IdentityPlatform.Refusal) {
      return try IdentityPlatform(text, isTenant: isTenant)
    } catch {
      throw .notIdentityPlatform(file, error.text)
    }
  }

  /// Enters the change in the audit log, before it is made.
  private static func enter(
    _ tenant: [UInt8]?, _ administration: Administration
  ) throws(AdminError) -> AuditLogCheckpoint {
    let section = tenant.map { Array("[tenant ".utf8) + $0 + Array("]".utf8) }
    let event = AuditLogEvent(
      .configured, ids: section ?? Array("[project]".utf8), detail: IdentityPlatformFile.path,
      by: administration.ledgerActor, at: administration.now)
    do throws(FactorStoreError) { return try administration.store.enter(event) } catch {
      throw .store(error)
    }
  }

  /// Enters the fingerprint of the new configuration in the audit log. If the configuration cannot
  /// be read, the next sign-in or command that can read it enters the fingerprint.
  private static func note(_ administration: Administration) {
    do throws(ConfigurationFile.Failure) {
      ThisHost.note(
        try ConfigurationFile.read().fingerprint, in: administration.store,
        by: administration.ledgerActor)
    } catch {
      Console.printError("warning: the new configuration is not in the audit log yet")
    }
  }

  private static func log(_ tenant: [UInt8]?, _ mark: AuditLogCheckpoint) {
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
    line.add("by", escaping: Console.actor)
    line.add("checkpoint", escaping: mark.text)
    Log.write(.notice, line)
  }
}
