import ArgumentParser

/// `mfa-admin unlock`
struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Let a user try codes again after too many wrong ones.",
    discussion: """
      Wrong codes are forgotten, and a wait ends. Codes that were used stay used; where a clock that \
      ran ahead has left one of the future, the next right code is accepted again.

      \(AdminStatus.explanation)
      """)

  @Argument(help: "The user's name.")
  var user: String

  func run() throws(AdminError) {
    let (administration, _) = try ThisHost.administration(needsConfiguration: true)
    try Console.write(try administration.unlock(user) + "\n")
  }
}
