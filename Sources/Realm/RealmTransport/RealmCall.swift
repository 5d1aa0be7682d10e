import MFARealm

/// A request of the module, the helper or `mfa-admin`, as the relay sends it to a verifier.
///
/// A call can be sent again, also to another verifier: a request with the same nonce from the same host is the same
/// request, whose attempt is counted once.
package struct RealmCall: Sendable {
  /// `DecisionRequest.nonceLength` random bytes.
  package let nonce: [UInt8]
  /// The encoded facts about the host.
  package let facts: [UInt8]
  /// The packet of the module or the helper.
  package let packet: PacketBytes

  /// Creates a call with a new nonce.
  package init(_ packet: PacketBytes, facts: [UInt8]) {
    var random = SystemRandomNumberGenerator()
    nonce = (0..<DecisionRequest.nonceLength).map { _ in UInt8.random(in: 0...255, using: &random) }
    self.facts = facts
    self.packet = packet
  }

  /// The strings of the message.
  package var strings: [[UInt8]] { [nonce, facts, packet.copied()] }
}
