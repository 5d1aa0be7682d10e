/// What is kept of a recovery code, or of what an administrator grants in the same form: enough to
/// recognise it, and nothing to learn it from without the key in /etc/mfa.
public struct RecoveryCodeDigest: Equatable, Sendable {
  /// Where a code comes from, and so what it looks like.
  public enum Kind: UInt8, Sendable {
    /// Made here: 80 random bits.
    case generated = 1
    /// Taken over from google-authenticator: eight decimal digits, 26 bits.
    case imported = 2
    /// Made by an administrator as a ticket: 80 random bits.
    case ticket = 3
    /// Made by an administrator as a bypass code: 80 random bits.
    case bypass = 4
  }

  /// Where the code comes from.
  public let kind: Kind

  /// A keyed digest of the code, `length` bytes.
  public let bytes: [UInt8]

  /// The length of a digest in bytes.
  public static let length = 32

  /// Nil when `bytes` has another length.
  public init?(kind: Kind, bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.kind = kind
    self.bytes = bytes
  }
}
