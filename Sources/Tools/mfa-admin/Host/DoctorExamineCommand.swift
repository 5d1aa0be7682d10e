import ArgumentParser
import MFAAdmin
import MFADoctor
import MFAModel

/// `mfa-admin doctor examine`, and `mfa-admin doctor` without a subcommand
struct DoctorExamineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "examine", abstract: "Examine this host (the default).",
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
    let diagnosis = Diagnosis(snapshot, at: try ThisHost.now())
    let findings = diagnosis.findings
    let services = snapshot.servicesWithModule.map(\.visibleName)
    if json {
      let text = JSON.object([
        ("services", .array(services.map { .string($0) })),
        ("findings", .array(findings.map(\.json))),
        (
          "accepted",
          .array(
            diagnosis.accepted.map { accepted in
              .object([
                ("finding", accepted.finding.json), ("reason", .string(accepted.acceptance.reason)),
                ("by", .string(accepted.acceptance.actor)),
                ("until", JSON(Timestamp(accepted.acceptance.end)?.iso8601)),
              ])
            })
        ),
      ]).text
      try Console.write(text + "\n")
    } else {
      for finding in findings {
        try Console.write(TextWidth.wrapped(finding.text, to: Console.columns))
      }
      if !diagnosis.accepted.isEmpty {
        try Console.write(
          "accepted: \(diagnosis.accepted.count) (mfa-admin doctor accepted shows them)\n")
      }
      if !services.isEmpty {
        try Console.write("checked: \(services.joined(separator: ", "))\n")
      }
    }
    guard diagnosis.errors + diagnosis.warnings == 0 else {
      throw .findings(errors: diagnosis.errors, warnings: diagnosis.warnings)
    }
  }
}
