import MFAAttempt
import MFAModel

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
    if granted, !user.grants.contains(where: { $0.isGood(at: now) }) { return false }
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
