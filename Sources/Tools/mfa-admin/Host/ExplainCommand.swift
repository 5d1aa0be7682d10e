import MFAAdmin
import MFADoctor
import MFAModel
import ArgumentParser

/// `mfa-admin explain`
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Predict the result of a sign-in, and explain it.",
    discussion: """
      Shows the decision, the account, the lines of the service's PAM stack, the stored factors, \
      which tenants match and why, and each setting in force with its section, file and line. \
      Changes nothing, and verifies no code.

      \(AdminStatus.explanation)
      """)

  @Option(help: "The user's name.")
  var user: String

  @Option(help: "The PAM service, such as sshd.")
  var service: String

  @Option(
    help: ArgumentHelp("The address that the user signs in from.", valueName: "address"))
  var rhost: String?

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func validate() throws { _ = try serviceName() }

  private func serviceName() throws -> PAMServiceName {
    guard let name = PAMServiceName(service) else {
      throw ValidationError("--service takes the name of a PAM service, such as sshd")
    }
    return name
  }

  func run() throws {
    try ThisHost.refuseInRealm()
    guard let name = UserName(Array(user.utf8)) else { throw AdminError.notAUserName(user) }
    // An empty address means a local sign-in: some programs set PAM_RHOST to an empty string.
    let address = rhost.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    let explanation = Explanation.onThisHost(
      Explanation.Question(name, at: try serviceName().bytes, from: address),
      rules: HostRules(of: DoctorCommand.host), countsSudo: true)
    try Console.write(
      json ? explanation.json.text + "\n" : explanation.text(columns: Console.columns))
    guard explanation.isAboutAnAccount else { throw AdminError.noSuchUser(name) }
  }
}
