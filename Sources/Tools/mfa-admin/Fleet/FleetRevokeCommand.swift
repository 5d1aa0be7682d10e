import ArgumentParser
import MFAAdmin
import MFAStore

/// `mfa-admin fleet revoke`
struct FleetRevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke all certificates of a host.",
    discussion: """
      The verifiers refuse the host from its next request on. Its tickets admit it no more.

      \(AdminStatus.explanation)
      """)

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  @Argument(help: "The name of the host.")
  var host: String

  func run() throws(AdminError) {
    let realm = try ThisHost.requiredRealm()
    if !yes {
      guard Console.canAsk else { throw .unconfirmed }
      guard Console.askForConfirmation("revoke the host \(VisibleText.escaping(host))?") else {
        throw .declined
      }
    }
    let mark = try realm.revokeHost(host)
    let entry = mark.map { "; entry \(String(decoding: $0.text, as: UTF8.self)) of the audit log" }
    try Console.write("\(VisibleText.escaping(host)): revoked\(entry ?? "")\n")
  }
}
