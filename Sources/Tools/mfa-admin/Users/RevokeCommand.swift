import MFAAdmin
import MFAModel
import ArgumentParser

/// `mfa-admin revoke`
struct RevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a user's factors.",
    discussion: """
      Without FACTOR and --all, revokes the user's only factor. --all also removes records that \
      cannot be read, or that belong to an account that no longer exists.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Revoke all factors, and remove everything else that is stored for the user.")
  var all = false

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  @OptionGroup var options: UserChangeOptions

  @Argument(help: "The factor: its id, at least the first 4 digits of its id, or its name.")
  var factor: String?

  func validate() throws {
    guard !all || factor == nil else {
      throw ValidationError("FACTOR and --all cannot be combined")
    }
  }

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: false)
    let revocation = try administrator.plan(all ? .everything : .factor(factor), of: options.user)
    if !yes {
      guard Console.canAsk else { throw .unconfirmed }
      guard Console.askForConfirmation(revocation.question) else { throw .declined }
    }
    var report = try options.change { _ throws(AdminError) in
      try administrator.revoke(revocation)
    }
    // The policy of a realm is on its verifiers.
    if report.leavesNoFactor, !ThisHost.belongsToRealm {
      report.effect = ThisHost.unenrolledSignIns(of: report.user)
    }
    Console.printError(report.entered)
    try options.write(report.json, report.sentence)
  }
}
