import MFAAdmin
import MFAServices
import MFAModel
import ArgumentParser

/// `mfa-admin restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Roll back changes that 'enable' made and that were not confirmed in time.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Roll back all pending changes, as when the machine starts.")
  var boot = false

  @Flag(help: .hidden)
  var `guard` = false

  func run() throws {
    try ThisHost.requireRoot()
    if `guard` { return try RollbackWatcher.run() }
    guard !ChangeJournal.isEmpty else { return }
    try ChangeJournal.locking(seconds: 30) { (journal) throws(ChangeError) in
      var switching = ServiceCommand.switching(journal)
      // At boot, sshd is not running yet and needs no reload.
      if boot { switching.mayReload = false }
      let outcome = try switching.rollBackOverdueChanges(all: boot)
      for error in outcome.errors { ServiceSwitch.log(failure: error.message) }
      if let error = outcome.errors.first { throw error }
    }
  }
}
