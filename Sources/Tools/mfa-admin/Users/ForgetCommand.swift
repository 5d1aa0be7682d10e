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
    let report: ClearedSignInsReport
    if let realm = try ThisHost.realm() {
      report = try realm.clearRememberedSignIns(of: options.user)
    } else {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      report = try options.change { user throws(AdminError) in
        try administration.clearRememberedSignIns(of: user)
      }
    }
    try options.write(report.json, report.sentence)
  }
}
