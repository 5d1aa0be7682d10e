import ArgumentParser
import Factors
import PAMStack

/// `mfa-admin doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find what keeps people out, or lets them in without a code.",
    discussion: """
      Reads the PAM stacks that ask pam_mfa.so, what sshd says of its settings, the units of \
      systemd, the store, the clock and the permissions of all that is installed. For each finding it \
      names the file and the line, what happens and to whom, and the remedy. mfa-admin(8) lists the \
      findings. Nothing is changed.

      \(AdminStatus.explanation)
      """)

  @Option(
    name: .customLong("user"),
    help: ArgumentHelp(
      "Ask sshd about this user too, for Match lines; may be given several times.",
      valueName: "name"))
  var users: [String] = []

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    guard Console.isRoot else {
      throw .notRoot(arguments: Array(CommandLine.arguments.dropFirst()))
    }
    var names: [UserName] = []
    for user in users {
      guard let name = UserName(Array(user.utf8)) else { throw .notAUserName(user) }
      names.append(name)
    }
    let chart: Chart
    do throws(StackRefusal) {
      chart = try Chart(of: LocalExaminedHost(), users: names)
    } catch {
      throw .services(error)
    }
    let findings = Doctor.findings(on: chart)
    let services = chart.asked.map(\.visibleName)
    if json {
      let text = JSON.object([
        ("services", .array(services.map { .string($0) })),
        ("findings", .array(findings.map(\.json))),
      ]).text
      try Console.write(text + "\n")
    } else {
      for finding in findings { try Console.write(finding.text) }
      if !services.isEmpty {
        try Console.write("looked at: \(services.joined(separator: ", "))\n")
      }
    }
    let errors = findings.count { $0.severity == .error }
    let warnings = findings.count { $0.severity == .warning }
    guard errors + warnings == 0 else { throw .findings(errors: errors, warnings: warnings) }
  }
}
