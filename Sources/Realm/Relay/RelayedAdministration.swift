#if Fleet
import FoundationEssentials
import GRPCCore
import MFARealm
import MFARealmTransport
import MFAWire
import MFABase

/// A request of `mfa-admin` on this host, which the relay forwards to one verifier.
///
/// MUST 1: only a process that acted as root when it connected is served. (Tests/Fleet: `administration not by
/// root`)
/// MUST 2: a request that changes the realm is sent to one verifier only, because the relay cannot know
/// whether a verifier that did not answer has made the change. (Tests/Fleet: `administration is not repeated`)
struct RelayedAdministration: Sendable {
  let verifiers: VerifierPool
  let channel: PacketChannel
  let peer: Peer
  let packet: PacketBytes

  /// How long a verifier may take to answer.
  private static var patience: Duration { .seconds(20) }

  /// Answers the request.
  func run() async {
    guard peer.user == 0 else { return fail(.notRoot) }
    let start = Self.start(packet, peer)
    var failure = AdministrationFailure.noVerifier
    for verifier in verifiers.candidates {
      let works = await verifier.answersCheck()
      guard works else { continue }
      let attempt = ConversationAttempt(channel, start) {}
      switch await attempt.run(at: verifier, limit: Self.patience) {
      case .ended: return
      case .unanswered(let code):
        // No place for the conversation was free, so that the decision service has got nothing.
        if code == .resourceExhausted { continue }
        guard isChange else { continue }
        failure = .uncertain
      }
      if failure == .uncertain { break }
    }
    fail(failure)
  }

  /// Whether the request may change the realm. A request that this relay cannot read may do so.
  private var isChange: Bool {
    do throws(PacketError) {
      return try packet.withSpan { packet throws(PacketError) in
        try AdministrationRequest(packet).command.isChange
      }
    } catch {
      return true
    }
  }

  private func fail(_ failure: AdministrationFailure) {
    let detail = failure == .noVerifier ? verifiers.expiry : ""
    let reply = AdministrationReply.failed(failure, detail: Array(detail.utf8))
    guard let packet = reply.packet() else { return }
    do throws(SystemError) {
      try channel.send(PacketBytes(packet))
    } catch {
      // The process has ended.
    }
  }

  private static func start(_ packet: PacketBytes, _ peer: Peer) -> FleetStart {
    let facts = HostFacts(
      peerUser: peer.user, caller: nil, user: nil, isLookupCertain: true, sharing: [],
      stacks: .unknown, secureShell: .unknown, sinceBoot: nil)
    return RelayedConversation.start(packet, facts)
  }
}
#endif
