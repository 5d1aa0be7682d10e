#if Fleet
import FoundationEssentials
import MFARealm
import MFARealmTransport
import MFAMessages
import MFAWire
import MFABase
import NIOPosix

/// A conversation of the module or the helper, which the relay forwards to a verifier.
///
/// MUST 1: the relay decides nothing while a verifier answers: the module gets packets of a verifier, `busy`, or
/// the end of the connection. (Tests/Fleet)
/// MUST 2: if no verifier answers, the sign-in is denied unless `OfflineSignIn` allows it. If the connection just
/// ended, the module would decide from the host's own store, in which no user has enrolled. (Tests/Fleet: `no
/// verifier`)
/// MUST 3: only the helper's own process can state the user for whom it acts. (`GatheredFactsTests`)
struct RelayedConversation: Sendable {
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

  /// How long the other end may take to send its first packet.
  private static var patience: Duration { .seconds(2) }

  /// Serves a connection, and closes it.
  func run(_ channel: PacketChannel, _ peer: Peer) async {
    defer { channel.close() }
    metrics.ended(await serve(channel, peer))
  }

  /// Serves a connection. Returns how the conversation ended.
  private func serve(_ channel: PacketChannel, _ peer: Peer) async -> RelayMetrics.End {
    guard share.begin(for: peer.user) else {
      // A helper whose user is not known yet decides itself about a request that was not read.
      if peer.user != ProcessIdentity.current.user { Self.send(SignInReply([], .busy), channel) }
      return .busy
    }
    var user = peer.user
    defer { share.end(for: user) }
    do {
      guard let (packet, sender) = try await Self.first(from: channel) else { return .malformed }
      if packet.withSpan({ AdministrationRequest.begins($0) }) {
        await RelayedAdministration(
          verifiers: verifiers, channel: channel, peer: peer, packet: packet
        ).run()
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
      let begun = offline == nil ? nil : OfflineSignIn.Start(packet)
      var origin: [UInt8]?
      if let begun, begun.line == .auth, facts.peerUser == 0 {
        origin = try begun.origin()
      }
      let start = Self.start(packet, facts)
      metrics.begin()
      defer { metrics.end() }
      switch await verifiers.run(channel, start) {
      case .answered(let isAllowed):
        channel.close()
        guard isAllowed, begun?.line == .auth, let user = facts.user?.account.name else {
          return .answered
        }
        await upkeep?.signedIn(start, user: user, origin: origin)
        return .answered
      case .unanswered:
        guard let offline, let begun else {
          Self.deny(channel, packet)
          return .noVerifier
        }
        do {
          try await offline.run(begun, facts, origin: origin, channel)
          return .offline
        } catch {
          FleetLog.write(FleetLog.failure("relay", "offline"))
          Self.deny(channel, packet)
          return .noVerifier
        }
      case .refused:
        Self.deny(channel, packet)
        return .malformed
      }
    } catch {
      // The packet is malformed, or its sender is not the helper. The connection ends.
      return .malformed
    }
  }

  private static func first(from channel: PacketChannel) async throws -> (PacketBytes, Peer)? {
    try await Deadline.limit(patience) {
      guard case .packet = try await channel.arrival() else { return nil }
      var sender = Peer(process: 0, user: .max)
      return try channel.take(from: &sender).map { ($0, sender) }
    } ?? nil
  }

  static func start(_ packet: PacketBytes, _ facts: HostFacts) -> FleetStart {
    var random = SystemRandomNumberGenerator()
    var start = FleetStart()
    start.nonce = FleetData(
      (0..<FleetConversation.nonceLength).map { _ in UInt8.random(in: 0...255, using: &random) })
    start.hostFacts = FleetData(facts.encoded())
    start.packet = FleetData(packet.copied())
    return start
  }

  /// Tells the module, or the helper, that the relay has no room for this user.
  private static func refuse(_ packet: PacketBytes, _ channel: PacketChannel) {
    guard packet.withSpan({ ManagementCall.begins($0) }) else {
      return send(SignInReply([], .busy), channel)
    }
    if let packet = ManagementReply(.busy).packet() { send(PacketBytes(packet), channel) }
  }

  /// The number of the verdict that denies (mfa.h).
  private static var denial: UInt8 { 0 }

  /// Denies a sign-in, or tells the helper's client to try again later, because no verifier answered.
  private static func deny(_ channel: PacketChannel, _ packet: PacketBytes) {
    guard !packet.withSpan({ ManagementCall.begins($0) }) else { return refuse(packet, channel) }
    let text = SignInMessage.unavailable.text(in: .english).wrapped(to: MessageText.moduleColumns)
    send(
      SignInReply([.tell(text.utf8.span, essential: true)], .verdict(denial)), channel)
  }

  private static func send(_ reply: SignInReply, _ channel: PacketChannel) {
    var reply = reply
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
#endif
