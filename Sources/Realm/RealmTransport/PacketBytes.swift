import MFABase

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

extension SecretBytes {
  fileprivate borrowing func withSpan<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(span)
  }
}
