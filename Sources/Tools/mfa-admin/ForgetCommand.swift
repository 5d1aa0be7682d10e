import ArgumentParser

/// `mfa-admin forget`
struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Clear a user's remembered sign-ins.",
    discussion: """
      With remember or fresh_for in mfa.conf(5), a user who gave a code is not asked again for a \
      while from the same place. After this command, the next sign-in asks for a code again.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Kill any process that blocks this command by holding a lock for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  func run() throws(AdminError) {
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let report = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
      try administration.forget(user)
    }
    try Console.write((json ? report.json.text : report.sentence) + "\n")
  }
}
