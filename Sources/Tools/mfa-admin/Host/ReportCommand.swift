import MFAAdmin
import MFADoctor
import MFAAttempt
import MFAStore
import MFAModel
import ArgumentParser
import MFABase

/// `mfa-admin report`
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Compare this host with NIST SP 800-63B-4 and PCI DSS 4.0.1, item by item.",
    discussion: """
      For each item, shows the requirement, whether the current settings and stored records meet \
      it, the settings with their files and lines, and the evidence. An item that this software \
      cannot decide is 'outside'. The exit status is 1 if an item is not met.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (administration, _) = try ThisHost.administration(needsConfiguration: true)
    let policy: Configuration
    do throws(ConfigurationFile.Failure) {
      policy = try DecidingUser.configuration()
    } catch {
      throw .configuration(error)
    }
    let snapshot = try HostSnapshot.ofThisHost()
    var facts = try administration.reportFacts(of: try snapshot.stored.get())
    facts.hasMailer = Program.isThere(Delivery.mailer)
    facts.add(snapshot)
    let report = Report(policy, facts)
    try Console.write(
      json ? report.json.text + "\n" : report.text(columns: Console.columns))
    guard report.notMet == 0 else { throw .notMet(report.notMet, of: report.items.count) }
  }
}
