import ArgumentParser
import MFABase
import MFAModel
import MFARealm
import MFAVerifier

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
        HostTicketCommand.self, NewEpochCommand.self, MailCommand.self,
      ], defaultSubcommand: DecisionCommand.self)
  }

  /// The exit status after a failure.
  private static var failed: Int32 { 1 }

  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as RealmError {
      error.report(by: "mfa-verifier")
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

/// Mails notices.
struct MailCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "mail",
      abstract: "Mail the pending notices about changes that this verifier made.",
      discussion: "The unit mfa-verifier-mail.service runs the command, as the user mfa.")
  }

  func run() throws { try RealmAdministration().mail() }
}

/// Begins a new epoch.
struct NewEpochCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "new-epoch",
      abstract: "Refuse every code that may have been accepted before a restore of the database.",
      discussion: """
        Run it after a restore that verifiers cannot recognise, before they serve again: see AFTER A \
        FAILOVER OR A RESTORE in mfa-verifier(8).
        """)
  }

  func run() throws { for line in try RealmAdministration().beginEpoch() { print(line) } }
}
