import MFAAdminCore
import MFAAdminOutput
import MFADoctor
import MFAFactors
import ArgumentParser

/// `mfa-admin doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find problems that lock users out or let them sign in without a code.",
    discussion: """
      Checks the PAM stacks that use pam_mfa.so, the effective settings of sshd, the systemd \
      units, the store, the clock, and the permissions of installed files. Each finding names \
      the file and line, the effect, the users concerned and the remedy. mfa-admin(8) lists the \
      findings. Nothing is changed.

      \(AdminStatus.explanation)
      """)

  @Option(
    name: .customLong("user"),
    help: ArgumentHelp(
      "Also check sshd's settings for this user, because of Match lines; may be repeated.",
      valueName: "name"))
  var users: [String] = []

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    try ThisHost.requireRoot()
    var names: [UserName] = []
    for user in users {
      guard let name = UserName(Array(user.utf8)) else { throw .notAUserName(user) }
      names.append(name)
    }
    let snapshot = try HostSnapshot.ofThisHost(users: names)
    let findings = Doctor.findings(on: snapshot)
    let services = snapshot.servicesWithModule.map(\.visibleName)
    if json {
      let text = JSON.object([
        ("services", .array(services.map { .string($0) })),
        ("findings", .array(findings.map(\.json))),
      ]).text
      try Console.write(text + "\n")
    } else {
      for finding in findings { try Console.write(finding.text) }
      if !services.isEmpty {
        try Console.write("checked: \(services.joined(separator: ", "))\n")
      }
    }
    let errors = findings.count { $0.severity == .error }
    let warnings = findings.count { $0.severity == .warning }
    guard errors + warnings == 0 else { throw .findings(errors: errors, warnings: warnings) }
  }
}
