import MFAAdmin
import MFAServices
import ArgumentParser
import MFABase

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
    } catch let error as ChangeError {
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
