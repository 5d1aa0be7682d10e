import ArgumentParser
import MFAEnrollMessages
import MultiFactor

/// The entry point: runs the command, and reports failures in this program's format.
@main
enum EnrollMain {
  /// Runs the command in a detached task on a thread of its own, while the main thread only handles
  /// signals.
  static func main() {
    guard MultiFactor.protectProcess() else {
      tell(Failure(.processNotProtected))
      MFAEnroll.exit(withError: ExitCode(ExitStatus.failed.rawValue))
    }
    TerminalGuard.prepare()
    Task.detached(executorPreference: CommandExecutor()) { await run() }
    TerminalGuard.wait()
  }

  private static func run() async -> Never {
    do {
      var command = try MFAEnroll.parseAsRoot()
      if let command = command as? any EnrollCommand { try AccountSelection.select(for: command) }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      MFAEnroll.exit()
    } catch let failure as Failure {
      tell(failure)
      MFAEnroll.exit(withError: ExitCode(failure.status.rawValue))
    } catch  where MFAEnroll.exitCode(for: error) == .success {
      // Not a failure: the user asked for help or for the version.
      MFAEnroll.exit(withError: error)
    } catch {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if let unknown = CommandSuggestion.failure(for: arguments, among: MFAEnroll.commandNames) {
        tell(unknown)
        MFAEnroll.exit(withError: ExitCode(unknown.status.rawValue))
      }
      tell(Failure(.usage(MFAEnroll.message(for: error)), status: .usage))
      MFAEnroll.exit(withError: ExitCode(ExitStatus.usage.rawValue))
    }
  }

  private static func tell(_ failure: Failure) {
    let interface = UserInterface.withoutQuestions
    interface.tell(failure.report(in: interface.language))
  }
}
