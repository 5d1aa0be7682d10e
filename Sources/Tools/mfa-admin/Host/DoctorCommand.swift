import ArgumentParser
import MFAAdmin
import MFABase
import MFADoctor
import MFAModel
import MFAPAMStack
import MFAServices

/// `mfa-admin doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = command(
    "doctor", "Find problems that lock users out or let them sign in without a code.",
    """
    Without a subcommand, examines this host; 'mfa-admin doctor examine --help' shows the options. \
    A finding that is intended can be accepted for some time, so that a sound host is silent.
    """,
    subcommands: [
      DoctorExamineCommand.self, DoctorAcceptCommand.self, DoctorAcceptedCommand.self,
      DoctorExemptionsCommand.self, DoctorWithdrawCommand.self,
    ], defaultSubcommand: DoctorExamineCommand.self)

  /// This machine, with the records of enabled services and accepted findings.
  static var host: LocalExaminedHost {
    LocalExaminedHost(recorded: RecordedService.all, accepted: AcceptanceFile.read)
  }
}

/// `mfa-admin doctor examine`, and `mfa-admin doctor` without a subcommand
struct DoctorExamineCommand: ParsableCommand {
  static let configuration = command(
    "examine", "Examine this host (the default).",
    """
    Checks the PAM stacks that use pam_mfa.so, the effective settings of sshd, the systemd \
    units, the store, the clock, and the permissions of installed files. Each finding names \
    the file and line, the effect, the users concerned and the remedy. mfa-admin(8) lists the \
    findings. Nothing is changed.
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
              .object([("finding", accepted.finding.json)] + members(of: accepted.acceptance))
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

/// Returns what the JSON about a finding says of its acceptance.
private func members(of acceptance: Acceptance) -> [(String, JSON)] {
  [
    ("reason", .string(acceptance.reason)), ("by", .string(acceptance.actor)),
    ("until", JSON(Timestamp(acceptance.end)?.iso8601)),
  ]
}

/// `mfa-admin doctor exemptions`
struct DoctorExemptionsCommand: ParsableCommand {
  static let configuration = command(
    "exemptions", "List all ways to sign in without a code, accepted or not.",
    """
    Each line of a file that lets users sign in without a code is listed, with who accepted it, why \
    and until when. Nothing is changed.
    """)

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    try ThisHost.requireRoot()
    let snapshot = try HostSnapshot.ofThisHost()
    let exemptions = Diagnosis(snapshot, at: try ThisHost.now()).exemptions(on: snapshot)
    guard !json else {
      return try Console.write(
        JSON.object([
          (
            "exemptions",
            .array(
              exemptions.map { exemption in
                .object([
                  ("finding", exemption.finding.json),
                  ("accepted", exemption.acceptance.map { .object(members(of: $0)) } ?? .null),
                ])
              })
          )
        ]).text + "\n")
    }
    for (finding, acceptance) in exemptions {
      let state =
        if let acceptance {
          "accepted until \(acceptance.terms)"
        } else {
          finding.severity == .note ? finding.hint : "not accepted"
        }
      try Console.write(
        TextWidth.wrapped("\(finding.headline)\n  \(state)\n", to: Console.columns))
    }
    if exemptions.isEmpty { try Console.write("no way to sign in without a code was found\n") }
  }
}

/// `mfa-admin doctor accept`
struct DoctorAcceptCommand: ParsableCommand {
  static let configuration = command(
    "accept", "Accept a finding that is intended, for some time.",
    """
    The finding is no longer reported until the time is over, or until its line or its effect \
    changes: a line that moves is recognised. The acceptance is recorded in the audit log. For \
    example, if backups sign in with a key alone:

      mfa-admin doctor accept methods-without-code /etc/ssh/sshd_config:9 --reason "backups"
    """)

  @Option(help: "Why the finding is intended, for the audit log and other administrators.")
  var reason: String

  @Option(help: ArgumentHelp("How long it is accepted: 1 to 366 days.", valueName: "number"))
  var days: Int64 = 90

  @Argument(help: "The code of the finding, which 'mfa-admin doctor' prints in [brackets].")
  var finding: String

  @Argument(help: "The file and line, or the path, as 'mfa-admin doctor' prints it.")
  var place: String

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days takes 1 to 366") }
    _ = try grantReason(reason)
  }

  func run() throws {
    try ThisHost.requireRoot()
    let reason = VisibleText.escaping(try grantReason(reason).utf8)
    let now = try ThisHost.now()
    let subjects = try subjects()
    let acceptances = subjects.map { subject in
      Acceptance(
        subject, reason: reason, actor: VisibleText.escaping(Console.actor), begin: now,
        end: now + days * 86_400)
    }
    try AcceptanceFile.change(.findingAccepted) { list in
      for acceptance in acceptances { list.add(acceptance) }
      return acceptances
    }
    let end = Timestamp(now + days * 86_400)?.full ?? "then"
    for subject in subjects {
      try Console.write("accepted until \(end): \(place): \(subject.message)\n")
    }
  }

  /// Returns what to accept: usually one finding, but a line can have the same finding with several
  /// effects.
  private func subjects() throws(AdminError) -> [Acceptance.Subject] {
    let snapshot = try HostSnapshot.ofThisHost()
    let found = Doctor.findings(on: snapshot).filter { $0.code == finding && $0.place == place }
    guard !found.isEmpty else { throw .noSuchFinding(finding, place: place) }
    return try found.map { finding throws(AdminError) in
      guard let subject = Acceptance.Subject(finding, on: snapshot.host) else {
        throw .findingWithoutLine(place: place)
      }
      return subject
    }
  }
}

/// `mfa-admin doctor accepted`
struct DoctorAcceptedCommand: ParsableCommand {
  static let configuration = command(
    "accepted", "List the accepted findings.")

  @Flag(help: "Print JSON, for programs; times are in seconds since the epoch.")
  var json = false

  func run() throws {
    try ThisHost.requireRoot()
    let list: AcceptedFindings
    switch AcceptanceFile.read() {
    case .success(let read): list = read
    case .failure(let failure): throw AdminError.acceptances(failure)
    }
    guard !json else {
      return try Console.write(
        JSON.object([("accepted", .array(list.all.map(\.json)))]).text + "\n")
    }
    let now = try ThisHost.now()
    for acceptance in list.all { try Console.write(acceptance.text(at: now)) }
  }
}

/// `mfa-admin doctor withdraw`
struct DoctorWithdrawCommand: ParsableCommand {
  static let configuration = command(
    "withdraw", "Report an accepted finding again.")

  @Argument(help: "The code of the finding, as 'mfa-admin doctor accepted' prints it.")
  var finding: String

  @Argument(help: "The file, with or without a line number.")
  var place: String

  func run() throws {
    try ThisHost.requireRoot()
    var count = 0
    try AcceptanceFile.change(.findingWithdrawn) { list in
      let removed = list.remove(code: finding, path: Acceptance.Subject.split(place).path)
      count = removed.count
      return removed
    }
    guard count > 0 else { throw AdminError.noSuchAcceptance(finding, place: place) }
    try Console.write("\(finding) at \(place): no longer accepted\n")
  }
}
