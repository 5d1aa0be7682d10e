import ArgumentParser
import MFAAdmin

/// `mfa-admin config template`
struct ConfigTemplateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "template", abstract: "Print a configuration file that explains each key.",
    discussion: """
      Prints the mfa.conf of this version: each key in a comment, with its description and its \
      default, or an example if it has no default. The configuration of the host is not read.

      \(AdminStatus.explanation)
      """)

  @Option(
    help: ArgumentHelp(
      "Print a section of the manual page instead: settings or selectors.", valueName: "section",
      visibility: .private))
  var manual: String?

  func validate() throws(ValidationError) {
    guard let manual, KeyManual(rawValue: manual) == nil else { return }
    throw ValidationError("the sections are settings and selectors")
  }

  func run() throws(AdminError) {
    try Console.write(
      manual.flatMap { KeyManual(rawValue: $0) }?.text ?? ConfigurationTemplate.text)
  }
}
