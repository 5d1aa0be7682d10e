/// Something that happened to the factors of a user's, to be told at the next sign-in and by mail.
///
/// NIST SP 800-63B-4, sections 4.1, 4.2.3 and 4.6, asks for such notices.
public struct Notice: Equatable, Sendable {
  /// What happened.
  public enum Kind: UInt8, CaseIterable, Sendable {
    /// A factor was bound; `detail` is its name.
    case enrolled = 1
    /// A factor was taken over from another program; `detail` is its name.
    case imported = 2
    /// A factor was taken away; `detail` is its name.
    case unenrolled = 3
    /// A recovery code was used.
    case recoveryCodeUsed = 4
    /// New recovery codes were made, and the old ones are void.
    case recoveryCodesMade = 5
    /// An administrator made a ticket; `detail` is its reason.
    case ticketMade = 6
    /// A factor was bound with a ticket in the place of a password; `detail` is the factor's name.
    case ticketUsed = 7
    /// An administrator made a bypass code; `detail` is its reason.
    case bypassMade = 8
    /// A bypass code was used; `detail` is its reason.
    case bypassUsed = 9
    /// A factor's clock was put right; `detail` is its name.
    case resynchronized = 10
    /// All factors were taken away by an administrator.
    case revoked = 11
  }

  /// Where it stands among the user's notices: the first is 1.
  public let number: UInt32
  /// What happened.
  public let kind: Kind
  /// When, in seconds since the epoch.
  public let time: Int64
  /// What it happened to, in UTF-8 and one line; empty where nothing is named.
  public let detail: [UInt8]
  /// From where.
  public let source: Source

  /// Puts a notice together. `detail` is at most 255 bytes.
  init(number: UInt32, kind: Kind, time: Int64, detail: [UInt8], source: Source) {
    self.number = number
    self.kind = kind
    self.time = time
    self.detail = detail
    self.source = source
  }
}
