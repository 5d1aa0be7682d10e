import ArgumentParser
import Factors
import SignIn

/// `mfa-admin explain`
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Say what would come of a sign-in now, and why.",
    discussion: """
      Nothing is changed, and no code is looked at. What is shown: the decision, the account, the \
      lines of the service's stack, what is stored, which tenants match and why, and each setting in \
      force, with the section, the file and the line that it comes from.

      \(AdminStatus.explanation)
      """)

  @Option(help: "The user's name.")
  var user: String

  @Option(help: "The PAM service, such as sshd.")
  var service: String

  @Option(
    help: ArgumentHelp("The address that the person signs in from.", valueName: "address"))
  var rhost: String?

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  func run() throws(AdminError) {
    guard Console.isRoot else {
      throw .notRoot(arguments: Array(CommandLine.arguments.dropFirst()))
    }
    guard let name = UserName(Array(user.utf8)) else { throw .notAUserName(user) }
    let explanation = Explanation(
      user: name, service: Array(service.utf8), remoteHost: rhost.map { Array($0.utf8) },
      on: LocalHost())
    try Console.write(json ? explanation.json.text + "\n" : explanation.text)
  }
}
