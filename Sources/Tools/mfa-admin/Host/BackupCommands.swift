import ArgumentParser
import MFAAdmin
import MFAAttempt
import MFABase
import MFADoctor
import MFAServices
import MFAStore

/// `mfa-admin backup`
struct BackupCommand: ParsableCommand {
  static let configuration = command(
    "backup", "Copy the store and the configuration into one file, while users sign in.",
    """
    The file is a tar archive that only root can read. Without --with-key it does not contain \
    \(InstalledPath.key), without which the secrets in it cannot be read and the backup cannot be \
    restored: keep a copy of the key in another place. 'mfa-admin restore-backup' puts the backup \
    back.
    """)

  @Flag(help: "Put the key into the backup: anyone who reads it learns all secrets.")
  var withKey = false

  @Option(
    help: ArgumentHelp("Write the key to this file, an absolute path.", valueName: "file"))
  var keyTo: String?

  @Flag(help: "Replace files that exist.")
  var overwrite = false

  @Argument(help: "The backup, an absolute path in a folder that only root may change.")
  var file: String

  func validate() throws {
    guard !withKey || keyTo == nil else {
      throw ValidationError("--with-key and --key-to cannot be combined")
    }
  }

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: false)
    let key: Administration.BackupKey =
      if let keyTo { .file(keyTo) } else { withKey ? .included : .apart }
    let report = try LockedStore.run(ending: false) { () throws(AdminError) in
      try administration.backUp(
        to: file, key: key, overwriting: overwrite, services: Self.services)
    }
    try Console.write(report.text)
  }
}

extension BackupCommand {
  /// The services that `mfa-admin enable` has enabled, each with its options.
  private static var services: [String] {
    guard case .success(let recorded) = DoctorCommand.host.recordedServices() else { return [] }
    return recorded.map { service in
      let name = String(decoding: service.name, as: UTF8.self)
      guard ServicePlan.concernsSecureShell(service.name),
        let factors = SecureShellFactors.present, factors != .usual
      else { return name }
      return ([name] + factors.arguments).joined(separator: " ")
    }
  }
}

/// `mfa-admin restore-backup`
struct RestoreBackupCommand: ParsableCommand {
  static let configuration = command(
    "restore-backup", "Put a backup of the store back. ('restore' rolls back services.)",
    """
    The whole backup is read and verified before anything is changed. Where the store that is replaced \
    does not know which codes were used, no code from before the command is accepted afterwards: users wait about \
    three minutes. Recovery codes become void, because it is not known which were used after \
    the backup. Services are not enabled; those that asked for a code are named.
    """)

  @Option(
    help: ArgumentHelp(
      "The file with the key of the backup, if neither the backup nor the host has it.",
      valueName: "file"))
  var key: String?

  @Flag(help: "Replace a store that has records. It is backed up first.")
  var replace = false

  @Flag(
    help: "Keep recovery codes valid, although some may have been used after the backup.")
  var keepRecoveryCodes = false

  @Flag(
    help: ArgumentHelp(
      "Also write the configuration of the backup. Each file that it replaces is kept, with the ending "
        + ".old; other files stay."))
  var configuration = false

  @OptionGroup var confirmation: Confirmation

  @Argument(help: "The backup, an absolute path.")
  var file: String

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: false)
    try confirmation.require(
      "put the backup \(VisibleText.escaping(file)) in the place of what is stored?")
    let report = try administration.restoreBackup(
      Administration.BackupRestoration(
        path: file, keyPath: key, replaces: replace, keepsRecoveryCodes: keepRecoveryCodes,
        earlierStorePath: "\(InstalledPath.store).before-restore-\(administration.now).tar",
        adjacentIntervals: ThisHost.mostAdjacentIntervals))
    try Console.write(report.text)
    if configuration {
      try write(report.configuration)
    } else {
      try Console.write(
        "The configuration was not changed; --configuration writes that of the backup.\n")
    }
    guard report.refused.isEmpty else {
      throw .unusableRecords(report.refused.count, of: report.refused.count + report.restored)
    }
  }
}

extension RestoreBackupCommand {
  /// Writes the files of a configuration, as `mfa-admin config write` does.
  private func write(_ files: [ConfigurationFile.Layer]) throws(AdminError) {
    for layer in files {
      let name = String(decoding: layer.path, as: UTF8.self)
      guard let path = ConfigurationEdit.path(named: name) else {
        throw .backup(.damaged(file, at: name))
      }
      _ = try IdentityPlatformFile.locking { () throws(AdminError) in
        try ConfigWriting.write(
          try ConfigurationEdit(layer.text, at: path, over: try ConfigurationEdit.layers()))
      }
    }
  }
}

/// `mfa-admin rekey`
struct RekeyCommand: ParsableCommand {
  static let configuration = command(
    "rekey", "Replace the key that seals all records, while users sign in.",
    """
    Makes a new key, seals the data of every user with it, and then removes the earlier key. If the \
    command is interrupted, both keys stay in use until it is run again. Recovery codes, tickets and \
    bypass codes stay valid; remembered sign-ins end.

    Backups that were made before need the earlier key: if no copy of it is kept with them, copy \
    \(InstalledPath.key) first.
    """)

  @OptionGroup var confirmation: Confirmation

  @OptionGroup var lock: LockOption

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: false)
    let isContinued = try administration.isKeyChanging()
    if !isContinued {
      try confirmation.require(
        "replace \(InstalledPath.key)? Backups made so far need the present key.")
    }
    let change: Administration.KeyChange
    do throws(AdminError) {
      change = try LockedStore.run(ending: lock.endHolder) { () throws(AdminError) in
        try administration.rekey(progress: Console.progress)
      }
    } catch {
      warnIfIncomplete(administration)
      throw error
    }
    try Console.write(change.sentence + "\n")
  }

  private func warnIfIncomplete(_ administration: Administration) {
    do throws(AdminError) {
      guard try administration.isKeyChanging() else { return }
      Console.printError(
        "WARNING: the change of the key is not complete, and both keys stay in use: users can sign in; "
          + "run mfa-admin rekey again")
    } catch {
      // The error that ended the command says why the key cannot be read.
    }
  }
}

/// `mfa-admin adopt-store`
struct AdoptStoreCommand: ParsableCommand {
  static let configuration = command(
    "adopt-store", "Make the present store this host's own, after it was lost, moved or put back.",
    """
    All sign-ins are denied while \(InstalledPath.store) is missing, empty, older, or from another \
    machine than \(InstalledPath.storeIdentity) says. This command says how the present store differs \
    and what it means to use it, asks for confirmation, creates what is missing, and records the change \
    in the audit log.
    """)

  @OptionGroup var confirmation: Confirmation

  func run() throws(AdminError) {
    try ThisHost.requireRoot()
    guard let store = try ThisHost.storeToAdopt() else {
      try Console.write("\(InstalledPath.store) is this host's own store; nothing was changed\n")
      return
    }
    guard !store.isUnreadable else { throw .store(.foreign(.otherKey)) }
    try Console.write(store.meaning)
    try confirmation.require("use \(InstalledPath.store) as it is now?")
    try ThisHost.makeStore()
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let checkpoint = try administration.adoptStore(store.difference)
    try Console.write(
      "\(InstalledPath.store) is this host's own store now (audit log entry \(checkpoint.number))\n"
    )
  }
}

/// `mfa-admin prepare-image`
struct PrepareImageCommand: ParsableCommand {
  static let configuration = command(
    "prepare-image", "Remove what must differ between machines, before this system is cloned.",
    """
    Removes the sealing key, all factors with the audit log, the break-glass code, and the membership \
    in a realm with its certificate. The configuration and the lines of services stay. The first start of each clone \
    creates a key and an empty store of its own. Until then, all sign-ins that use the module are \
    denied, so shut the system down afterwards.
    """)

  @OptionGroup var confirmation: Confirmation

  func run() throws(AdminError) {
    try ThisHost.requireRoot()
    try confirmation.require(
      "remove \(InstalledPath.key), all users' factors and the membership in a realm from this system, "
        + "and deny all sign-ins until it starts again?")
    try ThisHost.prepareImage()
    try Console.write(
      """
      The first start of each clone makes a new key and an empty store.
      Also remove what else must differ, such as /etc/machine-id and the host keys of sshd, and shut down.

      """)
  }
}

/// `mfa-admin break-glass`
struct BreakGlassCommand: ParsableCommand {
  static let configuration = command(
    "break-glass", "Prepare a code for the time in which the store cannot be used.",
    """
    While the file system of the store is read-only or broken, no code of a factor can be verified. \
    The users that this command names then sign in with the break-glass code in its place, at \
    services that root runs. The code is printed once: keep it on paper. Each call makes a new code.
    """)

  @Flag(help: "Remove the code.")
  var remove = false

  @Argument(help: ArgumentHelp("The users who may use the code.", valueName: "user"))
  var users: [String] = []

  func validate() throws {
    guard remove == users.isEmpty else {
      throw ValidationError(
        remove ? "--remove takes no users" : "name the users who may use the code, or use --remove")
    }
  }

  func run() throws(AdminError) {
    try ThisHost.requireRoot()
    guard !remove else {
      let wasThere = try BreakGlassCode.remove()
      if wasThere { BreakGlassCode.log("break-glass-removed", users: []) }
      return try Console.write(
        wasThere ? "the break-glass code is removed\n" : "there was no break-glass code\n")
    }
    try ThisHost.refuseInRealm()
    var names: [[UInt8]] = []
    for user in users { names.append(try BreakGlassCode.name(of: user)) }
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let code = try BreakGlassCode.make(for: names) { () throws(AdminError) in
      try administration.enterBreakGlass(for: names)
    }
    BreakGlassCode.log("break-glass-made", users: names)
    try Console.write(secret: code)
    try Console.write("\n")
    Console.printError(
      "the code is not shown again, and is valid until another one is made: make one after each use"
    )
  }
}
