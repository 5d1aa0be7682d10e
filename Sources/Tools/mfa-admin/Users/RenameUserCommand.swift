import MFAAdmin
import MFAModel
import ArgumentParser

/// `mfa-admin rename-user`
struct RenameUserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename-user",
    abstract: "Move a user's factors to the account's new name, after usermod -l.",
    discussion: """
      A record belongs to a name and a user ID. After an account was renamed, the user cannot sign in \
      until this command has moved the record. Failed attempts and used codes stay counted; remembered \
      sign-ins end.

      A realm whose hosts have the key directory does this itself when the user signs in. Offline recovery codes of \
      a realm are removed: the user makes new ones.

      \(AdminStatus.explanation)
      """)

  @Argument(help: "The earlier name, which no account has now.")
  var old: String

  @Argument(help: "The present name of the account.")
  var new: String

  @Flag(help: "Kill any process that blocks this command by holding a lock for too long.")
  var endHolder = false

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: false)
    let name = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
      try administrator.renameUser(old, to: new)
    }
    try Console.write(
      "moved the factors of \(VisibleText.escaping(Array(old.utf8))) to \(VisibleText(name))\n")
  }
}
