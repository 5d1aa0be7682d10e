import ArgumentParser
import MFAAdminCore
import MFAAdminOutput

/// `mfa-admin fleet finalize`
struct FleetFinalizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finalize",
    abstract: "Write what only the present version of the verifiers can read.",
    discussion: """
      Run it when all verifiers are upgraded: 'mfa-admin fleet status' shows their versions. From then on, a \
      verifier of an earlier version refuses every request, and an upgrade cannot be undone.

      \(AdminStatus.explanation)
      """)

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  func run() throws(AdminError) {
    let realm = try ThisHost.requiredRealm()
    if !yes {
      guard Console.canAsk else { throw .unconfirmed }
      try Console.write(FleetReport.verifiers(of: try realm.state()))
      guard Console.askForConfirmation("are all verifiers upgraded? It cannot be undone") else {
        throw .declined
      }
    }
    let format = try realm.finalize()
    try Console.write(
      format.before == format.present
        ? "the realm already has format \(format.present), the newest one of the verifiers\n"
        : "the format of the realm is now \(format.present), and was \(format.before)\n")
  }
}
