import ArgumentParser
import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAServices

/// `mfa-admin`: the command with which root manages the users' second factors.
struct MFAAdmin: ParsableCommand {
  static let configuration = command(
    "mfa-admin", "Manage the second factors of this host's users.",
    """
    Every change is written to the system log. Secrets are never shown. The codes that 'ticket' \
    and 'bypass' create are shown once.
    """,
    version: "mfa-admin \(Release.version)",
    subcommands: [
      ListCommand.self, ShowCommand.self, RevokeCommand.self, PruneCommand.self, UnlockCommand.self,
      RenameUserCommand.self,
      ImportCommand.self, TicketCommand.self, BypassCommand.self, GrantsCommand.self,
      WithdrawCommand.self, DoctorCommand.self, ReadinessCommand.self, ExplainCommand.self,
      ConfigCommand.self, ForgetCommand.self, EnableCommand.self, ConfirmCommand.self,
      DisableCommand.self, ServicesCommand.self, RestoreCommand.self, AuditLogCommand.self,
      ReportCommand.self, CheckCommand.self, RealmCommand.self, PhoneCommand.self,
      RekeyCommand.self, AdoptStoreCommand.self, PrepareImageCommand.self,
      BreakGlassCommand.self,
      BackupCommand.self, RepairCommand.self, RestoreBackupCommand.self, LoadModuleCommand.self,
      TryWritingCommand.self,
      TrySignInCommand.self,
    ])
}

/// Describes a command. Its help ends with the exit statuses.
func command(
  _ name: String, _ abstract: String, _ discussion: String = "", version: String = "",
  subcommands: [any ParsableCommand.Type] = [],
  defaultSubcommand: (any ParsableCommand.Type)? = nil
) -> CommandConfiguration {
  CommandConfiguration(
    commandName: name, abstract: abstract,
    discussion: (discussion.isEmpty ? "" : discussion + "\n\n") + AdminStatus.explanation,
    version: version, subcommands: subcommands, defaultSubcommand: defaultSubcommand)
}

/// The entry point of `mfa-admin`: parses the arguments, runs the command and reports errors.
@main
enum AdminMain {
  static func main() {
    do {
      var command = try MFAAdmin.parseAsRoot()
      if !(command is RestoreCommand) { ServiceCommand.rollBackOverdueChanges() }
      try command.run()
    } catch let error as AdminError {
      Console.report(error)
      Console.end(error.status)
    } catch {
      end(parsing: error)
    }
  }

  /// Prints the parser's help text or error message, and exits.
  private static func end(parsing error: Error) -> Never {
    let status = MFAAdmin.exitCode(for: error)
    guard status != .success else {
      do throws(AdminError) {
        try Console.write(MFAAdmin.fullMessage(for: error) + "\n")
      } catch {
        Console.report(error)
        Console.end(error.status)
      }
      Console.end(.success)
    }
    Console.printError("error: " + VisibleText.escaping(MFAAdmin.message(for: error)))
    Console.printError("hint: \(calledCommand.joined(separator: " ")) --help")
    Console.end(AdminStatus.usage)
  }

  /// The words of the command that was called, up to its last valid subcommand, for the hint about
  /// `--help`.
  private static var calledCommand: [String] {
    var words = ["mfa-admin"]
    var command: any ParsableCommand.Type = MFAAdmin.self
    for argument in CommandLine.arguments.dropFirst() {
      let subcommands = command.configuration.subcommands
      guard let next = subcommands.first(where: { $0.configuration.commandName == argument })
      else { break }
      words.append(argument)
      command = next
    }
    return words
  }
}

extension Console {
  /// Prints a warning if a change could not be entered in the audit log.
  static func printError(_ entered: AuditLogOutcome) {
    guard let problem = entered.problem else { return }
    printError("WARNING: this change is not in the audit log: \(problem.sentence)")
    printError("hint: \(problem.hint(for: nil))")
  }
}
