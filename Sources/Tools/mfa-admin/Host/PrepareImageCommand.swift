import MFAAdmin
import MFABase
import ArgumentParser

/// `mfa-admin prepare-image`
struct PrepareImageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prepare-image",
    abstract: "Remove what must differ between machines, before this system is cloned.",
    discussion: """
      Removes the sealing key, all factors with the audit log, the break-glass code, and the membership \
      in a realm with its certificate. The configuration and the lines of services stay. The first start of each clone \
      creates a key and an empty store of its own. Until then, all sign-ins that use the module are \
      denied, so shut the system down afterwards.

      \(AdminStatus.explanation)
      """)

  @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
  var yes = false

  func run() throws(AdminError) {
    try ThisHost.requireRoot()
    if !yes {
      guard Console.canAsk else { throw .unconfirmed }
      guard
        Console.askForConfirmation(
          "remove \(InstalledPath.key), all users' factors and the membership in a realm from this system, "
            + "and deny all sign-ins until it starts again?")
      else { throw .declined }
    }
    try ThisHost.prepareImage()
    try Console.write(
      """
      The first start of each clone makes a new key and an empty store.
      Also remove what else must differ, such as /etc/machine-id and the host keys of sshd, and shut down.

      """)
  }
}
