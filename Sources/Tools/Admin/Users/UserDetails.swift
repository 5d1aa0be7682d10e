import MFAAttempt
import MFABase
import MFAModel

/// The detailed report on one user, as text for an administrator.
package enum UserDetails {
  /// Returns the report as lines of text.
  package static func text(_ report: UserReport, at now: Int64) -> String {
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
        + elsewhere("in the user's own programs", user.ownFailures)
        + elsewhere("in daemons", user.daemonFailures)
        + line("recovery", "\(user.recoveryCodes) codes left")
        + granted(user)
        + remembered(user)
        + user.factors.map { "\n" + sheet($0, at: now) }.joined()
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

  /// Returns the line about attempts by programs without root's privileges, such as a screen locker. They
  /// are counted separately because they do not throttle sign-ins.
  private static func elsewhere(_ place: String, _ count: FailureCount) -> String {
    guard count.failures > 0 else { return "" }
    return line("", place + ": " + wrongCodes(count))
  }

  private static func sheet(_ factor: UserSummary.ListedFactor, at now: Int64) -> String {
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
      + line("last used", lastUse(of: factor, at: now))
      + (factor.closedUntil(at: now).map { end in
        line("", "accepts no code before \(end.full): the clock was ahead when one was accepted")
      } ?? "")
  }

  /// Returns when a code was last accepted. A restore can refuse codes of later times, so that it is not known.
  private static func lastUse(of factor: UserSummary.ListedFactor, at now: Int64) -> String {
    guard let step = factor.lastStep, let start = factor.lastUse else {
      return "unknown: accepts no code"
    }
    // A device can be ahead by a step, and `closedUntil` says more of a clock that was ahead.
    guard step > now / Int64(factor.stepLength) + 1, factor.closedUntil(at: now) == nil,
      let end = Timestamp(step: step + 1, period: factor.stepLength)
    else { return start.full }
    return "unknown: accepts no code of a time before \(end.full)"
  }

  /// Returns a line with a name and its value.
  static func line(_ name: String, _ value: String) -> String {
    TextWidth.pad(name, to: 13) + value + "\n"
  }
}

/// The filters of `mfa-admin list`. They are combined with AND.
package struct UserFilter: Equatable {
  /// The factors are locked after too many wrong codes.
  package var locked = false
  /// The user is throttled after wrong codes.
  package var throttled = false
  /// The record cannot be used.
  package var unusable = false
  /// The user has a valid ticket or bypass code.
  package var granted = false
  /// The user has an imported factor.
  package var imported = false
  /// The user has an imported factor with a secret of fewer than 128 bits.
  package var weak = false
  /// No code was accepted and no factor enrolled for this many days.
  package var staleDays: Int64?

  /// Creates a filter. Without arguments, it includes all users.
  package init(
    locked: Bool = false, throttled: Bool = false, unusable: Bool = false, granted: Bool = false,
    imported: Bool = false, weak: Bool = false, staleDays: Int64? = nil
  ) {
    self.locked = locked
    self.throttled = throttled
    self.unusable = unusable
    self.granted = granted
    self.imported = imported
    self.weak = weak
    self.staleDays = staleDays
  }

  /// The minimum length of a secret that is not weak, in bytes: RFC 4226, section 4, R6, requires
  /// 128 bits.
  private static let shortestSecret = 16

  private static let secondsPerDay: Int64 = 86_400

  /// Returns whether the filters include a user at `now`, in seconds since the epoch.
  package func includes(_ report: UserReport, now: Int64) -> Bool {
    switch report.content {
    // Nothing else is known about a record that is unusable or does not exist.
    case .unusable: !(locked || throttled || granted || imported || weak || staleDays != nil)
    case .notEnrolled: self == UserFilter()
    case .usable(let user): includes(user, now)
    }
  }

  private func includes(_ user: UserSummary, _ now: Int64) -> Bool {
    let factors = user.factors
    if unusable { return false }
    if locked, user.standing != .locked { return false }
    if throttled, !Self.isThrottled(user.standing) { return false }
    if granted, !user.grants.contains(where: { $0.kind != .programPassword && $0.isGood(at: now) })
    {
      return false
    }
    if imported, !factors.contains(where: { $0.origin == .imported }) { return false }
    if weak, !factors.contains(where: { Self.isWeak($0) }) { return false }
    if let staleDays { return Self.isStale(user, days: staleDays, now) }
    return true
  }

  private static func isThrottled(_ standing: AttemptState.Standing) -> Bool {
    switch standing {
    case .throttled: true
    case .open, .locked: false
    }
  }

  /// Returns whether a factor was imported with a short secret.
  private static func isWeak(_ factor: UserSummary.ListedFactor) -> Bool {
    !factor.isPhone && factor.origin == .imported && factor.keyLength < shortestSecret
  }

  /// Returns whether no code was accepted and no factor enrolled for this many days. A time in the
  /// future counts as recent: the clock was ahead.
  private static func isStale(_ user: UserSummary, days: Int64, _ now: Int64) -> Bool {
    let (limit, overflow) = days.multipliedReportingOverflow(by: secondsPerDay)
    let (start, isTooEarly) = now.subtractingReportingOverflow(limit)
    guard !overflow, !isTooEarly else { return false }
    return user.factors.allSatisfy { factor in
      let used = factor.lastStep?.multipliedReportingOverflow(by: Int64(factor.stepLength))
      if let used, used.overflow { return false }
      return max(used?.partialValue ?? .min, factor.summary.enrolledAt) < start
    }
  }
}
