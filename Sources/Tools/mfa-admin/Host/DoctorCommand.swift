import ArgumentParser
import MFAAdmin
import MFADoctor
import MFAServices

/// `mfa-admin doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find problems that lock users out or let them sign in without a code.",
    discussion: """
      Without a subcommand, examines this host; 'mfa-admin doctor examine --help' shows the options. \
      A finding that is intended can be accepted for some time, so that a sound host is silent.

      \(AdminStatus.explanation)
      """,
    subcommands: [
      DoctorExamineCommand.self, DoctorAcceptCommand.self, DoctorAcceptedCommand.self,
      DoctorWithdrawCommand.self,
    ], defaultSubcommand: DoctorExamineCommand.self)

  /// This machine, with the records of enabled services and accepted findings.
  static var host: LocalExaminedHost {
    LocalExaminedHost(recorded: RecordedService.all, accepted: AcceptanceFile.read)
  }
}
