#if Fleet
import ArgumentParser
import MFABase
import MFARealm
import MFARealmTransport
import MFARelay
import MFAWire
import MFAFront

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
  var config = RealmProgram.standardConfiguration

  @Option(help: ArgumentHelp("Create the sockets root and users in a folder.", valueName: "folder"))
  var listen: String?

  @Flag(help: "Print the state of the relay that runs, and exit.")
  var status = false

  func run() async throws {
    let section = RelayConfiguration.section
    let configuration = try RelayConfiguration(
      RealmProgram.configuration(at: config, section, others: [VerifierConfiguration.section]))
    if status { return try report(configuration.stateFile) }
    if listen == nil { try requireRealm() }
    let sockets = try sockets()
    try RealmProgram.settle()
    try await RelayProgram(configuration, sockets).run()
  }

  /// How old the file with the state may be, in seconds. A relay that runs writes it every 30 seconds.
  private static var oldest: Int64 { 120 }

  /// Prints what the relay says about itself.
  private func report(_ path: String) throws(RealmError) {
    // What the relay's user writes must not control root's terminal.
    let printable = try RealmFile(path).readReport().map { byte in
      (0x20...0x7E).contains(byte) || byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: "?")
    }
    let text = String(decoding: printable, as: UTF8.self)
    let written = text.split(separator: "\n").first { $0.hasPrefix("written = ") }
      .flatMap { Int64($0.dropFirst("written = ".count)) }
    let now = try RealmError.onSystem("cannot read the clock") { () throws(SystemError) in
      try Clock.now()
    }
    let (age, overflow) = now.subtractingReportingOverflow(written ?? .min)
    guard !overflow, age < Self.oldest, !text.hasPrefix("state = stopped") else {
      throw RealmError("the relay does not run", hint: "systemctl status mfa-relay")
    }
    print(text, terminator: "")
  }

  /// Requires the file that says that the factors are kept by a realm. Without it, the module decides from the
  /// host's own store while the relay does not run.
  private func requireRealm() throws(RealmError) {
    guard !Directory.mayExist(InstalledPath.realm.bytes) else { return }
    throw RealmError(
      "\(InstalledPath.realm) does not exist, so users could sign in without a code while no relay runs",
      hint: "touch \(InstalledPath.realm)")
  }

  /// Returns the sockets, before the environment that names them is cleared.
  private func sockets() throws(RealmError) -> ServiceSockets {
    do throws(SystemError) {
      if let listen { return try ServiceSockets(in: Array(listen.utf8)) }
      // The variables may have been meant for another process (sd_listen_fds(3)).
      let isMeant = ProcessArguments.variable("LISTEN_PID") == ProcessArguments.ownNumber
      let names = isMeant ? ProcessArguments.variable("LISTEN_FDNAMES") ?? [] : []
      if let sockets = try ServiceSockets(names: names) { return sockets }
    } catch {
      throw RealmError("cannot use the sockets: \(error.text)")
    }
    throw RealmError(
      "there are no sockets",
      hint: "systemctl start mfad.socket mfad-users.socket, or mfa-fleet relay --listen FOLDER")
  }
}
#endif
