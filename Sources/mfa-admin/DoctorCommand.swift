import ArgumentParser
import PAMStack
import Policy
import SignIn

/// `mfa-admin doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find what would turn people away who must enrol.",
    discussion: """
      Where people must enrol, or must once an offer is over, they do so in the account line of \
      pam_mfa.so. For each service in /etc/pam.d that asks pam_mfa.so in an auth line, and is not \
      certain to come to such an account line, there is a finding: the file and the line in the way, \
      and the line to write. A finding is exit status 1.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    guard Console.isRoot else {
      throw .notRoot(arguments: Array(CommandLine.arguments.dropFirst()))
    }
    let findings = try Self.findings()
    if json {
      try Console.write(JSON.object([("findings", .array(findings.map(\.json)))]).text + "\n")
    } else {
      for finding in findings {
        try Console.write("\(finding.place): \(finding.message)\n  \(finding.hint)\n")
      }
    }
    guard findings.isEmpty else { throw .findings(findings.count) }
  }

  private static func findings() throws(AdminError) -> [StackFinding] {
    let settings: Configuration
    do throws(ConfigurationFile.Failure) {
      settings = try ConfigurationFile.read()
    } catch {
      throw .configuration(error)
    }
    let stacks = InstalledStacks()
    do throws(StackRefusal) {
      return Doctor(configuration: settings, services: try stacks.services(), source: stacks)
        .findings
    } catch {
      throw .services(error)
    }
  }
}
