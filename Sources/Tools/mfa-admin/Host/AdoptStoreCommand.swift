import MFAAdmin
import MFABase
import MFAStore
import ArgumentParser

/// `mfa-admin adopt-store`
struct AdoptStoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt-store",
    abstract: "Make the present store this host's own, after it was lost, moved or put back.",
    discussion: """
      All sign-ins are denied while \(InstalledPath.store) is missing, empty, older, or from another \
      machine than \(InstalledPath.storeIdentity) says. This command says how the present store differs \
      and what it means to use it, asks for confirmation, creates what is missing, and records the change \
      in the audit log.

      \(AdminStatus.explanation)
      """)

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    guard let store = try ThisHost.storeToAdopt() else {
      try Console.write("\(InstalledPath.store) is this host's own store; nothing was changed\n")
      return
    }
    guard !store.isUnreadable else { throw .store(.foreign(.otherKey)) }
    try Console.write(store.meaning)
    if !yes {
      guard Console.canAsk else { throw .unconfirmed }
      guard Console.askForConfirmation("use \(InstalledPath.store) as it is now?") else {
        throw .declined
      }
    }
    try ThisHost.makeStore()
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let checkpoint = try administration.adoptStore(store.difference)
    try Console.write(
      "\(InstalledPath.store) is this host's own store now (audit log entry \(checkpoint.number))\n"
    )
  }
}
