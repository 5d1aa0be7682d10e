import CTestSupport
import Glibc

/// An OpenSSH server of a test's own, at 127.0.0.1 and a port that was free.
public final class PrivateServer {
  /// The port that it listens at.
  public let port: Int

  private let folder: String
  private let process: ChildProcess
  private let machine: Machine

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - machine: the machine that it runs on; the server ends with the test.
  ///   - settings: lines of sshd_config. They go before the usual ones of these tests, and the
  ///     first line of a setting counts.
  /// - Throws: the server's log, when it does not answer.
  public init(on machine: Machine, settings: [String] = []) throws(HarnessFailure) {
    self.machine = machine
    port = Int(ctest_free_port())
    folder = machine.folder + "/sshd-\(port)"
    try Command.succeed(["/bin/mkdir", "-m", "0755", folder])
    let hostKey = folder + "/host-key"
    try Command.succeed(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", hostKey])
    let usual = [
      "Port \(port)", "ListenAddress 127.0.0.1", "HostKey \(hostKey)", "PidFile none",
      "LogLevel VERBOSE", "UseDNS no", "PrintMotd no", "UsePAM yes", "PermitRootLogin no",
      "KbdInteractiveAuthentication yes", "PasswordAuthentication no", "PubkeyAuthentication yes",
      "MaxStartups 200", "Subsystem sftp internal-sftp",
    ]
    try machine.write(
      (settings + usual).map { $0 + "\n" }.joined(), to: folder + "/sshd_config")
    let key = machine.contents(of: hostKey + ".pub") ?? []
    try machine.write(
      Array("[127.0.0.1]:\(port),[::1]:\(port) ".utf8) + key, to: folder + "/known_hosts")
    process = try ChildProcess([
      "/usr/sbin/sshd", "-D", "-f", folder + "/sshd_config", "-E", folder + "/log",
    ])
    let deadline = Deadline.usual
    while ctest_port_answers(Int32(port)) != 1 {
      let ended = try process.wait(until: .after(seconds: 0))
      guard ended == nil, !deadline.isOver else {
        throw HarnessFailure("sshd does not answer", evidence: [("sshd's log", log)])
      }
      _ = ctest_readable(-1, -1, 10)
    }
    // The machine keeps the server until the test ends, whether or not the test mentions it again.
    machine.atTheEnd("stop sshd") { try self.stop() }
  }

  /// All that the server has logged.
  public var log: String {
    String(decoding: machine.contents(of: folder + "/log") ?? [], as: UTF8.self)
  }

  /// Starts the client of a person who signs in.
  ///
  /// - Parameters:
  ///   - name: whose account.
  ///   - command: what to run there; without one, a shell at a terminal.
  ///   - key: the path of the key that is offered.
  ///   - address: where the server listens, of the loopback interface.
  ///   - options: options of ssh_config, which count before the usual ones of these tests.
  ///   - environment: the client's, beside what every program gets.
  /// - Returns: the client at its terminal.
  /// - Throws: what the operating system said when the client could not be started.
  public func signIn(
    _ name: String, command: String? = nil, key: String? = nil, at address: String = "127.0.0.1",
    options: [String] = [], environment: [String: String] = [:]
  ) throws(HarnessFailure) -> TerminalSession {
    var arguments = ["/usr/bin/ssh", "-p", "\(port)"] + settings(key: key, options: options)
    arguments += ["\(name)@\(address)"]
    if let command { arguments += [command] }
    return try TerminalSession(arguments, environment: environment)
  }

  /// Starts scp, which copies a local file to `target` on the server.
  public func copy(
    _ file: String, to target: String, of name: String
  ) throws(HarnessFailure) -> TerminalSession {
    try TerminalSession(
      ["/usr/bin/scp", "-P", "\(port)"] + settings(key: nil, options: [])
        + [file, "\(name)@127.0.0.1:\(target)"])
  }

  /// The arguments with the client's settings.
  private func settings(key: String?, options: [String]) -> [String] {
    let usual = [
      "UserKnownHostsFile=\(folder)/known_hosts", "GlobalKnownHostsFile=/dev/null",
      "StrictHostKeyChecking=yes", "IdentitiesOnly=yes", "IdentityAgent=none",
      "PreferredAuthentications=publickey,keyboard-interactive,password", "ConnectTimeout=20",
      "UpdateHostKeys=no", "IdentityFile=\(key ?? "none")",
    ]
    return ["-F", "none"] + (options + usual).flatMap { ["-o", $0] }
  }

  /// Whether the server still runs; a crash of the listener is a failure of every test.
  public func isRunning() throws(HarnessFailure) -> Bool {
    try process.wait(until: .after(seconds: 0)) == nil
  }

  /// Ends the server.
  public func stop() throws(HarnessFailure) {
    process.send(signal: SIGTERM)
    guard try process.wait() != nil else {
      throw HarnessFailure("sshd does not end", evidence: [("sshd's log", log)])
    }
  }
}
