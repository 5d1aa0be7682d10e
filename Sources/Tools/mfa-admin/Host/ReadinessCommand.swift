import MFAAdmin
import MFADoctor
import MFAPAMStack
import MFAAttempt
import MFAModel
import ArgumentParser

/// `mfa-admin readiness`
struct ReadinessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readiness",
    abstract: "Show which users could sign in, or would be locked out, if policy were enforced.",
    discussion: """
      Predicts the sign-ins at each service that calls pam_mfa.so, as 'mfa-admin explain' does, and \
      what policy says elsewhere. Checks root, and the accounts with a shell and a UID from 1000 to 60000: for the host, and \
      for each tenant that selects them, their groups, or no users at all. 'state = observe' \
      counts as 'enabled'. The exit status is 1 if a user would be locked out, or if a service requires \
      nothing before the code.

      \(AdminStatus.explanation)
      """)

  @Option(help: ArgumentHelp("Check only this tenant.", valueName: "name"))
  var tenant: String?

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (administration, failure) = try ThisHost.administration(needsConfiguration: true)
    if let failure { throw failure }
    let host = DoctorCommand.host
    let policy: Configuration
    do throws(ConfigurationFile.Failure) {
      policy = try DecidingUser.configuration()
    } catch {
      throw .configuration(error)
    }
    let question = Readiness.Question(
      accounts: try administration.loginAccounts(), services: try services(of: host),
      tenant: tenant.map { Array($0.utf8) })
    var readiness = try Readiness.onThisHost(
      question, under: policy, rules: HostRules(of: host), progress: Console.progress)
    readiness.withoutFirstFactor = Doctor.waysWithoutFirstFactor(
      on: try HostSnapshot.ofThisHost())
    try Console.write(
      json ? readiness.json.text + "\n" : readiness.text(columns: Console.columns))
    let count = readiness.lockedOut.count
    guard count == 0 else { throw .lockedOut(count, of: readiness.accounts) }
    guard readiness.withoutFirstFactor.isEmpty else {
      throw .firstFactorMissing(readiness.withoutFirstFactor.count)
    }
  }

  /// Returns the services whose stacks call the module, or are meant to.
  private func services(of host: LocalExaminedHost) throws(AdminError) -> [[UInt8]] {
    do throws(StackRefusal) { return try ExaminedServices(of: host).meantToAsk } catch {
      throw .services(error)
    }
  }
}
