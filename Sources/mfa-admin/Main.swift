import ArgumentParser
import System

/// Where `mfa-admin` begins and ends: parses, runs, and says what went wrong.
@main
enum Main {
  static func main() {
    do {
      var command = try MFAAdmin.parseAsRoot()
      if !(command is RestoreCommand) { ServiceCommand.putBackWhatIsDue() }
      try command.run()
    } catch let error as AdminError {
      Console.report(error)
      Console.end(error.status)
    } catch {
      end(parsing: error)
    }
  }

  /// What the parser has to say: a help text, or why the arguments make no sense.
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
    Console.complain("error: " + VisibleText.escaping(MFAAdmin.message(for: error)))
    Console.complain("hint: \(helped.joined(separator: " ")) --help")
    Console.end(AdminStatus.usage)
  }

  /// The command that was called, as far as it is one: its help says what may be said.
  private static var helped: [String] {
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
