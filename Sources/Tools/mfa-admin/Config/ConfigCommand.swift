import ArgumentParser
import MFAAdmin
import MFAAttempt
import MFABase
import MFADoctor
import MFAModel
import MFAStore

/// `mfa-admin config`
struct ConfigCommand: ParsableCommand {
  static let configuration = command(
    "config", "Check, show and change the configuration.",
    subcommands: [
      ConfigCheckCommand.self, ConfigShowCommand.self, ConfigEditCommand.self,
      ConfigSetCommand.self, ConfigWriteCommand.self, ConfigApplyCommand.self,
      ConfigTemplateCommand.self,
    ])
}

/// `mfa-admin config check`
struct ConfigCheckCommand: ParsableCommand {
  static let configuration = command(
    "check", "Find mistakes in the configuration.",
    """
    Reads the configuration files of this host, or the given files; later files override earlier \
    ones. Reports the first mistake in each file, with the line, the key and what is allowed. \
    If there is no mistake, warns about settings that have no effect, and notes where phones are allowed and no \
    code is sent to them.
    """)

  @Argument(
    help: ArgumentHelp(
      "The files to check, in order; later files override earlier ones.", valueName: "file"))
  var files: [String] = []

  func run() throws(AdminError) {
    let check = files.isEmpty ? ConfigurationCheck.ofTheHost() : ConfigurationCheck.of(files)
    ConfigWriting.report(check.failures)
    guard check.failures.isEmpty else {
      throw .mistakes(check.failures.count, inForce: files.isEmpty)
    }
    for warning in check.warnings { Console.printError("warning: " + warning) }
    for note in check.notes { Console.printError("note: " + note) }
    for file in check.files { try Console.write(VisibleText.escaping(file) + ": no mistake\n") }
  }
}

/// `mfa-admin config show`
struct ConfigShowCommand: ParsableCommand {
  static let configuration = command(
    "show", "Show the effective settings, and where each is set.",
    """
    With --json, the settings are printed in the form in which config apply read them last: the \
    body of a REST call, or the object of the Admin SDK. For settings that were not applied, the \
    form is the body of a REST call.
    """)

  @Flag(help: "Print the settings as Identity Platform JSON.")
  var json = false

  @Option(help: ArgumentHelp("Show the settings where this tenant matches.", valueName: "name"))
  var tenant: String?

  func run() throws(AdminError) {
    let layers = try ThisHost.layers(asDecided: true)
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try ConfigurationFile.configuration(of: layers)
    } catch {
      throw .configuration(error)
    }
    var section: Tenant?
    if let tenant {
      section = configuration.tenants.first { $0.name == Array(tenant.utf8) }
      if section == nil { throw .noSuchTenant(tenant) }
    }
    let configurationText = ConfigurationText(configuration)
    ThisHost.noteRealmPolicy()
    guard json else {
      try Console.write(
        section.map { configurationText.text(of: $0) } ?? configurationText.text)
      for note in configuration.notesAboutPhones { Console.printError("note: \(note)") }
      return
    }
    let (settings, warning) = configurationText.identityPlatform(
      section, try IdentityPlatformFile.applied(tenant: section?.name, in: layers))
    try Console.write(settings.json(isTenant: section != nil).text + "\n")
    if let warning { Console.printError("warning: \(warning)") }
  }
}

/// `mfa-admin config template`
struct ConfigTemplateCommand: ParsableCommand {
  static let configuration = command(
    "template", "Print a configuration file that explains each key.",
    """
    Prints the mfa.conf of this version: each key in a comment, with its description and its \
    default, or an example if it has no default. The configuration of the host is not read.
    """)

  @Option(
    help: ArgumentHelp(
      "Print a section of the manual page instead: settings or selectors.", valueName: "section",
      visibility: .private))
  var manual: String?

  func validate() throws(ValidationError) {
    guard let manual, KeyManual(rawValue: manual) == nil else { return }
    throw ValidationError("the sections are settings and selectors")
  }

  func run() throws(AdminError) {
    try Console.write(
      manual.flatMap { KeyManual(rawValue: $0) }?.text ?? ConfigurationTemplate.text)
  }
}

/// `mfa-admin config write`
struct ConfigWriteCommand: ParsableCommand {
  static let configuration = command(
    "write", "Replace a configuration file by what is on standard input.",
    """
    Nothing is written if the configuration would have a mistake. mfad can read the file, whatever \
    the umask. The version before is kept, with the ending .old.
    """)

  @Argument(help: ConfigWriting.fileHelp)
  var file: String

  func run() throws {
    try ThisHost.requireRoot()
    let path = try ConfigWriting.path(named: file)
    let text: [UInt8]
    do throws(SystemError) {
      text = try PlainFile.standardInput(longest: Configuration.maximumLength).get()
    } catch {
      throw AdminError.unreadable("/dev/stdin", error)
    }
    let written = try IdentityPlatformFile.locking { () throws(AdminError) in
      try ConfigWriting.write(
        try ConfigurationEdit(text, at: path, over: try ConfigurationEdit.layers()))
    }
    try ConfigWriting.tellEffect(of: written)
  }
}

/// `mfa-admin config set`
struct ConfigSetCommand: ParsableCommand {
  static let configuration = command(
    "set", "Change one setting in a configuration file.",
    """
    Changes the line that sets the key, in the file that decides it now, or adds it to \
    /etc/mfa/mfa.conf. Everything else in the file stays. Nothing is written if the configuration \
    would have a mistake. Tells which sign-ins are decided in another way. The version before is kept, \
    with the ending .old.
    """)

  @Flag(help: "Remove the line that sets the key, so that another file or the default decides.")
  var unset = false

  @Option(help: ArgumentHelp("Change the section of this tenant.", valueName: "name"))
  var tenant: String?

  @Option(help: ConfigWriting.fileHelp)
  var file: String?

  @Argument(help: "The key, such as state.")
  var key: String

  @Argument(help: "The value, such as disabled.")
  var value: String?

  func validate() throws(ValidationError) {
    guard unset == (value == nil) else {
      throw ValidationError(
        unset ? "--unset takes no value" : "a value is missing; --unset removes the setting")
    }
  }

  func run() throws {
    try ThisHost.requireRoot()
    let section = tenant.map { Array($0.utf8) }
    if let tenant, let section, !Tenant.isName(section.span) {
      throw AdminError.noSuchTenant(tenant)
    }
    let keys = ConfigurationLines.spellings(of: key)
    guard !(key + (value ?? "")).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
      !key.contains("=")
    else {
      throw ValidationError("a key and a value are on one line")
    }
    let named = try file.map { try ConfigWriting.path(named: $0) }
    let written = try IdentityPlatformFile.locking {
      () throws(AdminError) -> ConfigWriting.Written? in
      let layers = try ConfigurationEdit.layers()
      let path = named ?? ConfigurationEdit.place(of: keys, tenant: section, in: layers)
      var lines = ConfigurationLines(try ConfigurationEdit.text(of: path, in: layers))
      if let value {
        lines.set(keys, to: Array(value.utf8), tenant: section)
      } else if !lines.remove(keys, tenant: section) {
        guard Configuration.Key.named(key) != nil else {
          let failure = ConfigurationError.Reason.unknownKey(
            Excerpt(Array(key.utf8).span), in: section == nil ? .project : .tenant)
          throw .notApplied(ConfigurationError(in: path, failure))
        }
        try Console.write(
          "\(VisibleText.escaping(path)): does not set \(key); nothing was changed\n")
        return nil
      }
      let edit = try ConfigurationEdit(lines.text, at: path, over: layers)
      for other in edit.overriding(keys, tenant: section, in: layers) {
        let what = value == nil ? "sets \(key), too" : "overrides this value of \(key)"
        Console.printError("warning: \(VisibleText.escaping(other)) \(what)")
      }
      return try ConfigWriting.write(edit)
    }
    try ConfigWriting.tellEffect(of: written)
  }
}

/// `mfa-admin config apply`
struct ConfigApplyCommand: ParsableCommand {
  static let configuration = command(
    "apply", "Apply settings from Identity Platform JSON.",
    """
    Reads the body of a REST call, with the member mfa (for a tenant: mfaConfig), or the object of \
    the Admin SDK, with the member multiFactorConfig. mfa-admin(8) shows each form.

    Writes \(String(decoding: IdentityPlatformFile.path, as: UTF8.self)). Changes only the \
    section of the project, or of the tenant given by --tenant. The body of a REST call replaces the settings, or \
    what --update-mask covers; an object changes the types of factors that it names. Tells which sign-ins are \
    decided in another way.
    """)

  @Option(help: ArgumentHelp("The tenant to configure, instead of the project.", valueName: "name"))
  var tenant: String?

  @Option(
    help: ArgumentHelp(
      "Change only these fields, as in the parameter updateMask of a REST call, such as mfa.state.",
      valueName: "fields"))
  var updateMask: String?

  @Flag(help: "Print what would be written, and change nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The file with the JSON or the object.", valueName: "file"))
  var file: String

  private func mask() throws(AdminError) -> IdentityPlatformMask? {
    try updateMask.map { (text) throws(AdminError) in
      try IdentityPlatformMask(text, isTenant: tenant != nil)
    }
  }

  func validate() throws(ValidationError) {
    do throws(AdminError) { _ = try mask() } catch {
      throw ValidationError("--update-mask: \(error.reason)")
    }
  }

  func run() throws(AdminError) {
    if !dryRun { try ThisHost.requireRoot() }
    let name = tenant.map { Array($0.utf8) }
    if let tenant, let name, !Tenant.isName(name.span) { throw .noSuchTenant(tenant) }
    let settings = try settings()
    for ignored in settings.ignored { Console.printError("note: ignored \(ignored)") }
    for note in settings.notes { Console.printError("note: \(note)") }
    let result: IdentityPlatformFile
    var written: ConfigWriting.Written?
    if dryRun {
      let before = PolicyEffect.policy(with: IdentityPlatformFile.path)
      result = try IdentityPlatformFile(settings, tenant: name, over: try ThisHost.layers())
      try Console.write(String(decoding: result.text, as: UTF8.self))
      var after = before
      after[nil] = .success(result.result)
      written = ConfigWriting.Written(before: before, after: after)
    } else {
      result = try IdentityPlatformFile.locking { () throws(AdminError) in
        let result = try IdentityPlatformFile(
          settings, tenant: name, over: try ThisHost.layers())
        let (administration, _) = try ThisHost.administration(needsConfiguration: false)
        let before = PolicyEffect.policy(with: IdentityPlatformFile.path)
        let mark = try administration.enterConfiguration(
          ConfigurationLines.header(name), of: IdentityPlatformFile.path)
        try result.write()
        ConfigWriting.log(IdentityPlatformFile.path, tenant: name, mark)
        Self.note(administration)
        written = ConfigWriting.Written(
          before: before, after: PolicyEffect.policy(with: IdentityPlatformFile.path))
        return result
      }
      try Console.write(
        "\(String(decoding: IdentityPlatformFile.path, as: UTF8.self)): written\n")
    }
    for type in result.unnamedTypes {
      Console.printError(
        "note: \(type.name) stays allowed, because "
          + (updateMask == nil
            ? "the object does not name it" : "the update mask does not cover it"))
    }
    if result.switchesPhonesOff {
      Console.printError(
        "warning: codes are no longer sent to phones, because the settings lack "
          + settings.listName)
    }
    if result.switchesAppsOff {
      Console.printError(
        "warning: codes of authenticator apps are no longer asked for, because the settings lack "
          + "providerConfigs with totpProviderConfig")
    }
    for note in result.result.notesAboutPhones { Console.printError("note: \(note)") }
    for (key, place) in result.overruled(tenant: name) {
      Console.printError(
        "warning: \(VisibleText.escaping(place)) overrides the new value of \(key.name)")
    }
    guard dryRun else { return try ConfigWriting.tellEffect(of: written) }
    guard Console.isRoot else {
      return Console.printError("note: as root, this command also tells the effect on sign-ins")
    }
    try ConfigWriting.tellEffect(of: written, to: Console.printError)
  }

  private func settings() throws(AdminError) -> IdentityPlatform {
    let text: [UInt8]
    do throws(SystemError) {
      text = try PlainFile.read(file, longest: Configuration.maximumLength).get()
    } catch {
      throw .unreadable(file, error)
    }
    guard text.count <= Configuration.maximumLength else {
      throw .notIdentityPlatform(file, "is longer than \(Configuration.maximumLength) bytes")
    }
    do throws(AdminError) {
      return try IdentityPlatform(text, isTenant: tenant != nil, mask: try mask())
    } catch {
      throw .notIdentityPlatform(file, error.member)
    }
  }

  /// Enters the fingerprint of the new configuration in the audit log. If the configuration cannot
  /// be read, the next sign-in or command that can read it enters the fingerprint.
  private static func note(_ administration: Administration) {
    do throws(ConfigurationError) {
      ThisHost.note(
        try ConfigurationFile.read().fingerprint, in: administration.store,
        by: administration.auditLogActor)
    } catch {
      Console.printError("warning: the new configuration is not in the audit log yet")
    }
  }
}

/// What the commands that write a file of the configuration have in common.
enum ConfigWriting {
  static var fileHelp: ArgumentHelp {
    ArgumentHelp("mfa.conf, or the name of a file in mfa.conf.d.", valueName: "file")
  }

  static func path(named name: String?) throws -> [UInt8] {
    guard let path = ConfigurationEdit.path(named: name) else {
      throw ValidationError("the file is mfa.conf, or a name such as 20-web.conf")
    }
    return path
  }

  /// What the configuration said before and after a file was written.
  struct Written {
    let before: PolicyEffect.Policy
    let after: PolicyEffect.Policy
  }

  /// Writes a new version, and says what it replaced and which mistakes of other files remain. Returns nil if the
  /// file has this text already.
  ///
  /// A store that cannot be used keeps nothing from being written: in an emergency, this command switches the
  /// second factor off.
  static func write(_ edit: ConfigurationEdit) throws(AdminError) -> Written? {
    let before = PolicyEffect.policy(with: edit.path)
    let place = VisibleText.escaping(edit.path)
    let isInPlace = try edit.isInPlace()
    if isInPlace {
      try Console.write("\(place): nothing was changed\n")
    } else {
      let mark = entered(edit.path)
      let old = try edit.write()
      log(edit.path, mark)
      note()
      try Console.write("\(place): written\n")
      if let old { try Console.write("\(VisibleText.escaping(old)): the version before\n") }
    }
    for warning in edit.warnings { Console.printError("warning: " + warning) }
    guard edit.otherMistakes.isEmpty else {
      report(edit.otherMistakes)
      throw .mistakes(edit.otherMistakes.count, inForce: true)
    }
    return isInPlace
      ? nil : Written(before: before, after: PolicyEffect.policy(with: edit.path))
  }

  /// Tells which sign-ins are decided in another way. The file is written, whatever happens here, and no lock is
  /// held: the prediction can take long on a host with many users.
  /// `write` gets each line, without a line feed, for a change that is not made.
  static func tellEffect(
    of written: Written?, to write: ((String) -> Void)? = nil
  ) throws(AdminError) {
    guard let written else { return }
    func tell(_ text: String) throws(AdminError) {
      guard let write else { return try Console.write(text) }
      for line in text.split(separator: "\n") { write("note: \(line)") }
    }
    guard written.before != written.after else { return try tell("no setting changed\n") }
    guard !ThisHost.belongsToRealm else { return ThisHost.noteRealmPolicy() }
    let effect: PolicyEffect
    do throws(AdminError) {
      effect = PolicyEffect.onThisHost(
        try HostSnapshot.ofThisHost(), from: written.before, to: written.after,
        accounts: try AccountSource.system.loginAccounts())
    } catch {
      return Console.printError(
        "warning: the effect on sign-ins is not known: \(error.message)")
    }
    try tell(write == nil ? TextWidth.wrapped(effect.text, to: Console.columns) : effect.text)
    for loss in effect.losses { Console.printError("warning: \(loss.sentence)") }
  }

  /// Prints mistakes, and how to correct them if a command does that.
  static func report(_ failures: [ConfigurationError]) {
    for failure in failures {
      Console.printError("error: " + AdminError.message(failure))
      if let remedy = AdminError.remedy(failure) { Console.printError("hint: " + remedy) }
    }
  }

  /// Enters the change in the audit log before it is made. A failure is a warning.
  private static func entered(_ path: [UInt8]) -> AuditLogCheckpoint? {
    do throws(AdminError) {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      return try administration.enterConfiguration(
        Array(path.split(separator: UInt8(ascii: "/")).last ?? []), of: path)
    } catch {
      Console.printError("warning: the change is not in the audit log: \(error.message)")
      return nil
    }
  }

  /// Enters the fingerprint of the new configuration in the audit log, if that is possible.
  private static func note() {
    do throws(AdminError) { _ = try ThisHost.administration(needsConfiguration: false) } catch {}
  }

  /// Writes the change to the system log and the kernel's audit trail.
  static func log(_ path: [UInt8], tenant: [UInt8]? = nil, _ mark: AuditLogCheckpoint?) {
    func addPlace(_ line: inout LogLine) {
      line.add("file", escaping: path)
      if let tenant { line.add("tenant", escaping: tenant) }
    }
    var record = LogLine()
    record.add("op", "mfa:configured")
    addPlace(&record)
    Audit.write(configuration: record, terminal: Console.terminal)
    var line = LogLine()
    line.add("result", "configured")
    addPlace(&line)
    line.add("by", escaping: Console.actor)
    if let mark { line.add("checkpoint", escaping: mark.text) }
    Log.write(.notice, line)
  }
}
