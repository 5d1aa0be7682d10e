#if Fleet
import MFABase
import MFACMFA
import MFAMessages
import MFARealm
import MFARealmTransport
import MFAWire
import NIOPosix

/// A request of the module, the helper or `mfa-admin`, which the relay forwards to a verifier.
///
/// MUST 1: the relay decides nothing while a verifier answers: the module gets the packet of a verifier, `busy`, or
/// the end of the connection. (Tests/Fleet)
/// MUST 2: if no verifier answers, the sign-in is denied unless `OfflineSignIn` allows it. If the connection just
/// ended, the module would decide from the host's own store, in which no user has enrolled. (Tests/Fleet: `no
/// verifier`)
/// MUST 3: only the helper's own process can state the user for whom it acts. (`GatheredFactsTests`)
struct RelayedRequest: Sendable {
  let verifiers: VerifierPool
  let share: RelayShare
  let metrics: RelayMetrics
  /// The threads that ask the name services.
  let lookups: NIOThreadPool
  /// The directory service that tells to which entry an account belongs, or nil if this host asks none.
  let directory: DirectoryService?
  /// What decides while no verifier answers, or nil if this host denies then.
  let offline: OfflineSignIn?
  let upkeep: OfflineUpkeep?

  /// How long the other end may take to send its request.
  private static var patience: Duration { .seconds(2) }

  /// Serves a connection, and closes it.
  func run(_ channel: PacketChannel, _ peer: Peer) async {
    defer { channel.close() }
    metrics.ended.add(for: await serve(channel, peer).rawValue)
  }

  /// Serves a connection. Returns how the request ended.
  private func serve(_ channel: PacketChannel, _ peer: Peer) async -> RelayMetrics.End {
    guard share.begin(for: peer.user) else {
      // A helper whose user is not known yet decides itself about a request that was not read.
      if peer.user != ProcessIdentity.current.user { Self.send(SignInReply([], .busy), channel) }
      return .busy
    }
    var user = peer.user
    defer { share.end(for: user) }
    do {
      guard let (packet, sender) = try await Self.request(from: channel) else { return .malformed }
      if packet.withSpan({ AdministrationRequest.begins($0) }) {
        let request = RelayedAdministration(verifiers: verifiers, peer: peer, packet: packet)
        if let reply = await request.reply() { Self.send(reply, channel) }
        return .answered
      }
      let facts = try await lookups.runIfActive { () throws -> HostFacts in
        let facts = try packet.withSpan {
          try HostFacts.gathered(for: $0, peer: peer, sender: sender)
        }
        return directory?.identified(facts) ?? facts
      }
      if facts.peerUser != user {
        guard share.begin(for: facts.peerUser) else {
          Self.refuse(packet, channel)
          return .busy
        }
        share.end(for: user)
        user = facts.peerUser
      }
      return try await decide(packet, facts, channel)
    } catch {
      // The packet is malformed, or its sender is not the helper. The connection ends.
      return .malformed
    }
  }

  /// Has a verifier decide, and sends the reply.
  private func decide(
    _ packet: PacketBytes, _ facts: HostFacts, _ channel: PacketChannel
  ) async throws -> RelayMetrics.End {
    let begun = offline == nil ? nil : OfflineSignIn.Start(packet)
    var origin: [UInt8]?
    if let begun, begun.line == .auth, facts.peerUser == 0 { origin = try begun.origin() }
    let call = RealmCall(packet, facts: facts.encoded())
    metrics.open.add()
    defer { metrics.open.add(-1) }
    let isOfHelper = packet.withSpan { ManagementCall.begins($0) }
    switch await verifiers.decide(call, canWait: isOfHelper) {
    case .answered(let reply):
      Self.send(PacketBytes(copying: reply), channel)
      channel.close()
      if begun?.line == .auth, let user = facts.user?.account.name, Self.allows(reply) {
        await upkeep?.signedIn(call, user: user, origin: origin)
      }
      return .answered
    case .unanswered:
      guard let offline, let begun else {
        Self.deny(packet, channel)
        return .noVerifier
      }
      do {
        Self.send(try await offline.reply(to: begun, facts, origin: origin), channel)
        return .offline
      } catch {
        Log.writeError(in: "relay", reason: "offline")
        Self.deny(packet, channel)
        return .noVerifier
      }
    case .refused:
      Self.deny(packet, channel)
      return .malformed
    }
  }

  private static func request(from channel: PacketChannel) async throws -> (PacketBytes, Peer)? {
    try await Deadline.limit(patience) {
      guard case .packet = try await channel.arrival() else { return nil }
      var sender = Peer(process: 0, user: .max)
      return try channel.take(from: &sender).map { ($0, sender) }
    } ?? nil
  }

  /// Returns whether a packet is a reply that allows the sign-in.
  private static func allows(_ packet: [UInt8]) -> Bool {
    do throws(PacketError) {
      let reply = try SignInReply(packet: SecretBytes(copying: packet.span))
      guard case .verdict(let number) = reply.end else { return false }
      return number == SignInReply.number(of: .allow)
    } catch {
      return false
    }
  }

  /// Tells the module, or the helper, that the relay has no room for this user.
  private static func refuse(_ packet: PacketBytes, _ channel: PacketChannel) {
    guard packet.withSpan({ ManagementCall.begins($0) }) else {
      return send(SignInReply([], .busy), channel)
    }
    send(ManagementReply(.busy), channel)
  }

  /// Denies a sign-in, or refuses a request of the helper, because no verifier answered.
  private static func deny(_ packet: PacketBytes, _ channel: PacketChannel) {
    guard !packet.withSpan({ ManagementCall.begins($0) }) else {
      return send(ManagementReply(refusing: .storeUnavailable), channel)
    }
    let text = SignInMessage.unavailable.text(in: .english).wrapped(to: MessageText.moduleColumns)
    send(
      SignInReply([.tell(text.utf8.span, as: .ending, essential: true)], endingWith: .deny), channel
    )
  }

  private static func send(_ reply: consuming ManagementReply, _ channel: PacketChannel) {
    if let packet = reply.packet() { send(PacketBytes(packet), channel) }
  }

  private static func send(_ reply: SignInReply, _ channel: PacketChannel) {
    if let packet = reply.packet() { send(PacketBytes(packet), channel) }
  }

  private static func send(_ packet: PacketBytes, _ channel: PacketChannel) {
    do throws(SystemError) {
      try channel.send(packet)
    } catch {
      // The connection ends all the same.
    }
  }
}

extension SignInReply {
  /// Creates a reply that ends with a verdict.
  init(_ effects: [SignInEffect], endingWith verdict: mfa_verdict) {
    self.init(effects, .verdict(Self.number(of: verdict)))
  }

  /// Returns the number of a verdict in a reply.
  fileprivate static func number(of verdict: mfa_verdict) -> UInt8 {
    UInt8(truncatingIfNeeded: verdict.rawValue)
  }
}
#endif
