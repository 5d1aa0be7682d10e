import Glibc
import MFARealmStore
import MFATestSupport

/// Three members of etcd on addresses of the loopback interface that no other test uses.
///
/// Destroying the value ends the members and removes their folder.
package final class EtcdCluster {
  /// The folder of the members and the certificates.
  package let folder: String
  /// The addresses of the members.
  package let addresses: [String]
  private let settings: [String]
  private let verifiesClients: Bool
  private var members: [ChildProcess?]

  /// Creates a cluster with options of etcd, starts its members, and waits until it answers. By default,
  /// clients need a certificate.
  package init(
    settings: [String] = [], verifiesClients: Bool = true
  ) throws(HarnessFailure) {
    folder = "/tmp/mfa-etcd-\(UInt32.random(in: 0...UInt32.max))"
    let network = "127.\(Int.random(in: 64...250)).\(Int.random(in: 1...250))."
    addresses = (1...3).map { network + String($0) }
    self.settings = settings
    self.verifiesClients = verifiesClients
    members = [nil, nil, nil]
    try Command.succeed(["/usr/bin/env", "mkdir", "-m", "0700", folder])
    _ = try EtcdCertificates(in: folder, addresses: addresses)
    try start()
  }

  deinit {
    for member in members {
      member?.send(signal: SIGKILL)
    }
    do {
      for member in members { _ = try member?.wait() }
      try Command.succeed(["/usr/bin/env", "rm", "-rf", "--one-file-system", folder])
    } catch {}
  }

  /// The client address of each member.
  package var endpoints: [String] { addresses.map { "https://\($0):2379" } }

  private func name(_ index: Int) -> String { "m\(index)" }

  private func peer(_ index: Int) -> String { "http://\(addresses[index]):2380" }

  private func log(_ index: Int) -> String { "\(folder)/\(name(index)).log" }

  private var peers: String {
    addresses.indices.map { "\(name($0))=\(peer($0))" }.joined(separator: ",")
  }

  // MARK: - The members

  /// Starts members, all of them by default, and waits until they answer.
  package func start(_ indices: [Int] = [0, 1, 2]) throws(HarnessFailure) {
    for index in indices { try launch(index) }
    for index in indices {
      try wait("member \(index) answers") { () throws(HarnessFailure) in
        try control(["endpoint", "health"], [index]).status.isSuccess
      }
    }
  }

  /// Starts a member, and waits for nothing.
  package func launch(_ index: Int) throws(HarnessFailure) {
    let output = try Descriptor.memory()
    members[index] = try ChildProcess(
      [
        "/usr/bin/etcd", "--name", name(index), "--data-dir", "\(folder)/\(name(index))",
        "--listen-client-urls", endpoints[index], "--advertise-client-urls", endpoints[index],
        "--listen-peer-urls", peer(index), "--initial-advertise-peer-urls", peer(index),
        "--initial-cluster", peers, "--initial-cluster-token", "tests",
        "--cert-file", folder + "/server.pem",
        "--key-file", folder + "/server-key.pem", "--heartbeat-interval", "100",
        "--election-timeout", "1000", "--log-level", "error",
        "--logger", "zap", "--log-outputs", log(index),
      ]
        + (verifiesClients ? ["--client-cert-auth", "--trusted-ca-file", folder + "/ca.pem"] : [])
        + settings, descriptors: [1: output.number, 2: output.number], directory: folder)
  }

  /// Kills members, as a crash would.
  package func kill(_ indices: [Int] = [0, 1, 2]) throws(HarnessFailure) {
    for index in indices { members[index]?.send(signal: SIGKILL) }
    for index in indices {
      guard try members[index]?.wait() != nil else {
        throw HarnessFailure("member \(index) does not end")
      }
      members[index] = nil
    }
  }

  /// Stops a member: it keeps its connections, and answers nothing.
  package func suspend(_ index: Int) throws(HarnessFailure) { try members[index]?.suspend() }

  /// Lets a member continue after `suspend(_:)`.
  package func resume(_ index: Int) { members[index]?.resume() }

  /// The index of the leader.
  package func leader() throws(HarnessFailure) -> Int {
    let text = try Command.succeed(
      ["/usr/bin/etcdctl", "endpoint", "status"] + options(Array(addresses.indices)),
      environment: ["ETCDCTL_API": "3"])
    let lines = text.split(separator: "\n").filter { $0.contains(", true, ") }
    for line in lines {
      for (index, endpoint) in endpoints.enumerated() where line.hasPrefix(endpoint) {
        return index
      }
    }
    throw HarnessFailure("the cluster has no leader", evidence: [("status", text)])
  }

  // MARK: - etcdctl

  private func options(_ indices: [Int]) -> [String] {
    [
      "--endpoints", indices.map { endpoints[$0] }.joined(separator: ","), "--cacert",
      folder + "/ca.pem", "--cert", folder + "/client.pem", "--key", folder + "/client-key.pem",
      "--command-timeout", "10s",
    ]
  }

  /// Runs etcdctl with some of the members.
  package func control(
    _ arguments: [String], _ indices: [Int] = [0, 1, 2]
  ) throws(HarnessFailure) -> Command {
    try Command.run(
      ["/usr/bin/etcdctl"] + arguments + options(indices), environment: ["ETCDCTL_API": "3"])
  }

  /// Runs etcdctl, which must succeed, and returns its output.
  @discardableResult
  package func controlled(
    _ arguments: String..., by indices: [Int] = [0, 1, 2]
  ) throws(HarnessFailure) -> String {
    let command = try control(arguments, indices)
    guard command.status.isSuccess else {
      throw HarnessFailure(
        arguments.joined(separator: " "), evidence: [("etcdctl", command.errorText)])
    }
    return command.text
  }

  /// Writes a snapshot of the database to a file in the folder, and returns its path.
  package func snapshot() throws(HarnessFailure) -> String {
    let path = "\(folder)/snapshot-\(UInt32.random(in: 0...UInt32.max))"
    try controlled("snapshot", "save", path, by: [0])
    return path
  }

  /// Ends all members, and starts a cluster with the snapshot in their place: with the same names,
  /// addresses and token, so that the ID of the cluster is the same.
  package func restore(_ snapshot: String) throws(HarnessFailure) {
    try kill()
    for index in addresses.indices {
      let data = "\(folder)/\(name(index))"
      try Command.succeed(["/usr/bin/env", "rm", "-rf", data])
      try Command.succeed(
        [
          "/usr/bin/etcdctl", "snapshot", "restore", snapshot, "--data-dir", data, "--name",
          name(index), "--initial-cluster", peers, "--initial-cluster-token", "tests",
          "--initial-advertise-peer-urls", peer(index),
        ], environment: ["ETCDCTL_API": "3"])
    }
    try start()
  }

  private func wait(
    _ what: String, _ condition: () throws(HarnessFailure) -> Bool
  ) throws(HarnessFailure) {
    let deadline = Deadline.usual
    repeat {
      if try condition() { return }
    } while !deadline.isOver
    var evidence: [(String, String)] = []
    for index in addresses.indices {
      let last = try Command.run(["/usr/bin/env", "tail", "-n", "5", log(index)])
      evidence.append((name(index), last.text))
    }
    throw HarnessFailure("\(what): not before the deadline", evidence: evidence)
  }

  // MARK: - Engines

  /// Returns how an engine reaches the members, or some of them.
  package func configuration(
    prefix: String = "/mfa/", _ indices: [Int] = [0, 1, 2]
  ) -> EtcdConfiguration {
    EtcdConfiguration(
      endpoints: indices.map { endpoints[$0] }, certificate: folder + "/client.pem",
      key: folder + "/client-key.pem", authority: folder + "/ca.pem", prefix: Array(prefix.utf8))
  }
}

/// An authority of a test with the certificates of etcd's members and of their clients, in a folder.
struct EtcdCertificates {
  private let folder: String

  /// Creates an authority, and a certificate for the addresses and for clients.
  init(in folder: String, addresses: [String]) throws(HarnessFailure) {
    self.folder = folder
    try Self.createAuthority(folder, "ca")
    try issue(
      "server", usage: "serverAuth, clientAuth",
      names: addresses.map { "IP:" + $0 }.joined(separator: ","))
    // The certificate has no common name: the gateway refuses one when etcd's users are enabled.
    try issue("client", usage: "clientAuth", names: "DNS:verifier")
  }

  /// Creates the key and the certificate of an authority.
  static func createAuthority(_ folder: String, _ name: String) throws(HarnessFailure) {
    try Command.succeed([
      "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
      "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)", "-days", "2", "-keyout",
      "\(folder)/\(name)-key.pem", "-out", "\(folder)/\(name).pem",
    ])
  }

  private func issue(_ name: String, usage: String, names: String) throws(HarnessFailure) {
    let path = folder + "/" + name
    try Command.succeed([
      "/usr/bin/openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-subj", "/O=tests", "-keyout", path + "-key.pem", "-out", path + ".request",
      "-addext", "subjectAltName=\(names)", "-addext", "extendedKeyUsage=\(usage)",
    ])
    try Command.succeed([
      "/usr/bin/openssl", "x509", "-req", "-in", path + ".request", "-CA", folder + "/ca.pem",
      "-CAkey", folder + "/ca-key.pem", "-CAcreateserial", "-days", "2", "-copy_extensions",
      "copyall", "-out", path + ".pem",
    ])
  }
}
