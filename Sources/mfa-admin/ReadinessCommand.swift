import ArgumentParser
import Policy
import SignIn

/// `mfa-admin readiness`
struct ReadinessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readiness",
    abstract: "Say who could sign in if policy were enforced now, and who would be locked out.",
    discussion: """
      Looked at are root and the accounts from 1000 to 60000 that the system lists with a shell: for \
      the host, and for each tenant that names them, their groups or nobody in particular. \
      'state = observe' counts as 'enabled'. That somebody would be locked out is exit status 1.

      \(AdminStatus.explanation)
      """)

  @Option(help: ArgumentHelp("Look at this tenant alone.", valueName: "name"))
  var tenant: String?

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    let (administration, failure) = try ThisHost.administration(needsConfiguration: true)
    if let failure { throw failure }
    let policy: Configuration
    do throws(ConfigurationFile.Failure) {
      policy = try ConfigurationFile.read(ConfigurationFile.standardPath)
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
