import MFABytes

/// The last code that a user typed. If it was rejected, a code that is accepted later can show that
/// a clock is wrong.
///
/// MUST 1: without the host's key, the digest reveals nothing about the code.
/// (`LocalFactorStoreTests.failedCodeDigest`)
public struct FailedCode: Equatable, Sendable {
  /// The first eight bytes of a keyed digest of the code, which is bound to the user's record.
  public let digest: UInt64
  /// The time at which the code was typed, in seconds since the epoch.
  public let time: Int64

  /// Creates a value.
  public init(digest: UInt64, time: Int64) {
    self.digest = digest
    self.time = time
  }

  // MARK: Binary form

  func encode(to writer: inout ByteWriter) {
    writer.write(digest)
    writer.write(time)
  }

  /// Parses the binary form. Returns nil if it is invalid.
  init?(_ reader: inout ByteReader) {
    guard let digest = reader.read(UInt64.self), let time = reader.read(Int64.self) else {
      return nil
    }
    self.init(digest: digest, time: time)
  }
}
