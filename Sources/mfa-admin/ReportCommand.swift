import ArgumentParser
import FactorStore
import PAMStack
import Policy
import SignIn
import System

/// `mfa-admin report`
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Answer NIST SP 800-63B-4 and PCI DSS 4.0.1, item by item.",
    discussion: """
      Each item says what is asked for, whether the present settings and what is stored meet it, the \
      settings with their files and lines, and what was found. An item that something else decides on \
      is 'outside'. Any item that is not met is exit status 1.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    let (administration, _) = try ThisHost.administration(needsConfiguration: true)
    let policy: Configuration
    do throws(ConfigurationFile.Failure) {
      policy = try ConfigurationFile.read()
    } catch {
      throw .configuration(error)
    }
    let chart: Chart
    do throws(StackRefusal) { chart = try Chart(of: LocalExaminedHost()) } catch {
      throw .services(error)
    }
    var facts = try administration.reportFacts(of: try chart.stored.get())
    facts.hasMailer = Program.isThere(Delivery.mailer)
    facts.add(chart)
    let report = Report(policy, facts)
    try Console.write(
      json ? report.json.text + "\n" : report.text(columns: Console.columns))
    guard report.notMet == 0 else { throw .notMet(report.notMet, of: report.items.count) }
  }
}

extension Administration {
  /// Counts what is stored, and what the ledger says.
  func reportFacts(of users: [UserReport]) throws(AdminError) -> ReportFacts {
    var facts = ReportFacts()
    for user in users { facts.add(user, now: now) }
    let verification = try verifyLedger(expecting: nil, isBegunAnew: true) { facts.add($0) }
    facts.ledgerTrouble = verification.trouble?.sentence
    facts.unlisted = verification.unlisted
    facts.lastEntry = verification.reading.last.map { mark in
      let time = verification.last?.text("time") ?? "an unknown time"
      return "\(LedgerTrouble.text(mark)), of \(time)"
    }
    return facts
  }
}
