#if Fleet
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
  let peer: Peer
  let packet: PacketBytes

  /// How long a verifier may take to answer.
  private static var patience: Duration { .seconds(20) }

  /// Returns the packet that answers the request.
  func reply() async -> PacketBytes? {
    guard peer.user == 0 else { return failed(.notRoot) }
    let facts = HostFacts(
      peerUser: peer.user, caller: nil, user: nil, isLookupCertain: true, sharing: [],
      stacks: .unknown, secureShell: .unknown, sinceBoot: nil)
    let call = RealmCall(packet, facts: facts.encoded())
    for verifier in verifiers.candidates {
      let works = await verifier.answersCheck()
      guard works else { continue }
      do {
        let strings = try await verifier.call(.decide, call.strings, timeout: Self.patience)
        return strings.first.map { PacketBytes(copying: $0) }
      } catch {
        // If no place was free, the decision service has got nothing.
        if (error as? RPCError)?.code == .resourceExhausted { continue }
        if isChange { return failed(.uncertain) }
      }
    }
    return failed(.noVerifier)
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

  private func failed(_ failure: AdministrationFailure) -> PacketBytes? {
    let detail = failure == .noVerifier ? verifiers.expiry : ""
    let reply = AdministrationReply.failed(failure, detail: Array(detail.utf8))
    guard let packet = reply.packet() else { return nil }
    return PacketBytes(packet)
  }
}
#endif
