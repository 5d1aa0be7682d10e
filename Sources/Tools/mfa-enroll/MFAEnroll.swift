import MFAModel
import ArgumentParser
import MultiFactor

/// The command and its subcommands.
struct MFAEnroll: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mfa-enroll",
    abstract: "Protect your account with codes from an authenticator app.",
    discussion: """
      When you have added a device, services that ask for a second factor ask for a code from it \
      when you sign in.

      Exit status: 0 success; 1 failure; 2 you did not prove that the account is yours; 3 the code \
      was wrong or has been used; 64 the command was not understood.
      """,
    version: "mfa-enroll \(Release.version)",
    subcommands: [
      Enroll.self, EnrollPhone.self, List.self, Status.self, Notices.self, Rename.self,
      Unenroll.self, Test.self, RecoveryCodesCommand.self,
      OfflineCodesCommand.self, Resync.self, ImportFactorCommand.self,
      Forget.self,
    ],
    defaultSubcommand: Enroll.self)

  /// The names of all commands, and their aliases.
  static var commandNames: [String] {
    configuration.subcommands.flatMap { command in
      [command._commandName] + command.configuration.aliases
    }
  }

  /// Refuses an unsupported name before the user is asked for a password.
  static func check(name: String) throws(ValidationError) {
    guard MultiFactor.isSupported(displayName: name) else {
      throw ValidationError("a name has 1 to 64 visible characters")
    }
  }
}
