import ArgumentParser
import MFAAdmin

/// `mfa-admin phone test`
struct PhoneTestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Send a test message, without a code, to a phone.",
    discussion: """
      The message counts for the limits of the host, and the command is recorded in the audit log with \
      the last two digits of the number. Other users of this host can see the number while the command \
      runs.

      \(AdminStatus.explanation)
      """)

  @Argument(help: ArgumentHelp("The phone number, such as +15105551234.", valueName: "number"))
  var number: String

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: true)
    try administration.sendTest(to: Array(number.utf8), try PhoneCommand.sends())
    try Console.write("the gateway accepted the message\n")
  }
}
