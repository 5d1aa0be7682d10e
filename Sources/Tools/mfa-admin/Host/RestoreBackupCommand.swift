import MFAAdmin
import MFABase
import ArgumentParser

/// `mfa-admin restore-backup`
struct RestoreBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore-backup",
    abstract: "Put a backup of the store back. ('restore' rolls back services.)",
    discussion: """
      The whole backup is read and verified before anything is changed. No code from before the command \
      is accepted afterwards. Recovery codes become void, because it is not known which were used after \
      the backup. The configuration is not changed; tar -xf unpacks that of the backup.

      \(AdminStatus.explanation)
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

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  @Argument(help: "The backup, an absolute path.")
  var file: String

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    if !yes {
      guard Console.canAsk else { throw .unconfirmed }
      guard
        Console.askForConfirmation(
          "put the backup \(VisibleText.escaping(file)) in the place of what is stored?")
      else { throw .declined }
    }
    let report = try administration.restoreBackup(
      Administration.BackupRestoration(
        path: file, keyPath: key, replaces: replace, keepsRecoveryCodes: keepRecoveryCodes,
        earlierStorePath: "\(InstalledPath.store).before-restore-\(administration.now).tar",
        adjacentIntervals: ThisHost.mostAdjacentIntervals))
    try Console.write(report.text)
    guard report.refused.isEmpty else {
      throw .unusableRecords(report.refused.count, of: report.refused.count + report.restored)
    }
  }
}
