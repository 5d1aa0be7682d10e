import MFAAdmin
import MFAServices
import MFAModel
import ArgumentParser

/// `mfa-admin confirm`
struct ConfirmCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Keep the changes that 'enable' made.",
    discussion: """
      Run this command from a sign-in through the enabled service. The sign-in must have begun \
      after the change: it proves that users can still sign in. For sudo and su, that sign-in is \
      'sudo mfa-admin confirm' or 'su -c "mfa-admin confirm"'.

      \(AdminStatus.explanation)
      """)

  @Flag(
    help: "Confirm from a sign-in that is exempt from codes, such as that of a program.")
  var unattended = false

  func run() throws {
    try ThisHost.requireRoot()
    try ChangeJournal.locking(seconds: 10) { (journal) throws(ChangeError) in
      let switching = ServiceCommand.switching(journal)
      for error in try switching.rollBackOverdueChanges().errors {
        Console.printError("warning: \(error.message)")
      }
      let (confirmed, waiting) = try switching.confirm(isUnattended: unattended)
      for service in confirmed { ServiceCommand.say("\(service): confirmed") }
      for (service, reason) in waiting {
        ServiceCommand.say("\(service): still waiting for confirmation: \(reason)")
      }
    }
  }
}
