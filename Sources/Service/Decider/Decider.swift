import MFAAttempt
import MFABase
import MFASignIn
import MFAWire

/// The function from a request of the module to its reply, for the service, and for the helper that is started
/// where no service listens.
///
/// MUST 1: an application that does not act as root is served with its own user's sign-in alone, whatever its
/// request states. (`SignInTests`, `OwnProcessTests`)
package enum Decider {
  /// Returns the reply to a packet, or nil if it is malformed.
  package static func reply<Machine: Host>(
    to packet: consuming SecretBytes, from peer: UInt32, host: Machine
  ) -> SignInReply? {
    do throws(PacketError) {
      let call = try SignInCall(packet: packet)
      let isRoot = peer == 0
      // A user's own process cannot claim to be run by another user.
      let identity = ProcessIdentity(
        user: isRoot ? call.caller : peer, actsAsRoot: isRoot, isConfined: false)
      return carryOutOwn(SignIn(call, host: host, identity: identity).step().reply, identity)
    } catch {
      return nil
    }
  }

  /// Writes the audit records about an application that does not act as root, and leaves them out of the
  /// reply: such an application may not write any. The address and the terminal in its request are not
  /// certain.
  package static func carryOutOwn(
    _ reply: SignInReply, _ identity: ProcessIdentity
  ) -> SignInReply {
    guard !identity.actsAsRoot else { return reply }
    var effects: [SignInEffect] = []
    for effect in reply.effects {
      guard effect.kind == .audit else {
        effects.append(effect)
        continue
      }
      guard let record = effect.auditRecord else { continue }
      Audit.write(
        Audit.Record(
          kind: record.kind, operation: record.operation, account: record.account, address: nil,
          terminal: nil, succeeded: record.succeeded))
    }
    return SignInReply(effects, reply.end)
  }
}

extension PacketConnection {
  /// Sends a reply. If the other end does not read it, its sign-in is denied.
  package func reply(_ reply: SignInReply) {
    guard let packet = reply.packet() else { return }
    do throws(SystemError) { try send(packet.span) } catch {}
  }

  /// Sends what this process can read and write.
  package func reply(_ reply: ProbeReply) {
    guard let packet = reply.packet() else { return }
    do throws(SystemError) { try send(packet.span) } catch {}
  }

  /// Sends a reply to the helper, and returns whether that succeeded.
  @discardableResult
  package func reply(_ reply: consuming ManagementReply) -> Bool {
    guard let packet = reply.packet() else { return false }
    do throws(SystemError) {
      try send(packet.span)
      return true
    } catch {
      return false
    }
  }
}
