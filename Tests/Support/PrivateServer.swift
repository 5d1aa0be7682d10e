import MFACTestSupport
import Glibc

/// An OpenSSH server for one test, at 127.0.0.1 and a free port.
package final class PrivateServer {
  /// The port that the server listens on.
  package let port: Int

  /// The contents of the server's configuration file.
  package let configuration: String

  private let folder: String
  private let process: ChildProcess
  private let machine: Machine

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - machine: the machine that the server runs on; the server ends with the test.
  ///   - settings: lines of sshd_config. They precede the default lines of these tests, and sshd
  ///     uses the first line of each setting.
  /// - Throws: the server's log, if the server does not answer.
  package init(on machine: Machine, settings: [String] = []) throws(HarnessFailure) {
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
    configuration = (settings + usual).map { $0 + "\n" }.joined()
    try machine.write(configuration, to: folder + "/sshd_config")
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
    // The server is kept until the test ends, even if the test no longer references it.
    machine.atTheEnd("stop sshd") { try self.stop() }
  }

  /// The whole log of the server.
  package var log: String {
    String(decoding: machine.contents(of: folder + "/log") ?? [], as: UTF8.self)
  }

  /// Starts an ssh client that signs in.
  ///
  /// - Parameters:
  ///   - name: the account name.
  ///   - command: the command to run there, or nil for a shell at a terminal.
  ///   - key: the path of the private key to offer.
  ///   - address: the server's address on the loopback interface.
  ///   - options: options of ssh_config, which take precedence over the defaults of these tests.
  ///   - environment: additional environment variables of the client.
  ///   - window: the size of the client's window.
  /// - Returns: the client at its terminal.
  /// - Throws: the operating system's error, if the client could not be started.
  package func signIn(
    _ name: String, command: String? = nil, key: String? = nil, at address: String = "127.0.0.1",
    options: [String] = [], environment: [String: String] = [:],
    window: (columns: Int32, rows: Int32) = (120, 50)
  ) throws(HarnessFailure) -> TerminalSession {
    var arguments = ["/usr/bin/ssh", "-p", "\(port)"] + settings(key: key, options: options)
    arguments += ["\(name)@\(address)"]
    if let command { arguments += [command] }
    return try TerminalSession(
      arguments, environment: environment, rows: window.rows, columns: window.columns)
  }

  /// Starts scp, which copies a local file to `target` on the server.
  package func copy(
    _ file: String, to target: String, of name: String
  ) throws(HarnessFailure) -> TerminalSession {
    try TerminalSession(
      ["/usr/bin/scp", "-P", "\(port)"] + settings(key: nil, options: [])
        + [file, "\(name)@127.0.0.1:\(target)"])
  }

  /// Returns the arguments with the client's settings.
  package func settings(key: String?, options: [String] = []) -> [String] {
    let usual = [
      "UserKnownHostsFile=\(folder)/known_hosts", "GlobalKnownHostsFile=/dev/null",
      "StrictHostKeyChecking=yes", "IdentitiesOnly=yes", "IdentityAgent=none",
      "PreferredAuthentications=publickey,keyboard-interactive,password", "ConnectTimeout=20",
      "UpdateHostKeys=no", "IdentityFile=\(key ?? "none")",
    ]
    return ["-F", "none"] + (options + usual).flatMap { ["-o", $0] }
  }

  /// Returns whether the server is still running. If the listener crashes, every test fails.
  package func isRunning() throws(HarnessFailure) -> Bool {
    try process.wait(until: .after(seconds: 0)) == nil
  }

  /// Stops the server.
  package func stop() throws(HarnessFailure) {
    process.send(signal: SIGTERM)
    guard try process.wait() != nil else {
      throw HarnessFailure("sshd does not end", evidence: [("sshd's log", log)])
    }
  }
}
