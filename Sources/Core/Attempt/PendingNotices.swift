import MFABase
import MFAMessages
import MFAModel

/// The pending failures and notices, which are shown to the user at a sign-in.
package struct PendingNotices: Equatable, Sendable {
  /// The failed attempts since the user was last informed, and the number of the last notice shown.
  package let unreported: AttemptState.Unreported
  /// The pending notices, oldest first.
  package let notices: [Notice]
  /// What happens to the notices once they are shown.
  package let ending: Ending

  /// What happens to pending notices that this sign-in shows.
  package enum Ending: Sendable {
    /// The notices are not shown again.
    case told
    /// The notices are shown again unless the user confirms having read them.
    case asks
    /// The notices are shown again, because this sign-in cannot confirm them: one of them is about
    /// the factor that signed in, or the user signed in with a recovery code or a bypass code.
    case stays
  }

  /// No failures and no notices.
  package static var none: PendingNotices {
    PendingNotices(unreported: AttemptState.Unreported(), notices: [], ending: .stays)
  }

  /// Creates a value from its parts.
  package init(unreported: AttemptState.Unreported, notices: [Notice], ending: Ending) {
    self.unreported = unreported
    self.notices = notices
    self.ending = ending
  }

  /// Collects what is pending in `record` for a sign-in by `factor`. A sign-in by a recovery code
  /// or a bypass code passes nil and confirms nothing.
  ///
  /// `isShown` is whether text certainly reaches the user's screen. The user's own first enrolment is
  /// left out for a while after it: only the enrolled factor can sign in, so its owner knows.
  package init(
    _ record: FactorRecord, _ unreported: AttemptState.Unreported, factor: FactorID?, isShown: Bool,
    now: Int64
  ) {
    let notices = record.notices(after: unreported.lastShownNotice).filter {
      !Self.isKnown($0, at: now)
    }
    let mayConfirm =
      factor.map { record.mayConfirm(after: unreported.lastShownNotice, with: $0) } ?? false
    self.init(
      unreported: unreported, notices: notices,
      ending: mayConfirm ? Self.ending(notices, isShown) : .stays)
  }

  /// How long a first enrolment and its recovery codes are no news, in seconds.
  private static var knownFor: Int64 { 900 }

  private static func isKnown(_ notice: Notice, at now: Int64) -> Bool {
    guard notice.kind == .enrolled || notice.kind == .recoveryCodesMade,
      !notice.subject.needsConfirmation
    else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(notice.time)
    return !overflow && age >= 0 && age < knownFor
  }

  /// Returns what happens to notices that this sign-in may confirm.
  static func ending(_ notices: [Notice], _ isShown: Bool) -> Ending {
    isShown || !notices.contains { $0.subject.needsConfirmation } ? .told : .asks
  }

  /// Whether there is nothing to show.
  package var isEmpty: Bool { unreported.failures == 0 && notices.isEmpty }
}

extension PendingNotices {
  /// Returns the messages to the user, oldest last.
  package func messages(in language: Language) -> [MessageText] {
    var messages: [MessageText] = []
    if unreported.failures > 0 {
      let last = NoticeOrigin(unreported.source, at: unreported.lastFailure)
      messages.append(
        NoticeMessage.failedCodes(count: Int64(unreported.failures), last: last)
          .text(in: language))
    }
    for notice in notices { messages.append(notice.text(in: language)) }
    return messages
  }
}

extension NoticeOrigin {
  fileprivate init(_ source: Source, at time: Int64) {
    self.init(source: source.text, time: time > 0 ? HostTime(time).text : [])
  }
}

extension Notice {
  /// Returns what happened, where and when.
  package func text(in language: Language) -> MessageText {
    NoticeMessage.change(change, NoticeOrigin(source, at: time)).text(in: language)
  }

  private var change: NoticeMessage.Change {
    switch kind {
    case .enrolled: .enrolled(name: detail)
    case .imported: .imported(name: detail)
    case .unenrolled: .unenrolled(name: detail)
    case .recoveryCodeUsed: .recoveryCodeUsed
    case .recoveryCodesMade: .recoveryCodesMade
    case .ticketMade: .ticketMade(reason: detail)
    case .ticketUsed: .enrolledWithTicket(name: detail)
    case .bypassMade: .bypassCodeMade(reason: detail)
    case .bypassUsed: .bypassCodeUsed(reason: detail)
    case .resynchronized: .resynchronized(name: detail)
    case .revoked: .revoked
    case .unlockedByRecoveryCode: .unlockedByRecoveryCode
    }
  }
}
