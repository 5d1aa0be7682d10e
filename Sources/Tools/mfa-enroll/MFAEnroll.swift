import MFAFactors
import ArgumentParser
import MultiFactor

/// The command and its subcommands.
struct MFAEnroll: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mfa-enroll",
    abstract: "Enrols an authenticator app as the second factor of your account.",
    discussion: """
      Once an app is enrolled, services that ask for a second factor want a code from it when you \
      sign in.

      Exit status: 0 done; 1 failed; 2 it could not be made sure that the account is yours; \
      3 the code was wrong, or used already; 64 the command was not understood.
      """,
    version: "mfa-enroll \(Release.version)",
    subcommands: [
      Enroll.self, List.self, Rename.self, Unenroll.self, Test.self, RecoveryCodesCommand.self,
      Resync.self, ImportFactorCommand.self, Forget.self,
    ],
    defaultSubcommand: Enroll.self)

  /// Refuses an unsupported name before the user is asked for a password.
  static func check(name: String) throws(ValidationError) {
    guard MultiFactor.isSupported(displayName: name) else {
      throw ValidationError("a name has 1 to 64 visible characters")
    }
  }
}
