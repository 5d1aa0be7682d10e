public import Factors
import Policy

extension News {
  /// What the person is told, a line each.
  public var messages: [String] {
    var lines: [String] = []
    if untold.failures > 0 {
      let count = untold.failures == 1 ? "1 wrong code" : "\(untold.failures) wrong codes"
      let last = untold.failures == 1 ? "" : ", the last"
      lines.append(
        "since your last sign-in: \(count)\(last)\(untold.source.phrase)"
          + Self.time(untold.lastFailure))
    }
    for notice in notices { lines.append("since your last sign-in: \(notice.sentence)") }
    return lines
  }

  fileprivate static func time(_ seconds: Int64) -> String {
    let text = UTCTime(seconds).text
    guard seconds > 0, !text.isEmpty else { return "" }
    return " on \(String(decoding: text, as: UTF8.self))"
  }
}

extension Notice {
  /// What happened, in a few words: `factor 'Pixel' enrolled from 192.0.2.7 on 2027-01-31 09:05 UTC`.
  public var sentence: String { "\(event)\(source.phrase)\(News.time(time))" }

  private var event: String {
    let detail = String(decoding: detail, as: UTF8.self)
    return switch kind {
    case .enrolled: "factor '\(detail)' enrolled"
    case .imported: "factor '\(detail)' taken over from another program"
    case .unenrolled: "factor '\(detail)' unenrolled"
    case .recoveryCodeUsed: "a recovery code used"
    case .recoveryCodesMade: "new recovery codes made"
    case .ticketMade: "an enrolment ticket made\(Self.because(detail))"
    case .ticketUsed: "factor '\(detail)' enrolled with a ticket"
    case .bypassMade: "a bypass code made\(Self.because(detail))"
    case .bypassUsed: "a bypass code used\(Self.because(detail))"
    case .resynchronized: "the clock of factor '\(detail)' put right"
    case .revoked: "every factor revoked"
    }
  }

  private static func because(_ reason: String) -> String {
    reason.isEmpty ? "" : " ('\(reason)')"
  }
}

extension Source {
  fileprivate var phrase: String {
    text.isEmpty ? "" : " from \(String(decoding: text, as: UTF8.self))"
  }
}
