import ArgumentParser
import MFAVerifier

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
