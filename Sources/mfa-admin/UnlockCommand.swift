import ArgumentParser

/// `mfa-admin unlock`
struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Let a user try codes again after too many wrong ones.",
    discussion: """
      Wrong codes are forgotten, and a wait ends. Codes that were used stay used; where a clock that \
      ran ahead has left one of the future, the next right code is accepted again.

      A user whose files are older than the ledger says is locked out, since an earlier copy of them can \
      hold a factor that was revoked. Use --accept-restored when you have restored them yourself.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Accept files of the user's that are older than the ledger says.")
  var acceptRestored = false

  @Flag(help: "Kill a process that holds a lock which this command needs for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  func run() throws(AdminError) {
    let (administration, _) = try ThisHost.administration(needsConfiguration: true)
    let report = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
      try administration.unlock(user, acceptingRestored: acceptRestored)
    }
    Console.complain(report.entered)
    try Console.write((json ? report.json.text : report.sentence) + "\n")
  }
}
