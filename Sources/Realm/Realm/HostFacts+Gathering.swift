import MFAWire
import MFABase
import MFAAttempt
import MFAPAMStack

// Gathering the facts on the host of the relay.
//
// MUST 1: a request of the helper is accepted only from the process that connected, with this process's own user as
// its effective user. (`GatheredFactsTests.notTheHelper`)
extension HostFacts {
  /// Gathers the facts for the request in a packet. `peer` is the process that
  /// connected, and `sender` the one that sent the packet.
  ///
  /// - Throws: `.unknownKind` for a message of the helper whose sender is not the helper, or is not certain.
  package static func gathered<Stacks: StackSource>(
    for packet: Span<UInt8>, peer: Peer, sender: Peer, stacks: Stacks = InstalledStacks(),
    ownUser: UInt32 = ProcessIdentity.current.user
  ) throws(PacketError) -> HostFacts {
    guard ManagementCall.begins(packet) else {
      let call = try SignInCall(packet: SecretBytes(copying: packet))
      return gathered(for: call.request, peer: peer, stacks: stacks)
    }
    _ = try ManagementCall(packet: SecretBytes(copying: packet))
    // A process of another namespace is not visible.
    guard peer.user == ownUser, sender.process == peer.process, sender.process != 0 else {
      throw .unknownKind(ManagementCall.kind)
    }
    return gathered(forHelperOf: sender.user)
  }

  private static func gathered<Stacks: StackSource>(
    for request: SignInRequest, peer: Peer, stacks: Stacks
  ) -> HostFacts {
    let service = request.service
    // No rule concerns the groups of root, who signs in other users.
    let caller = AccountLookup(uid: peer.user, withGroups: peer.user != 0)
    let user = AccountLookup(name: request.user)
    let isSecureShell = SessionService(service) == .sshd
    return HostFacts(
      peerUser: peer.user, caller: caller.facts, user: user.facts,
      isLookupCertain: caller.isCertain && user.isCertain, sharing: user.sharing,
      stacks: reported(stacks, for: request, isSecureShell: isSecureShell),
      secureShell: isSecureShell ? InstalledSecureShell.configuration : .unknown,
      sinceBoot: sinceBoot)
  }

  private static func gathered(forHelperOf user: UInt32) -> HostFacts {
    let caller = AccountLookup(uid: user)
    return HostFacts(
      peerUser: user, caller: caller.facts, user: nil, isLookupCertain: caller.isCertain,
      sharing: [], stacks: .unknown, secureShell: .unknown, sinceBoot: sinceBoot)
  }

  /// Returns the service files that a sign-in looks up.
  private static func reported<Stacks: StackSource>(
    _ stacks: Stacks, for request: SignInRequest, isSecureShell: Bool
  ) -> ReportedStacks {
    let recorder = StackRecorder(stacks)
    _ = AccountLine(
      of: "pam_mfa.so", service: request.service, authArguments: request.arguments,
      isCalledByRoot: true, from: recorder)
    if isSecureShell {
      do throws(StackRefusal) {
        _ = try ServiceStack(.auth, of: request.service, from: recorder)
        _ = try ServiceStack(.session, of: request.service, from: recorder)
      } catch {
        // The recorder has noted what could not be read. The verifier refuses the rest again.
      }
    }
    return recorder.recorded
  }

  private static var sinceBoot: Int64? {
    do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil }
  }
}
