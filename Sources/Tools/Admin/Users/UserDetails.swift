import MFAAttempt
import MFABase
import MFAModel

/// The detailed report on one user, as text for an administrator.
package enum UserDetails {
  /// Returns the report as lines of text.
  package static func text(_ report: UserReport) -> String {
    switch report.content {
    case .unusable, .notEnrolled:
      return line("user", report.visibleName) + line("standing", report.standing)
    case .usable(let user):
      // A realm has no UID, and knows the user's entry in the directory service.
      return line("user", report.visibleName + (user.uid.map { " (uid \($0))" } ?? ""))
        + (report.directoryEntry.map { line("directory", VisibleText.escaping($0)) } ?? "")
        + line("standing", report.standing)
        + line("wrong codes", wrongCodes(user.failures))
        + turns(user)
        + ownPrograms(user.ownFailures)
        + line("recovery", "\(user.recoveryCodes) codes left")
        + granted(user)
        + remembered(user)
        + user.factors.map { "\n" + sheet($0) }.joined()
    }
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

  private static func granted(_ user: UserSummary) -> String {
    guard !user.grants.isEmpty else { return "" }
    return line("granted", "\(user.grants.count), see 'mfa-admin grants'")
  }

  private static func remembered(_ user: UserSummary) -> String {
    guard user.remembered > 0 else { return "" }
    let rememberedCount = user.remembered == 1 ? "1 sign-in" : "\(user.remembered) sign-ins"
    let time = Timestamp(user.lastRemembered)?.full ?? "at an unknown time"
    return line("remembered", "\(rememberedCount), the last \(time)")
  }

  private static func wrongCodes(_ count: FailureCount) -> String {
    guard count.failures > 0 else { return "0" }
    let last = Timestamp(count.last)?.full ?? "at an unknown time"
    return "\(count.failures) in a row, the last \(last)"
  }

  /// Returns the line about the source that took most of the last turns after a wait.
  private static func turns(_ user: UserSummary) -> String {
    guard user.turns > 0 else { return "" }
    let share =
      "\(user.turnsOfOneSource) of the last \(user.turns) from one source, which waits longer"
    return line("", "after waits: " + share)
  }

  /// Returns the line about attempts by the user's own programs, such as a screen locker. They are
  /// counted separately because they do not throttle sign-ins.
  private static func ownPrograms(_ count: FailureCount) -> String {
    guard count.failures > 0 else { return "" }
    return line("", "in the user's own programs: " + wrongCodes(count))
  }

  private static func sheet(_ factor: UserSummary.ListedFactor) -> String {
    let summary = factor.summary
    let content =
      switch summary.kind {
      case .totp(let parameters):
        line(
          "codes",
          "\(parameters.algorithm.name), \(parameters.codeLength.rawValue) digits, "
            + "every \(parameters.period) s")
      case .phone(let number, let usableFrom):
        line(
          "phone",
          String(decoding: number.ascii, as: UTF8.self)
            + (factor.origin == .testNumber ? ", a test number" : ""))
          + line("usable from", Timestamp(usableFrom)?.full ?? "an unknown time")
      }
    return line("factor", "\(VisibleText(summary.id))")
      + line("name", "\(VisibleText(summary.displayName))")
      + line("enrolled", Timestamp(summary.enrolledAt)?.full ?? "at an unknown time")
      + content
      + line("last used", factor.lastUse?.full ?? "unknown: accepts no code")
  }

  private static func line(_ name: String, _ value: String) -> String {
    TextWidth.pad(name, to: 13) + value + "\n"
  }
}
