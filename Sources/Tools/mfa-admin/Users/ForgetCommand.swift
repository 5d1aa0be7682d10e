import MFAAdmin
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

  @OptionGroup var options: UserChangeOptions

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: false)
    let report = try options.change { user throws(AdminError) in
      try administrator.clearRememberedSignIns(of: user)
    }
    try options.write(report.json, report.sentence)
  }
}
