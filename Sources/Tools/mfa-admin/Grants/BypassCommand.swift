import MFAAdmin
import MFAAttempt
import MFAModel
import ArgumentParser

/// `mfa-admin bypass`
struct BypassCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bypass", abstract: "Create a code for a user without access to any factor.",
    discussion: """
      The code is accepted in place of a one-time code, under the same rules. First make sure that \
      the request really comes from the user.

      \(AdminStatus.explanation)
      """)

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long the code is valid: 1m to 30d.", valueName: "time"))
  var duration: GrantDuration = .minutes(30)

  @Option(help: "How many sign-ins the code is valid for: 1 to 20.")
  var uses: UInt8 = 1

  @Option(help: "The reason, for the log and for the user.")
  var reason: String

  @OptionGroup var options: UserChangeOptions

  func validate() throws {
    guard UserChange.GrantTerms.numbersOfUses.contains(uses) else {
      throw ValidationError("--uses takes 1 to 20")
    }
    _ = try grantReason(reason)
  }

  func run() throws {
    let reason = try grantReason(reason)
    let administrator = try ThisHost.userAdministrator(needsConfiguration: true)
    let made = try options.change { user throws(AdminError) in
      try administrator.grant(.bypass, to: user, for: duration, uses: uses, reason: reason)
    }
    try Console.write(made, asJSON: options.json)
  }
}
