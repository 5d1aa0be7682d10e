/// What happened to a user's account, as told at a sign-in and in mails. Each is one sentence.
///
/// An unknown source or time is left out.
package enum NoticeMessage: Equatable, Sendable {
  /// Failed codes since the last sign-in, with the source and time of the last one.
  case failedCodes(count: Int64, last: NoticeOrigin)
  /// A change of the user's factors.
  case change(Change, NoticeOrigin)

  /// A change of a user's factors. A name may be empty.
  package enum Change: Equatable, Sendable {
    case enrolled(name: [UInt8])
    case imported(name: [UInt8])
    case unenrolled(name: [UInt8])
    case recoveryCodeUsed
    case recoveryCodesMade
    /// An administrator created an enrolment ticket.
    case ticketMade(reason: [UInt8])
    case enrolledWithTicket(name: [UInt8])
    /// An administrator created a bypass code.
    case bypassCodeMade(reason: [UInt8])
    case bypassCodeUsed(reason: [UInt8])
    case resynchronized(name: [UInt8])
    /// An administrator removed all factors.
    case revoked
    /// A recovery code was used, and unlocked the factors.
    case unlockedByRecoveryCode
  }
}
