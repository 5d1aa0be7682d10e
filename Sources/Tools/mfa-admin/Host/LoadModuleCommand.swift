import ArgumentParser
import MFAAdmin
import MFADoctor

/// `mfa-admin load-module`, which doctor runs in a process of its own, because loading a damaged file
/// can end the process.
struct LoadModuleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load-module", abstract: "Load a PAM module, for mfa-admin doctor.",
    shouldDisplay: false)

  @Argument(help: "The module's path.")
  var path: String

  func run() throws {
    try ThisHost.requireRoot()
    guard let problem = ModuleLoader.problem(path) else { return }
    Console.printError(problem)
    Console.end(.failure)
  }
}
