import ArgumentParser
import MFAAdmin

/// `mfa-admin phone status`
struct PhoneStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the gateway, the messages of the last 24 hours, and the limits.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: true)
    let status = try administration.phoneStatus(try PhoneCommand.sends())
    try Console.write(json ? status.json.text + "\n" : status.text)
  }
}
