import MFAAdminCore
import MFAAdminOutput
import MFADoctor
import MFAConfiguration
import MFAPolicy
import ArgumentParser

/// `mfa-admin readiness`
struct ReadinessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readiness",
    abstract: "Show which users could sign in, or would be locked out, if policy were enforced.",
    discussion: """
      Checks root, and the accounts with a shell and a UID from 1000 to 60000: for the host, and \
      for each tenant that selects them, their groups, or no users at all. 'state = observe' \
      counts as 'enabled'. The exit status is 1 if a user would be locked out.

      \(AdminStatus.explanation)
      """)

  @Option(help: ArgumentHelp("Check only this tenant.", valueName: "name"))
  var tenant: String?

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    let (administration, failure) = try ThisHost.administration(needsConfiguration: true)
    if let failure { throw failure }
    let policy: Configuration
    do throws(ConfigurationFile.Failure) {
      policy = try ConfigurationFile.read()
    } catch {
      throw .configuration(error)
    }
    let readiness = try administration.readiness(
      under: policy, tenant: tenant.map { Array($0.utf8) }, progress: Console.progress
    ) { account, group in account.isMember(of: group) }
    try Console.write(json ? readiness.json.text + "\n" : readiness.text)
    let count = readiness.lockedOut.count
    guard count == 0 else { throw .lockedOut(count, of: readiness.accounts) }
  }
}
