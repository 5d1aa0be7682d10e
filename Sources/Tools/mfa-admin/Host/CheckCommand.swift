import ArgumentParser
import MFAAdmin
import MFADoctor
import MFAServices
import MFABase

/// `mfa-admin check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check this host quietly, for monitoring.",
    discussion: """
      Makes the checks of 'mfa-admin doctor' and prints a line for each error and warning, and \
      nothing if there is none. mfa-check.timer runs it every hour. 'mfa-admin doctor' also says \
      what to do.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Flag(help: "Print the text format of Prometheus.")
  var prometheus = false

  @Option(
    help: ArgumentHelp(
      "Write to this file instead, which is replaced at once.", valueName: "file"))
  var output: String?

  func validate() throws {
    guard !json || !prometheus else {
      throw ValidationError("--json and --prometheus cannot be combined")
    }
    guard output?.hasPrefix("/") ?? true else {
      throw ValidationError("--output takes an absolute path")
    }
  }

  func run() throws {
    try ThisHost.requireRoot()
    let report = try report()
    let text = json ? report.json.text + "\n" : prometheus ? report.prometheus : report.text
    if let output {
      // Never replaces a device such as /dev/null, a link, or a file that others can write to.
      try ReportFile.write(Array(text.utf8), to: output)
    } else {
      try Console.write(text)
    }
    guard report.findings.isEmpty else { Console.end(.findings) }
  }

  private func report() throws(AdminError) -> CheckReport {
    let snapshot = try HostSnapshot.ofThisHost()
    do throws(SystemError) { return CheckReport(snapshot, at: try DoctorCommand.host.now()) } catch
    {
      throw .clock(error)
    }
  }
}
