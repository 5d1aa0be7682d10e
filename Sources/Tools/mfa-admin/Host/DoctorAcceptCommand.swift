import ArgumentParser
import MFAAdmin
import MFABase
import MFADoctor
import MFAModel
import MFAPAMStack
import MFAServices

/// `mfa-admin doctor accept`
struct DoctorAcceptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept a finding that is intended, for some time.",
    discussion: """
      The finding is no longer reported until the time is over, or until its line or its effect \
      changes: a line that moves is recognised. The acceptance is recorded in the audit log. For \
      example, if backups sign in with a key alone:

        mfa-admin doctor accept methods-without-code /etc/ssh/sshd_config:9 --reason "backups"

      \(AdminStatus.explanation)
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
