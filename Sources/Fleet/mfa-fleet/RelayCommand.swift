#if Fleet
import ArgumentParser
import MFABytes
import MFAFleetTransport
import MFARelay
import MFAResidentProtocol
import MFASystem
import MFAVerifierFront

/// Runs the relay of a host.
struct RelayCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "relay", abstract: "Forward the sign-ins of this host to a verifier.",
      discussion: """
        Started by mfad.socket and mfad-users.socket, in the place of mfad. Without a service \
        manager, --listen creates the sockets.
        """)
  }

  @Option(help: "The configuration file.")
  var config = FleetProgram.standardConfiguration

  @Option(help: ArgumentHelp("Create the sockets root and users in a folder.", valueName: "folder"))
  var listen: String?

  func run() async throws {
    let section = RelayConfiguration.section
    let configuration = try RelayConfiguration(
      FleetProgram.configuration(at: config, section, others: [VerifierConfiguration.section]))
    if listen == nil { try requireRealm() }
    let sockets = try sockets()
    try FleetProgram.settle()
    try await RelayProgram(configuration, sockets).run()
  }

  /// Requires the file that says that the factors are kept by a realm. Without it, the module decides from the
  /// host's own store while the relay does not run.
  private func requireRealm() throws(FleetError) {
    guard !Directory.mayExist(InstalledPath.realm.bytes) else { return }
    throw FleetError(
      "\(InstalledPath.realm) does not exist, so users could sign in without a code while no relay runs",
      hint: "touch \(InstalledPath.realm)")
  }

  /// Returns the sockets, before the environment that names them is cleared.
  private func sockets() throws(FleetError) -> ServiceSockets {
    do throws(SystemError) {
      if let listen { return try ServiceSockets(in: Array(listen.utf8)) }
      // The variables may have been meant for another process (sd_listen_fds(3)).
      let isMeant = ProcessArguments.variable("LISTEN_PID") == ProcessArguments.ownNumber
      let names = isMeant ? ProcessArguments.variable("LISTEN_FDNAMES") ?? [] : []
      if let sockets = try ServiceSockets(names: names) { return sockets }
    } catch {
      throw FleetError("cannot use the sockets: \(error.text)")
    }
    throw FleetError(
      "there are no sockets",
      hint: "systemctl start mfad.socket mfad-users.socket, or mfa-fleet relay --listen FOLDER")
  }
}
#endif
