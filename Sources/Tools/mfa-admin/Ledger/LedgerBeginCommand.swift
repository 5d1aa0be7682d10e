import MFAAdmin
import MFAStore
import ArgumentParser

/// `mfa-admin ledger begin`
struct LedgerBeginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "begin",
    abstract: "Start a new audit log when the current one is damaged or missing.",
    discussion: """
      The files of the current audit log are kept under other names. The new audit log starts with \
      the reason and an entry for each stored record.

      First find out what happened to the current audit log. This command accepts every record as \
      it is: a user whose files were restored from an earlier copy regains the earlier factors.

      \(AdminStatus.explanation)
      """)

  @Option(
    help: ArgumentHelp("The reason, in one line. It becomes the first entry.", valueName: "text"))
  var reason: String

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  func validate() throws { _ = try grantReason(reason) }

  func run() throws {
    let reason = try grantReason(reason)
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    if !yes {
      guard Console.canAsk else { throw AdminError.unconfirmed }
      guard
        Console.askForConfirmation("start a new audit log, and accept every record as it is now?")
      else {
        throw AdminError.declined
      }
    }
    let beginning = try administration.beginLedger(reason: reason)
    try Console.write(beginning.text)
    guard beginning.unusable.isEmpty else {
      throw AdminError.unusableRecords(
        beginning.unusable.count, of: beginning.unusable.count + beginning.entered)
    }
  }
}
