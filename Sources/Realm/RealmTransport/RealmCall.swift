import MFABase
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

/// A packet that several tasks can read. Its bytes may contain what a user typed, and are wiped with the
/// last reference.
package final class PacketBytes: Sendable {
  private let secret: SecretBytes

  /// Takes over a packet.
  package init(_ secret: consuming SecretBytes) { self.secret = secret }

  /// Copies a packet.
  package init(copying bytes: [UInt8]) { secret = SecretBytes(copying: bytes.span) }

  /// The number of bytes.
  package var count: Int { secret.count }

  /// Calls `body` with the bytes.
  package func withSpan<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try secret.withSpan(body)
  }

  /// Returns the bytes as an array, for a message. The array is not wiped.
  package func copied() -> [UInt8] { withSpan { $0.copied() } }
}

/// The metadata of requests and their answers.
package enum HostMetadata {
  /// The name of the metadata of a check that tells the version of the relay.
  package static let version = "mfa-version"
  /// The name of the metadata of a refused report that tells after how many seconds the host may report again.
  package static let retryAfter = "mfa-retry-after"
}
