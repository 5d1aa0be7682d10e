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

  /// The number up to which notices are read once the shown ones are. A hidden notice and those after it stay pending.
  package let lastRead: UInt32
  /// The sign-in that can confirm the notices, or nil if none of them needs to be confirmed.
  package let confirmation: NoticeConfirmation?

  /// No failures and no notices.
  package static var none: PendingNotices {
    PendingNotices(
      unreported: AttemptState.Unreported(), notices: [], ending: .stays, lastRead: 0,
      confirmation: nil)
  }

  private init(
    unreported: AttemptState.Unreported, notices: [Notice], ending: Ending, lastRead: UInt32,
    confirmation: NoticeConfirmation?
  ) {
    self.unreported = unreported
    self.notices = notices
    self.ending = ending
    self.lastRead = lastRead
    self.confirmation = confirmation
  }

  /// Collects what is pending in `record` for a sign-in by `factor`. A sign-in by a recovery code
  /// or a bypass code passes nil and confirms nothing.
  ///
  /// `isShown` is whether text certainly reaches the user's screen. The user's own first enrolment is
  /// left out for a while after it: only the enrolled factor can sign in, so its owner knows. So is what the user
  /// did in the session that `source` names. It stays pending for other sessions.
  package init(
    _ record: FactorRecord, _ unreported: AttemptState.Unreported, factor: FactorID?, isShown: Bool,
    from source: Source = .unknown, now: Int64
  ) {
    let pending = record.notices(after: unreported.lastShownNotice).filter {
      !Self.isFirstEnrollment($0, at: now)
    }
    let isOwn = { (notice: Notice) in
      Self.isRecent(notice, at: now) && notice.source.isSameSession(as: source)
    }
    let notices = pending.filter { !isOwn($0) }
    let mayConfirm =
      factor.map { record.mayConfirm(after: unreported.lastShownNotice, with: $0) } ?? false
    let needsConfirmation = notices.contains { $0.subject.needsConfirmation }
    self.init(
      unreported: unreported, notices: notices,
      ending: !mayConfirm ? .stays : isShown || !needsConfirmation ? .told : .asks,
      lastRead: pending.first(where: isOwn).map { $0.number &- 1 } ?? record.lastNotice,
      confirmation: needsConfirmation
        ? NoticeConfirmation(of: record, after: unreported.lastShownNotice) : nil)
  }

  /// How long the user's own changes are no news, in seconds.
  private static var knownFor: Int64 { 900 }

  private static func isRecent(_ notice: Notice, at now: Int64) -> Bool {
    let (age, overflow) = now.subtractingReportingOverflow(notice.time)
    return !overflow && age >= 0 && age < knownFor
  }

  private static func isFirstEnrollment(_ notice: Notice, at now: Int64) -> Bool {
    (notice.kind == .enrolled || notice.kind == .recoveryCodesMade)
      && !notice.subject.needsConfirmation && isRecent(notice, at: now)
  }

  /// Whether there is nothing to show.
  package var isEmpty: Bool { unreported.failures == 0 && notices.isEmpty }
}

extension NoticeConfirmation {
  /// Finds the sign-in that can confirm the notices of `record` after the number `last`.
  package init(of record: FactorRecord, after last: UInt32) {
    guard !record.factors.isEmpty else {
      self = .any
      return
    }
    let factor = record.factors.first { record.mayConfirm(after: last, with: $0.id) }
    // If no factor can, all are new, and the recovery codes are not. The use of one is the sign that their owner
    // knows of the factors (FactorRecord.mayConfirm).
    self = factor.map { .device(name: $0.displayName.utf8) } ?? .afterRecoveryCode
  }
}

extension PendingNotices {
  /// Returns the messages to the user, oldest last. Notices of the same change are one message.
  package func messages(in language: Language) -> [MessageText] {
    var messages: [MessageText] = []
    if unreported.failures > 0 {
      let last = NoticeOrigin(unreported.source, at: unreported.lastFailure)
      messages.append(
        NoticeMessage.failedCodes(count: Int64(unreported.failures), last: last)
          .text(in: language))
    }
    for notices in joined { messages.append(notices.text(in: language)) }
    return messages
  }

  /// The number of the messages.
  package var count: Int { (unreported.failures > 0 ? 1 : 0) &+ joined.count }

  private var joined: [EqualNotices] { EqualNotices.joining(notices) }
}

/// Notices of the same change from the same source.
package struct EqualNotices {
  /// The last notice.
  package private(set) var last: Notice
  /// How many there are.
  package private(set) var count: Int64 = 1

  /// Joins notices, which are sorted from oldest to newest, and sorts them by the last one of each change.
  package static func joining(_ notices: [Notice]) -> [EqualNotices] {
    var all: [EqualNotices] = []
    for notice in notices {
      var next = EqualNotices(last: notice)
      if let index = all.firstIndex(where: { $0.last.isSameChange(as: notice) }) {
        next.count = all.remove(at: index).count &+ 1
      }
      all.append(next)
    }
    return all
  }

  private init(last: Notice) { self.last = last }

  /// Returns what happened, how often, by whom or from where, and when the last time.
  package func text(in language: Language) -> MessageText {
    let origin = NoticeOrigin(last.source, at: last.time)
    return count == 1
      ? NoticeMessage.change(last.change, origin).text(in: language)
      : NoticeMessage.changes(last.change, count: count, last: origin).text(in: language)
  }
}

extension NoticeOrigin {
  fileprivate init(_ source: Source, at time: Int64) {
    let time = time > 0 ? WrittenTime(time) : nil
    self =
      switch (source.place, time) {
      case (.unknown, nil): .unknown
      case (.unknown, let time?): .known(.time(time))
      case (.named(let name), nil): .known(.source(name))
      case (.named(let name), let time?): .known(.sourceAndTime(name, time))
      case (.administrator(let name), nil): .known(.administrator(name))
      case (.administrator(let name), let time?): .known(.administratorAndTime(name, time))
      }
  }
}

extension Notice {
  /// Returns whether both notices are about the same change from the same source.
  fileprivate func isSameChange(as other: Notice) -> Bool {
    kind == other.kind && detail == other.detail && source.place == other.source.place
  }

  /// What happened.
  package var change: NoticeMessage.Change {
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
    case .programPasswordMade: .programPasswordMade(name: detail)
    }
  }
}
