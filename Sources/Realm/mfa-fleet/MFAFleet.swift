#if Fleet
import ArgumentParser
import MFABase
import MFAFront
import MFAModel
import MFARealm
import MFARealmTransport
import MFARelay

/// The program `mfa-fleet`.
struct MFAFleet: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "mfa-fleet",
      abstract: "Keeps the factors of several hosts in one store.",
      version: "mfa-fleet \(Release.version)",
      subcommands: [
        RelayCommand.self, VerifierCommand.self, AuthorityCommand.self, JoinCommand.self,
      ])
  }
}

/// What the commands have in common.
enum RealmProgram {
  /// The path of the configuration file.
  static let standardConfiguration = "/etc/mfa/fleet.conf"

  /// Reads a section of a configuration file.
  static func configuration(
    at path: String, _ section: RealmConfiguration.Section, others: [RealmConfiguration.Section]
  ) throws(RealmError) -> RealmConfiguration {
    let text = String(decoding: try RealmFile(path).read(), as: UTF8.self)
    return try RealmConfiguration(text, path: path, section: section, others: others)
  }

  /// Prepares a program that runs for long.
  static func settle() throws(RealmError) {
    do throws(SystemError) {
      try PrivilegedProcess.settle(name: "mfa-fleet", keepsDescriptors: true)
      try ResourceLimit.openFiles.raise()
    } catch {
      throw RealmError("cannot prepare the process")
    }
  }
}

/// Runs the network front of a verifier.
struct VerifierCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "verifier", abstract: "Serve the relays of hosts, in front of mfa-verifier.")
  }

  @Option(help: "The configuration file.")
  var config = RealmProgram.standardConfiguration

  func run() async throws {
    let section = VerifierConfiguration.section
    let configuration = try VerifierConfiguration(
      RealmProgram.configuration(at: config, section, others: [RelayConfiguration.section]))
    try RealmProgram.settle()
    try await VerifierProgram(configuration).run()
  }
}
#endif
