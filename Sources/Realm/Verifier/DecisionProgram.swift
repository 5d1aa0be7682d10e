import MFABase
import MFADecider
import MFARealm

/// The service of `mfa-verifier`: decides the sign-ins of a realm's hosts. It holds the sealing key and the
/// connection to the database, and is reached only through a socket of the network front.
///
/// It works like `mfad`: a supervisor starts processes, each of which serves one connection after the
/// other. A crash concerns only the request that the process serves.
package enum DecisionProgram {
  /// The first descriptor that a service manager passes (sd_listen_fds(3)).
  private static var firstDescriptor: Int32 { 3 }

  /// Runs the service until it is stopped. `path` is the path of the socket, or nil if the service manager
  /// passes it.
  package static func run(listeningAt path: String?) throws(RealmError) {
    let configuration = try DecisionConfiguration.installed()
    guard let counters = DecisionCounters() else {
      throw RealmError("there is not enough memory")
    }
    let realm = try DecisionRealm(
      MeasuredEngine(configuration, counters), configuration)
    let front = try front(configuration)
    let listener = try listener(path)
    try settle()
    // Each process opens its own connection to the database when it first needs one. To open a connection
    // costs the database more than a sign-in, so the processes wait for the next sign-ins.
    guard
      let share = WorkerShare(
        ownUser: ProcessIdentity.current.user, most: configuration.processes,
        mostIdle: configuration.processes)
    else { throw RealmError("there is not enough memory") }
    let worker = DecisionWorker(
      listener: listener, share: share, realm: realm, counters: counters, front: front)
    try RealmError.onSystem("the service failed") { () throws(SystemError) in
      var supervisor = try Supervisor([worker])
      try supervisor.run()
    }
  }

  private static func front(_ configuration: DecisionConfiguration) throws(RealmError) -> UInt32 {
    let account = try RealmError.onSystem("cannot look up front_user") { () throws(SystemError) in
      try Account.named(configuration.frontUser)
    }
    guard let account else {
      throw RealmError(
        "/etc/mfa/verifier.conf: the user in front_user does not exist",
        hint: "packaging/install creates the user mfa-fleet")
    }
    return account.uid
  }

  private static func listener(_ path: String?) throws(RealmError) -> PacketListener {
    let listener = try RealmError.onSystem("cannot open the socket") {
      () throws(SystemError) -> PacketListener? in
      if let path { return try PacketListener(creating: Array(path.utf8), permissions: 0o660) }
      // The variables may have been meant for another process (sd_listen_fds(3)).
      guard ProcessArguments.variable("LISTEN_PID") == ProcessArguments.ownNumber,
        ProcessArguments.variable("LISTEN_FDS") == Array("1".utf8)
      else { return nil }
      return try PacketListener(descriptor: firstDescriptor)
    }
    guard let listener else {
      throw RealmError(
        "the service manager passed no socket", hint: "systemctl start mfa-verifier.socket")
    }
    return listener
  }

  private static func settle() throws(RealmError) {
    do throws(SystemError) {
      try PrivilegedProcess.settle(name: "mfa-verifier", keepsDescriptors: true)
    } catch {
      throw RealmError("the process cannot be prepared")
    }
  }
}
