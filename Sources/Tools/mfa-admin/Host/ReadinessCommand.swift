import MFAAdminCore
import MFAAdminOutput
import MFADoctor
import MFAExplain
import MFAPAMStack
import MFAConfiguration
import MFAPolicy
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
    var readiness = try administration.readiness(
      under: policy, tenant: tenant.map { Array($0.utf8) }, progress: Console.progress
    ) { account, group in account.isMember(of: group) }
    if tenant == nil { readiness.denied = try denied(readiness) }
    try Console.write(json ? readiness.json.text + "\n" : readiness.text)
    let count = readiness.lockedOut.count
    guard count == 0 else { throw .lockedOut(count, of: readiness.accounts) }
  }

  /// Returns the sign-ins that would be denied at the services that call the module.
  private func denied(_ readiness: Readiness) throws(AdminError) -> [Readiness.DeniedSignIn] {
    let host = LocalExaminedHost()
    let services: [ServiceWithModule]
    do throws(StackRefusal) { services = try ExaminedServices(of: host).withModule } catch {
      throw .services(error)
    }
    let usesSSH = services.contains { $0.name == Array("sshd".utf8) }
    let root = usesSSH ? SSHDView.settings(ofUser: "root", on: host) : nil
    var seen: Set<[UInt8]> = []
    let accounts = readiness.scopes.flatMap(\.accounts).filter { seen.insert($0.name).inserted }
    return DeniedSignIns.onThisHost(
      accounts, at: services, mayRootUseSSH: root?.value(of: "permitrootlogin") == "yes",
      progress: Console.progress)
  }
}
