import MFABase
import MFAModel
import MFAMessages

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
