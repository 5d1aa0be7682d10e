import ArgumentParser
import MFAAdmin
import MFAAttempt
import MFABase
import MFAStore

/// `mfa-admin phone`
struct PhoneCommand: ParsableCommand {
  static let configuration = command(
    "phone", "Show and test how codes are sent to phones.",
    subcommands: [PhoneStatusCommand.self, PhoneResumeCommand.self, PhoneTestCommand.self])

  /// The messages that this host sent.
  static func sends() throws(AdminError) -> SendLog {
    guard let location = StoreLocation.standard else { throw .store(.damaged(.directory)) }
    return SendLog(location, log: { Log.write(.warning, $0) })
  }
}

/// `mfa-admin phone status`
struct PhoneStatusCommand: ParsableCommand {
  static let configuration = command(
    "status", "Show the gateway, the messages of the last 24 hours, and the limits.")

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: true)
    let status = try administration.phoneStatus(try PhoneCommand.sends())
    try Console.write(json ? status.json.text + "\n" : status.text)
  }
}

/// `mfa-admin phone test`
struct PhoneTestCommand: ParsableCommand {
  static let configuration = command(
    "test", "Send a test message, without a code, to a phone.",
    """
    The message counts for the limits of the host, and the command is recorded in the audit log with \
    the last two digits of the number. Other users of this host can see the number while the command \
    runs.
    """)

  @Argument(help: ArgumentHelp("The phone number, such as +15105551234.", valueName: "number"))
  var number: String

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: true)
    try administration.sendTest(to: Array(number.utf8), try PhoneCommand.sends())
    try Console.write("the gateway accepted the message\n")
  }
}

/// `mfa-admin phone resume`
struct PhoneResumeCommand: ParsableCommand {
  static let configuration = command(
    "resume", "Send codes again after too few came back.",
    """
    If users do not type the codes that are sent (phone_breaker in mfa.conf(5)), sending stops for an \
    hour: the messages may not arrive, or an attacker requests them. This command ends the stop. The \
    messages sent so far no longer count for it.
    """)

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: false)
    try administration.resumeSending(try PhoneCommand.sends())
    try Console.write("codes are sent again\n")
  }
}
