import MFABase
import MFAStore
import MFAModel

/// The detailed report on one user, as text for an administrator.
package enum UserDetails {
  /// Returns the report as lines of text.
  package static func text(_ report: UserReport) -> String {
    switch report.content {
    case .unusable, .notEnrolled:
      return line("user", report.visibleName) + line("standing", report.standing)
    case .usable(let snapshot, _):
      return line("user", report.visibleName + uid(snapshot.record))
        + line("standing", report.standing)
        + line("wrong codes", wrongCodes(snapshot.attempts.count(of: .signIn)))
        + turns(snapshot.attempts.recentTurns)
        + ownPrograms(snapshot.attempts.count(of: .ownProcess))
        + line("recovery", "\(snapshot.record.recoveryCodes.count) codes left")
        + granted(snapshot.record)
        + remembered(snapshot.attempts)
        + snapshot.record.factors.map { "\n" + sheet($0, snapshot.attempts) }.joined()
    }
  }

  /// Returns the UID, which a record of a realm does not have.
  private static func uid(_ record: FactorRecord) -> String {
    record.uid == .max ? "" : " (uid \(record.uid))"
  }

  /// Returns a line for each phone number.
  package static func text(_ numbers: [RevealedNumber]) -> String {
    guard !numbers.isEmpty else { return "\n" + line("number", "none: the user has no phone") }
    return "\n"
      + numbers.map { revealed in
        let number = revealed.number.withSpan { span in
          String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
        }
        return line("number", "\(number), of \(VisibleText(revealed.factor.displayName))")
      }.joined()
  }

  private static func granted(_ record: FactorRecord) -> String {
    guard !record.grants.isEmpty else { return "" }
    return line("granted", "\(record.grants.count), see 'mfa-admin grants'")
  }

  private static func remembered(_ attempts: AttemptState) -> String {
    let entries = attempts.remembered.entries
    guard let latest = entries.map({ $0.time }).max() else { return "" }
    let rememberedCount = entries.count == 1 ? "1 sign-in" : "\(entries.count) sign-ins"
    let time = Timestamp(latest)?.full ?? "at an unknown time"
    return line("remembered", "\(rememberedCount), the last \(time)")
  }

  private static func wrongCodes(_ count: FailureCount) -> String {
    guard count.failures > 0 else { return "0" }
    let last = Timestamp(count.last)?.full ?? "at an unknown time"
    return "\(count.failures) in a row, the last \(last)"
  }

  /// Returns the line about the source that took most of the last turns after a wait.
  private static func turns(_ turns: RecentTurns) -> String {
    let sources = turns.sources
    guard let most = sources.map({ source in sources.count { $0 == source } }).max() else {
      return ""
    }
    let share = "\(most) of the last \(sources.count) from one source, which waits longer"
    return line("", "after waits: " + share)
  }

  /// Returns the line about attempts by the user's own programs, such as a screen locker. They are
  /// counted separately because they do not throttle sign-ins.
  private static func ownPrograms(_ count: FailureCount) -> String {
    guard count.failures > 0 else { return "" }
    return line("", "in the user's own programs: " + wrongCodes(count))
  }

  private static func sheet(_ factor: Factor, _ attempts: AttemptState) -> String {
    let content =
      switch factor.kind {
      case .totp(let parameters, _):
        line(
          "codes",
          "\(parameters.algorithm.name), \(parameters.codeLength.rawValue) digits, "
            + "every \(parameters.period) s")
      case .phone(let number, let usableFrom, _):
        line(
          "phone",
          String(decoding: number.ascii, as: UTF8.self)
            + (factor.origin == .testNumber ? ", a test number" : ""))
          + line("usable from", Timestamp(usableFrom)?.full ?? "an unknown time")
      }
    return line("factor", "\(VisibleText(factor.id))")
      + line("name", "\(VisibleText(factor.displayName))")
      + line("enrolled", Timestamp(factor.enrolledAt)?.full ?? "at an unknown time")
      + content
      + line("last used", attempts.lastUse(of: factor)?.full ?? "unknown: accepts no code")
  }

  private static func line(_ name: String, _ value: String) -> String {
    TextWidth.pad(name, to: 13) + value + "\n"
  }
}
