import MFAAdmin
import MFABase
import ArgumentParser

/// `mfa-admin backup`
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the store and the configuration into one file, while users sign in.",
    discussion: """
      The file is a tar archive that only root can read. Without --with-key it does not contain \
      \(InstalledPath.key), without which the secrets in it cannot be read and the backup cannot be \
      restored: keep a copy of the key in another place. 'mfa-admin restore-backup' puts the backup \
      back.

      \(AdminStatus.explanation)
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
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let key: Administration.BackupKey =
      if let keyTo { .file(keyTo) } else { withKey ? .included : .apart }
    let report = try LockedStore.run(ending: false) { () throws(AdminError) in
      try administration.backUp(to: file, key: key, overwriting: overwrite)
    }
    try Console.write(report.text)
  }
}
