import MFAAdmin
import ArgumentParser

/// `mfa-admin unlock`
struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Let a user try codes again after too many wrong ones.",
    discussion: """
      Clears the failed attempts and remembered sign-ins, and ends a wait. Used codes stay used. If \
      the clock was ahead when a code was accepted, the factor accepts no code until that time: \
      revoke the factor, and have the user enrol again.

      A user whose files are older than the last entry in the audit log is locked out, because an \
      earlier copy can contain a factor that was revoked since. Use --accept-restored if you have \
      restored the files yourself.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Accept the user's files even if they are older than the audit log says.")
  var acceptRestored = false

  @OptionGroup var options: UserChangeOptions

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: true)
    let report = try options.change { user throws(AdminError) in
      try administrator.unlock(user, acceptingRestored: acceptRestored)
    }
    Console.printError(report.entered)
    try options.write(report.json, report.sentence)
  }
}
