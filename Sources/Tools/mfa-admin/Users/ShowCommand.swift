import MFAAdminCore
import MFAAdminOutput
import ArgumentParser

/// `mfa-admin show`
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a user's factors and failed attempts.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  func run() throws(AdminError) {
    let (administration, failure) = try ThisHost.administration(needsConfiguration: false)
    let report = try administration.user(user)
    try Console.write(json ? report.json.text + "\n" : UserDetails.text(report))
    if case .unusable(let problem) = report.content, let name = report.userName {
      if let failure { Console.report(failure) }
      throw .unusable(name, problem)
    }
    if let failure { throw failure }
  }
}
