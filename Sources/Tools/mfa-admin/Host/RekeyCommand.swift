import MFAAdmin
import MFABase
import ArgumentParser

/// `mfa-admin rekey`
struct RekeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Replace the key that seals all records, while users sign in.",
    discussion: """
      Makes a new key, seals the data of every user with it, and then removes the earlier key. If the \
      command is interrupted, both keys stay in use until it is run again. Recovery codes, tickets and \
      bypass codes stay valid; remembered sign-ins end.

      Backups that were made before need the earlier key: if no copy of it is kept with them, copy \
      \(InstalledPath.key) first.

      \(AdminStatus.explanation)
      """)

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  @Flag(help: "Kill any process that blocks this command by holding a lock for too long.")
  var endHolder = false

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let isContinued = try administration.isKeyChanging()
    if !yes, !isContinued {
      guard Console.canAsk else { throw .unconfirmed }
      guard
        Console.askForConfirmation(
          "replace \(InstalledPath.key)? Backups made so far need the present key.")
      else { throw .declined }
    }
    let change: Administration.KeyChange
    do throws(AdminError) {
      change = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
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
