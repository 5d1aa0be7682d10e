/// Something that happened to the factors of a user's, to be told at the next sign-in and by mail.
///
/// NIST SP 800-63B-4, sections 4.1, 4.2.3 and 4.6, asks for such notices.
///
/// A class, because each copy of a large value is code in the module.
public final class Notice: Equatable, Sendable {
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

  /// The way of signing in that changed. Only a sign-in by a different way confirms the notice.
  public struct Subject: Equatable, Sendable {
    /// What is written: nothing for the account, one byte for a kind, the id of a factor.
    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// No other way of signing in existed, for example at the first enrolment. The notice needs no
    /// confirmation.
    public static var account: Subject { Subject(bytes: []) }

    /// A factor, which may have been removed since.
    public static func factor(_ id: FactorID) -> Subject { Subject(bytes: id.bytes) }

    /// The recovery codes.
    public static var recoveryCodes: Subject { Subject(bytes: [1]) }

    /// A ticket or a bypass code.
    public static var grant: Subject { Subject(bytes: [2]) }

    /// Whether a user has to confirm the notice.
    public var needsConfirmation: Bool { !bytes.isEmpty }

    /// Reads what was written. Nil for anything else.
    init?(_ bytes: [UInt8]?) {
      guard let bytes else { return nil }
      switch bytes.count {
      case 0, FactorID.length: break
      case 1: guard bytes[0] == 1 || bytes[0] == 2 else { return nil }
      default: return nil
      }
      self.bytes = bytes
    }
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
  /// The way of signing in that changed.
  public let subject: Subject

  /// Creates a notice. `detail` is at most 255 bytes.
  init(
    number: UInt32, kind: Kind, time: Int64, detail: [UInt8], source: Source, subject: Subject
  ) {
    self.number = number
    self.kind = kind
    self.time = time
    self.detail = detail
    self.source = source
    self.subject = subject
  }

  /// Compares everything that two notices hold.
  @inline(never)
  public static func == (left: Notice, right: Notice) -> Bool {
    left.number == right.number && left.kind == right.kind && left.time == right.time
      && left.detail == right.detail && left.source == right.source
      && left.subject == right.subject
  }
}
