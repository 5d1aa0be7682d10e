import MFAAdmin
import MFAModel
import ArgumentParser

/// `mfa-admin ticket`
struct TicketCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ticket", abstract: "Create a ticket for a user to enrol without a password.",
    discussion: """
      For users who sign in with a key alone. The ticket is valid once, in place of the password, \
      when 'mfa-enroll --ticket' asks for it. A user with a factor must give a code as well.

      \(AdminStatus.explanation)
      """)

  @Option(
    help: ArgumentHelp("How long the ticket is valid: 1m to 30d.", valueName: "time"))
  var valid: GrantDuration = .hours(24)

  @Option(help: "The reason, for the log and for the user.")
  var reason: String?

  @OptionGroup var options: UserChangeOptions

  func validate() throws { _ = try reason.map { try grantReason($0) } }

  func run() throws {
    let reason = try reason.map { try grantReason($0) }
    let administrator = try ThisHost.userAdministrator(needsConfiguration: true)
    let made = try options.change { user throws(AdminError) in
      try administrator.grant(.ticket, to: user, for: valid, uses: 1, reason: reason)
    }
    try Console.write(made, asJSON: options.json)
  }
}
