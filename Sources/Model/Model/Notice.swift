import MFABase
/// A notice about a change to a user's factors, shown at the next sign-in and sent by mail.
///
/// NIST SP 800-63B-4, sections 4.1, 4.2.3 and 4.6, requires such notices.
///
/// This is a class because each copy of a large value adds code to the module.
package final class Notice: Equatable, Sendable {
  /// The type of event.
  package enum Kind: UInt8, CaseIterable, Sendable {
    /// A factor was enrolled; `detail` is its name.
    case enrolled = 1
    /// A factor was imported from another program; `detail` is its name.
    case imported = 2
    /// A factor was removed; `detail` is its name.
    case unenrolled = 3
    /// A recovery code was used.
    case recoveryCodeUsed = 4
    /// New recovery codes were created, which invalidates the old ones.
    case recoveryCodesMade = 5
    /// An administrator created a ticket; `detail` is its reason.
    case ticketMade = 6
    /// A factor was enrolled with a ticket instead of a password; `detail` is the factor's name.
    case ticketUsed = 7
    /// An administrator created a bypass code; `detail` is its reason.
    case bypassMade = 8
    /// A bypass code was used; `detail` is its reason.
    case bypassUsed = 9
    /// A factor's clock offset was corrected; `detail` is the factor's name.
    case resynchronized = 10
    /// An administrator removed all factors.
    case revoked = 11
    /// A recovery code was used, and unlocked the factors.
    case unlockedByRecoveryCode = 12
    /// The user made a program password; `detail` is its name.
    case programPasswordMade = 13
  }

  /// The sign-in method that changed. Only a sign-in by a different method confirms the notice.
  package struct Subject: Equatable, Sendable {
    /// The encoded subject: empty for the account, one byte for recovery codes or a grant, or the
    /// id of a factor.
    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The account: there was no other sign-in method, for example at the first enrolment. The
    /// notice needs no confirmation.
    package static var account: Subject { Subject(bytes: []) }

    /// A factor, which may have been removed since.
    package static func factor(_ id: FactorID) -> Subject { Subject(bytes: id.bytes) }

    /// The recovery codes.
    package static var recoveryCodes: Subject { Subject(bytes: [1]) }

    /// A ticket, a bypass code or a program password.
    package static var grant: Subject { Subject(bytes: [2]) }

    /// Whether a user has to confirm the notice.
    package var needsConfirmation: Bool { !bytes.isEmpty }

    /// Parses an encoded subject. Returns nil if it is invalid.
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

  /// The number of the notice among the user's notices, counted from 1.
  package let number: UInt32
  /// The type of event.
  package let kind: Kind
  /// The time of the event, in seconds since the epoch.
  package let time: Int64
  /// The name or reason concerned, as one line of UTF-8; empty if it does not apply.
  package let detail: [UInt8]
  /// The source of the change.
  package let source: Source
  /// The sign-in method that changed.
  package let subject: Subject

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

  /// Compares the content of two notices.
  @inline(never)
  package static func == (left: Notice, right: Notice) -> Bool {
    left.number == right.number && left.kind == right.kind && left.time == right.time
      && left.detail == right.detail && left.source == right.source
      && left.subject == right.subject
  }
}
