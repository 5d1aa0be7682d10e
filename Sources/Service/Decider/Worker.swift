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
      if peer.user != share.ownUser { _ = connection.send(.busy) }
      return
    }
    Alarm.set(seconds: ConversationLimit.working)
    defer { Alarm.set(seconds: 0) }
    var sender = Peer(process: 0, user: .max)
    guard
      let message = ModuleMessage.receive(
        from: connection, seconds: ConversationLimit.firstMessage, sender: &sender)
    else { return }
    switch consume message {
    case .start(let start): decide(start, connection, peer)
    case .manage(let terminal): try manage(terminal, connection, peer, sender)
    default: return
    }
  }

  private func decide(
    _ start: consuming ConversationStart, _ connection: PacketConnection, _ peer: Peer
  ) {
    let isRoot = peer.user == 0
    let (line, request, caller) = (start.line, start.request, start.caller)
    // Only root may name a configuration file: this process can read files that the user cannot. The
    // user's process then decides by itself, and reads the file with the user's rights.
    guard isRoot || !request.namesConfiguration else {
      _ = connection.send(.busy)
      return
    }
    let claimant =
      isRoot ? WorkerShare.claimant(caller: caller, signingIn: request.user) : peer.user
    guard share.serve(claimant) else {
      _ = connection.send(.busy)
      return
    }
    let application = ServedApplication(
      connection, actsAsRoot: isRoot, share: share, claimant: claimant,
      start: start)
    // A user's own process cannot claim to be run by another user.
    let identity = ProcessIdentity(
      user: isRoot ? caller : peer.user, actsAsRoot: isRoot, isConfined: false)
    let signIn = SignIn(
      request, host: ServedHost(application, identity, host), application: application)
    application.finish(signIn.run(line).verdict.number)
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

extension SignInRequest {
  /// Whether an argument names a configuration file.
  fileprivate var namesConfiguration: Bool {
    let option: StaticString = "config="
    return arguments.contains { $0.starts(with: option.bytes) }
  }
}
