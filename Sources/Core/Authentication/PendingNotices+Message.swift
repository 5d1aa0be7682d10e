import MFABytes
public import MFAFactors

extension PendingNotices {
  /// The messages to the user, one line each.
  public var messages: [String] {
    var lines: [String] = []
    let beginning = "since your last sign-in: "
    if unreported.failures > 0 {
      let count =
        unreported.failures == 1
        ? "1 wrong code" : joined(decimal(Int64(unreported.failures)), " wrong codes, the last")
      let place = joined(unreported.source.phrase, Self.time(unreported.lastFailure))
      lines.append(joined(beginning, count, place))
    }
    for notice in notices { lines.append(joined(beginning, notice.sentence)) }
    return lines
  }

  fileprivate static func time(_ seconds: Int64) -> String {
    let text = UTCTime(seconds).text
    guard seconds > 0, !text.isEmpty else { return "" }
    return joined(" on ", utf8Text(text))
  }
}

extension Notice {
  /// What happened, in a few words: `factor 'Pixel' enrolled from 192.0.2.7 on 2027-01-31 09:05
  /// UTC`.
  public var sentence: String { joined(event, source.phrase, PendingNotices.time(time)) }

  private var event: String {
    let (beginning, end) = words
    guard !detail.isEmpty else { return joined(beginning, end) }
    switch kind {
    case .ticketMade, .bypassMade, .bypassUsed:
      return joined(beginning, joined(" ('", utf8Text(detail), "')"))
    case .enrolled, .imported, .unenrolled, .recoveryCodeUsed, .recoveryCodesMade, .ticketUsed,
      .resynchronized, .revoked:
      return joined(beginning, joined("'", utf8Text(detail), "'"), end)
    }
  }

  /// The words before and after the detail.
  private var words: (String, String) {
    switch kind {
    case .enrolled: ("factor ", " enrolled")
    case .imported: ("factor ", " taken over from another program")
    case .unenrolled: ("factor ", " unenrolled")
    case .recoveryCodeUsed: ("a recovery code used", "")
    case .recoveryCodesMade: ("new recovery codes made", "")
    case .ticketMade: ("an enrolment ticket made", "")
    case .ticketUsed: ("factor ", " enrolled with a ticket")
    case .bypassMade: ("a bypass code made", "")
    case .bypassUsed: ("a bypass code used", "")
    case .resynchronized: ("the clock of factor ", " put right")
    case .revoked: ("every factor revoked", "")
    }
  }
}

extension Source {
  fileprivate var phrase: String {
    text.isEmpty ? "" : joined(" from ", utf8Text(text))
  }
}
