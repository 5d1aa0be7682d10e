import MFAAdmin
import MFAModel
import ArgumentParser

/// `mfa-admin withdraw`
struct WithdrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Withdraw a ticket or a bypass code.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Withdraw all tickets and bypass codes of the user.")
  var all = false

  @OptionGroup var options: UserChangeOptions

  @Argument(help: "The id, as 'mfa-admin grants' shows it.")
  var id: String?

  func validate() throws {
    guard all != (id != nil) else { throw ValidationError("give either an ID or --all") }
    if let id, GrantID(hexadecimal: Array(id.utf8)) == nil {
      throw ValidationError("an id has 8 hexadecimal digits")
    }
  }

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: false)
    let id = id.flatMap { GrantID(hexadecimal: Array($0.utf8)) }
    let report = try options.change { user throws(AdminError) in
      try administrator.withdraw(id, of: user)
    }
    try options.write(report.json, report.sentence)
  }
}
