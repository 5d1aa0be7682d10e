#if Fleet
import ArgumentParser
import MFARealmTransport
import MFARelay
import MFABase
import MFAFront

/// Runs the network front of a verifier.
struct VerifierCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "verifier", abstract: "Serve the relays of hosts, in front of mfa-verifier.")
  }

  @Option(help: "The configuration file.")
  var config = FleetProgram.standardConfiguration

  func run() async throws {
    let section = VerifierConfiguration.section
    let configuration = try VerifierConfiguration(
      FleetProgram.configuration(at: config, section, others: [RelayConfiguration.section]))
    try FleetProgram.settle()
    try await VerifierProgram(configuration).run()
  }
}
#endif
