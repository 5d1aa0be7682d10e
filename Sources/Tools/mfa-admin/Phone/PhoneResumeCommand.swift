import ArgumentParser
import MFAAdmin

/// `mfa-admin phone resume`
struct PhoneResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Send codes again after too few came back.",
    discussion: """
      If users do not type the codes that are sent (phone_breaker in mfa.conf(5)), sending stops for an \
      hour: the messages may not arrive, or an attacker requests them. This command ends the stop. The \
      messages sent so far no longer count for it.

      \(AdminStatus.explanation)
      """)

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    try administration.resumeSending(try PhoneCommand.sends())
    try Console.write("codes are sent again\n")
  }
}
