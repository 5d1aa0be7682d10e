#if Fleet
import ArgumentParser
import MFARealm
import MFARealmTransport
import MFABase

/// Simulates many hosts of a realm. `Tests/Load/run` starts it.
@main
struct LoadMain: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "mfa-fleet-load", abstract: "Simulates many hosts of a realm.",
      subcommands: [PrepareCommand.self, HostsCommand.self])
  }

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as RealmError {
      StandardError.write(Array("mfa-fleet-load: error: \(error.text)\n".utf8))
      exit(withError: ExitCode(1))
    } catch {
      exit(withError: error)
    }
  }
}

/// Registers hosts and enrols users in a database.
struct PrepareCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration { CommandConfiguration(commandName: "prepare") }

  @Option var issuer: String
  @Option var to: String
  @Option var database: String
  @Option var hosts: Int
  @Option var users: Int

  func run() async throws {
    let realm = LoadRealm(database)
    try await realm.register(hosts, issuer: issuer, folder: to)
    try realm.enroll(users)
  }
}

/// Runs the relays of hosts, and makes them do what the standard input says.
struct HostsCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration { CommandConfiguration(commandName: "hosts") }

  @Option var folder: String
  @Option var authority: String
  @Option var verifiers: String
  /// The number of the first host.
  @Option var from: Int
  /// The number after the last host.
  @Option var to: Int

  func run() async throws {
    try ResourceLimit.openFiles.raise()
    let fleet = try LoadFleet(self)
    try await fleet.run()
  }
}
#else
/// Without the trait Fleet, there is nothing to run.
@main
enum LoadMain {
  static func main() {}
}
#endif
