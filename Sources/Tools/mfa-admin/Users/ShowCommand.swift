import MFAAdmin
import ArgumentParser

/// `mfa-admin show`
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a user's factors and failed attempts.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Flag(help: "Show phone numbers in full. The audit log records that.")
  var reveal = false

  @Argument(help: "The user's name.")
  var user: String

  func validate() throws {
    guard !reveal || !json else { throw ValidationError("--reveal prints text: omit --json") }
  }

  func run() throws(AdminError) {
    if let realm = try ThisHost.realm() {
      guard !reveal else { throw .realm(.localOption("--reveal")) }
      let report = try realm.user(user)
      try Console.write(json ? report.json.text + "\n" : UserDetails.text(report))
      if case .unusable(let problem) = report.content, let name = report.userName {
        throw .unusable(name, problem)
      }
      return
    }
    let (administration, failure) = try ThisHost.administration(needsConfiguration: false)
    let report = try administration.user(user)
    try Console.write(json ? report.json.text + "\n" : UserDetails.text(report))
    if reveal { try Console.write(UserDetails.text(try administration.phoneNumbers(of: user))) }
    if case .unusable(let problem) = report.content, let name = report.userName {
      if let failure { Console.report(failure) }
      throw .unusable(name, problem)
    }
    if let failure { throw failure }
  }
}
