import MFABase
import MFAMessages
import MFAModel

/// A request of `mfa-helper` to the decider, about the factors of the helper's caller. SERVICE.md defines the
/// encoding.
///
/// The helper keeps what continues the conversation with its client, and sends it with each frame of the client.
package struct ManagementCall: WireMessage, ~Copyable {
  package static var kind: UInt8 { 0x42 }

  /// The terminal of the caller, or nil.
  package var terminal: [UInt8]?
  /// The client that the caller's session was opened from, or nil.
  package var remoteHost: [UInt8]?
  /// The language of the client.
  package var language = Language.english
  /// What came with the reply before; empty in the first request.
  package var continuation: [UInt8] = []
  /// The body of the client's frame; empty if the request brings the result of a proof.
  package var body = SecretBytes(count: 0)
  /// How the proof of the account ended that the reply before asked for.
  package var proof: ProofResult?

  /// Returns whether a packet is such a request.
  package static func begins(_ packet: Span<UInt8>) -> Bool {
    packet.count > 0 && packet[0] == kind
  }

  /// Creates an empty request.
  package init() {}

  /// Lists the fields.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.bytes(&terminal, longest: 255)
    try coder.bytes(&remoteHost, longest: 255)
    try coder.choice(&language)
    try coder.bytes(&continuation, longest: SignInCall.longestContinuation)
    try coder.secret(&body, longest: Frame.longestBody)
    // No result has this number.
    var number = proof?.number ?? .max
    try coder.number(&number)
    proof = ProofResult(number: number)
    guard number == .max || proof != nil, (proof == nil) == (body.count > 0) else {
      throw .malformed
    }
  }
}

/// What the decider answers to a request of `mfa-helper`.
package struct ManagementReply: WireMessage, ~Copyable {
  package static var kind: UInt8 { 0x82 }

  /// What the helper does after the client has its frames.
  package enum Next: UInt8, Sendable {
    /// It waits for the client's next frame.
    case request = 0
    /// It has PAM prove that its caller owns the account.
    case proof = 1
    /// It ends.
    case end = 2
    /// It tells the client that its user has too many requests at the same time.
    case busy = 3
  }

  /// The frames for the client, one after the other.
  package var frames = SecretBytes(count: 0)
  /// What the helper sends with its next request.
  package var continuation: [UInt8] = []
  /// What the helper does next.
  package var next = Next.end
  /// How long the client may take for its next frame, in seconds.
  package var seconds: UInt32 = 0

  /// Creates a reply that ends the conversation.
  package init() {}

  /// Creates a reply without frames.
  package init(_ next: Next) { self.next = next }

  /// Creates a reply that refuses the request and ends the conversation.
  package init(refusing failure: HelperFailure) {
    // Without the failure, the client reports that the helper ended.
    do throws(PacketError) { frames = try HelperResponse.failed(failure).encoded() } catch {}
  }

  /// Lists the fields.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.secret(&frames)
    try coder.bytes(&continuation, longest: SignInCall.longestContinuation)
    try coder.choice(&next)
    try coder.number(&seconds)
  }
}
