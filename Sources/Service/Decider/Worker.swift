import MFAAttempt
import MFABase
import MFASignIn
import MFAWire

/// A process of `mfad`, which serves the module and the helper on this host.
struct Worker: PoolWorker {
  let listener: PacketListener
  let host: ResidentHost
  let share: WorkerShare

  var part: StaticString { "resident" }

  func serve(_ connection: PacketConnection) throws(SystemError) {
    let peer = try connection.peer()
    guard share.begin(for: peer.user) else {
      // A helper whose user is not known yet decides itself about a request that was not read. After `busy` it
      // would refuse, so that one user's helpers could keep those of others from working.
      if peer.user != share.ownUser {
        connection.reply(SignInReply([], .busy))
      }
      return
    }
    Alarm.set(seconds: RequestLimit.working)
    defer { Alarm.set(seconds: 0) }
    var sender = Peer(process: 0, user: .max)
    guard
      case .packet(let packet) = try connection.receive(
        seconds: RequestLimit.firstMessage, sender: &sender)
    else { return }
    if packet.withSpan({ ManagementCall.begins($0) }) {
      try manage(packet, connection, peer, sender)
    } else if packet.withSpan({ ProbeCall.begins($0) }) {
      guard peer.user == 0 else { return }
      connection.reply(ProbeReply(on: host, user: ProcessIdentity.current.user))
    } else {
      decide(packet, connection, peer)
    }
  }

  private func decide(
    _ packet: consuming SecretBytes, _ connection: PacketConnection, _ peer: Peer
  ) {
    guard let reply = Decider.reply(to: packet, from: peer.user, host: host) else { return }
    connection.reply(reply)
  }

  /// Decides about a request of the helper. Only the helper has the effective user ID of this process and
  /// the real one of its caller; the kernel vouches for both.
  private func manage(
    _ packet: consuming SecretBytes, _ connection: PacketConnection, _ peer: Peer, _ sender: Peer
  ) throws(SystemError) {
    guard peer.user == ProcessIdentity.current.user, sender.process == peer.process,
      // A process of another namespace is not visible.
      sender.process != 0,
      let caller = try Account.with(uid: sender.user)
    else { return }
    guard share.take(for: sender.user) else {
      connection.reply(ManagementReply(.busy))
      return
    }
    host.manage(packet, for: caller, connection, servesAllUsers: caller.uid == 0) {
      _, recipient in
      // The delivery starts later, in another process, which marks the notices as mailed.
      host.deliverNotices(to: Account(name: recipient, uid: caller.uid)) ? .noMailer : .refused(-1)
    }
  }
}

/// What each process of a pool does: it serves one connection after the other. Whatever happens to the
/// process concerns only the connection that it serves.
package protocol PoolWorker {
  /// The socket whose connections are served.
  var listener: PacketListener { get }

  /// What the processes of the pool know of each other.
  var share: WorkerShare { get }

  /// The name of the service in log lines.
  var part: StaticString { get }

  /// Serves a connection to its end.
  func serve(_ connection: PacketConnection) throws(SystemError)
}

/// The time limits of requests.
package enum RequestLimit {
  /// How long the other end may take to send its first message, in seconds.
  package static var firstMessage: Int64 { ProtocolDeadline.start }

  /// How long a request may take, in seconds. The kernel then
  /// ends this process (alarm(2)).
  package static var working: UInt32 { 60 }
}

extension PoolWorker {
  /// Serves connections until the process has served its number, or is not needed any more.
  package func run() {
    for _ in 0..<WorkerShare.connectionsPerProcess {
      do throws(SystemError) {
        try serve(
          try WorkerProcess.stoppable { () throws(SystemError) in try listener.accept() })
      } catch {
        var line = LogLine()
        line.add("result", "error")
        line.add("part", part)
        line.add(error)
        Log.write(.error, line)
        return
      }
      guard share.end() else { return }
    }
  }
}

/// The rules for the scheduling of a process that takes locks.
enum Scheduling {
  /// Returns whether a process with a scheduling policy (sched(7)) and a niceness gets its share of the
  /// processors. A negative policy is an error.
  static func isSound(policy: Int32, niceness: Int32) -> Bool {
    // SCHED_RESET_ON_FORK
    let resetOnFork: Int32 = 0x4000_0000
    // SCHED_OTHER is 0.
    return policy >= 0 && policy & ~resetOnFork == 0 && niceness <= 0
  }
}
