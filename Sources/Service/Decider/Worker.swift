import MFAWire
import MFAAttempt
import MFABase
import MFASignIn

/// A process of `mfad`, which serves the module and the helper on this host.
struct Worker: PoolWorker {
  let listener: PacketListener
  let host: ResidentHost
  let share: WorkerShare

  var part: StaticString { "resident" }

  func serve(_ connection: PacketConnection) throws(SystemError) {
    let peer = try connection.peer()
    guard share.begin(for: peer.user) else {
      // A helper whose user is not known yet runs its conversation itself when the connection ends.
      // After `busy` it would refuse, so that one user's helpers could keep those of others from working.
      if peer.user != share.ownUser {
        var reply = SignInReply([], .busy)
        connection.reply(&reply)
      }
      return
    }
    Alarm.set(seconds: ConversationLimit.working)
    defer { Alarm.set(seconds: 0) }
    var sender = Peer(process: 0, user: .max)
    guard
      case .packet(let packet) = try connection.receive(
        seconds: ConversationLimit.firstMessage, sender: &sender)
    else { return }
    guard packet.withSpan({ ModuleMessage.begins($0) }) else {
      return decide(packet, connection, peer)
    }
    if let message = packet.withSpan({ ModuleMessage.first($0) }),
      case .manage(let terminal) = message
    {
      try manage(terminal, connection, peer, sender)
    }
  }

  private func decide(
    _ packet: consuming SecretBytes, _ connection: PacketConnection, _ peer: Peer
  ) {
    guard var reply = Decider.reply(to: packet, from: peer.user, host: host) else { return }
    connection.reply(&reply)
  }

  /// Runs the helper's conversation. Only the helper has the effective user ID of this process and
  /// the real one of its caller; the kernel vouches for both.
  private func manage(
    _ terminal: [UInt8]?, _ connection: PacketConnection, _ peer: Peer, _ sender: Peer
  ) throws(SystemError) {
    guard peer.user == ProcessIdentity.current.user, sender.process == peer.process,
      // A process of another namespace is not visible.
      sender.process != 0,
      let caller = try Account.with(uid: sender.user)
    else { return }
    guard share.take(for: sender.user) else {
      _ = connection.send(.busy)
      return
    }
    let client = RelayedClient(connection)
    var conversation = Conversation(
      caller: caller, terminal: terminal, host: host, proof: RelayedProof(client: client),
      client: client)
    conversation.run()
  }
}
