import ArgumentParser
import MFAVerifier
import MFAModel
import MFABase

/// The program `mfa-verifier`.
@main
struct MFAVerifier: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "mfa-verifier",
      abstract: "Decides the sign-ins of a realm's hosts.",
      discussion: """
        Without a command, the service manager starts the program with its socket. The other \
        commands are for root on a verifier.
        """,
      version: "mfa-verifier \(Release.version)",
      subcommands: [
        DecisionCommand.self, RealmSetupCommand.self, RealmCheckCommand.self,
        HostTicketCommand.self,
        HostListCommand.self, HostRevocationCommand.self, UserListCommand.self, UserCommand.self,
        UserUnlockCommand.self, UserRenamingCommand.self, UserRevocationCommand.self,
        NewEpochCommand.self, MailCommand.self,
      ], defaultSubcommand: DecisionCommand.self)
  }

  /// The exit status after a failure.
  private static var failed: Int32 { 1 }

  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as RealmError {
      var text = "mfa-verifier: error: \(error.text)\n"
      if let hint = error.hint { text += "hint: \(hint)\n" }
      StandardError.write(Array(text.utf8))
      exit(withError: ExitCode(failed))
    } catch {
      exit(withError: error)
    }
  }
}

/// Serves the network front.
struct DecisionCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "serve", abstract: "Serve the network front until the service is stopped.")
  }

  @Option(
    help: "Create the socket at this path. Without it, the service manager passes the socket.")
  var listen: String?

  func run() throws { try DecisionProgram.run(listeningAt: listen) }
}

/// Creates the realm in the database.
struct RealmSetupCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "setup", abstract: "Create the realm in the database.",
      discussion: """
        For PostgreSQL, connects as the owner of the schema, and creates the schema or brings its \
        functions up to date; the options are required. For etcd, connects as the service does. Creates \
        the realm unless there is one. Existing factors stay.
        """)
  }

  @Option(help: "A connection string of the schema's owner, such as \"dbname=mfa user=mfa_owner\".")
  var owner: String?

  @Option(help: "The role of the verifiers.")
  var role: String?

  func run() throws {
    print(
      try RealmAdministration.setUp(owner: owner, role: role)
        ? "the realm was created" : "the realm exists, and is up to date")
  }
}

/// Checks the database.
struct RealmCheckCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check", abstract: "Check that the database keeps what it acknowledges.",
      discussion: "The exit status is 1 if something is missing.")
  }

  func run() throws {
    let findings = try RealmAdministration().check()
    for finding in findings { print(finding) }
    guard findings.isEmpty else { throw ExitCode(1) }
    print("the database is as it should be")
  }
}

/// Creates a ticket.
struct HostTicketCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "ticket", abstract: "Create a ticket with which a host joins the realm.",
      discussion: "The ticket can be used once, within 10 minutes: mfa-fleet join")
  }

  @Argument(help: "The name of the host, which its certificate will have.")
  var host: String

  @Option(help: "A group of hosts in /etc/mfa/verifier.conf. Can be repeated.")
  var group: [String] = []

  func run() throws { print(try RealmAdministration().ticket(for: host, groups: group)) }
}

/// Lists the hosts.
struct HostListCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "hosts", abstract: "List the hosts of the realm.")
  }

  func run() throws { for line in try RealmAdministration().hosts() { print(line) } }
}

/// Revokes a host.
struct HostRevocationCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "revoke", abstract: "Revoke all certificates of a host.",
      discussion: "The verifiers refuse the host from the next request on.")
  }

  @Argument(help: "The name of the host.")
  var host: String

  func run() throws { try RealmAdministration().revoke(host) }
}

/// Lists the users.
struct UserListCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "users", abstract: "List the users who have enrolled in the realm.")
  }

  func run() throws { for name in try RealmAdministration().userNames() { print(name) } }
}

/// Shows a user.
struct UserCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "user", abstract: "Show the factors and failed attempts of a user.")
  }

  @Argument(help: "The name of the user.")
  var name: String

  func run() throws { for line in try RealmAdministration().user(name) { print(line) } }
}

/// Unlocks a user.
struct UserUnlockCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "unlock", abstract: "Clear the failed attempts of a user.",
      discussion: "Remembered sign-ins are cleared, too.")
  }

  @Argument(help: "The name of the user.")
  var name: String

  func run() throws {
    print("\(name): \(try RealmAdministration().unlock(name)) failed attempts cleared")
  }
}

/// Moves the factors of a user who has a new name.
struct UserRenamingCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "rename-user", abstract: "Move the factors of a user to the user's new name.",
      discussion: """
        A realm whose hosts have the key directory does this itself when the user signs in. Offline recovery \
        codes are removed: the user makes new ones.
        """)
  }

  @Argument(help: "The name that the user had.")
  var name: String

  @Argument(help: "The present name.")
  var newName: String

  func run() throws {
    try RealmAdministration().renameUser(name, to: newName)
    print("\(name): the factors belong to \(newName) now")
  }
}

/// Revokes the factors of a user.
struct UserRevocationCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "revoke-user",
      abstract: "Remove all factors, recovery codes and bypass codes of a user.",
      discussion:
        "The command ends when the change is on as many machines as the database requires.")
  }

  @Argument(help: "The name of the user.")
  var name: String

  func run() throws {
    print("\(name): \(try RealmAdministration().revokeUser(name)) factors removed")
  }
}
