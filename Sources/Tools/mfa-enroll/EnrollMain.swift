import ArgumentParser
import MultiFactor

/// The entry point: runs the command, and reports failures in this program's format.
@main
enum EnrollMain {
  /// Runs the command in a detached task, while the main thread only handles signals.
  static func main() {
    guard MultiFactor.protectProcess() else {
      tell(
        Failure(
          "this process cannot be protected from other programs of yours",
          hint: "start it where prctl(2) is allowed", status: .failed))
      MFAEnroll.exit(withError: ExitCode(ExitStatus.failed.rawValue))
    }
    TerminalGuard.prepare()
    Task.detached { await run() }
    TerminalGuard.wait()
  }

  private static func run() async -> Never {
    do {
      var command = try MFAEnroll.parseAsRoot()
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
      tell(
        Failure(
          MFAEnroll.message(for: error), hint: "mfa-enroll --help shows what it understands",
          status: .usage))
      MFAEnroll.exit(withError: ExitCode(ExitStatus.usage.rawValue))
    }
  }

  private static func tell(_ failure: Failure) {
    Output.standardError.write(failure.text)
  }
}
