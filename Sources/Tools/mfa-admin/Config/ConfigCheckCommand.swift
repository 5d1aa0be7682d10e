import MFAAdmin
import MFAStore
import MFAModel
import ArgumentParser
import MFABase

/// `mfa-admin config check`
struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Find mistakes in the configuration.",
    discussion: """
      Reads the configuration files of this host, or the given files; later files override earlier \
      ones. Reports the first mistake in each file, with the line, the key and what is allowed. \
      If there is no mistake, warns about settings that have no effect.

      \(AdminStatus.explanation)
      """)

  @Argument(
    help: ArgumentHelp(
      "The files to check, in order; later files override earlier ones.", valueName: "file"))
  var files: [String] = []

  func run() throws(AdminError) {
    let check = files.isEmpty ? ConfigurationCheck.ofTheHost() : ConfigurationCheck.of(files)
    for failure in check.failures {
      Console.printError("error: " + AdminError.message(failure))
      if let remedy = AdminError.remedy(failure) { Console.printError("hint: " + remedy) }
    }
    guard check.failures.isEmpty else {
      throw .mistakes(check.failures.count, inForce: files.isEmpty)
    }
    for warning in check.warnings { Console.printError("warning: " + warning) }
    for file in check.files { try Console.write(VisibleText.escaping(file) + ": no mistake\n") }
  }
}
