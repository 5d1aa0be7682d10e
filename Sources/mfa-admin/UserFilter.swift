import FactorStore
import Factors
import Secrets

/// Whom `mfa-admin list` is to show. What is asked for together narrows.
struct UserFilter: Equatable {
  /// Factors that too many wrong codes have disabled.
  var disabled = false
  /// Accounts that wait after wrong codes.
  var waiting = false
  /// Records that cannot be used.
  var unusable = false
  /// A ticket or a bypass code that is good now.
  var granted = false
  /// A factor that was taken over from another program.
  var imported = false
  /// A factor that was taken over with a secret of fewer than 128 bits.
  var weak = false
  /// No code was accepted, and nothing enrolled, for this many days.
  var staleDays: Int64?

  /// The fewest bytes of a secret that is not weak: RFC 4226, section 4, R6, wants 128 bits.
  private static let shortestSecret = 16

  private static let secondsPerDay: Int64 = 86_400

  /// Whether a user is shown, at `now` in seconds since the epoch.
  func includes(_ report: UserReport, now: Int64) -> Bool {
    switch report.content {
    // Of what cannot be read, or is not there, nothing else is known.
    case .unusable: !(disabled || waiting || granted || imported || weak || staleDays != nil)
    case .notEnrolled: self == UserFilter()
    case .usable(let snapshot, let standing): includes(snapshot, standing, now)
    }
  }

  private func includes(
    _ snapshot: FactorSnapshot, _ standing: AttemptState.Standing, _ now: Int64
  ) -> Bool {
    let factors = snapshot.record.factors
    if unusable { return false }
    if disabled, standing != .disabled { return false }
    if waiting, !Self.waits(standing) { return false }
    if granted, !snapshot.record.grants.contains(where: { $0.isGood(at: now) }) { return false }
    if imported, !factors.contains(where: { $0.origin == .imported }) { return false }
    if weak, !factors.contains(where: { Self.isWeak($0) }) { return false }
    if let staleDays { return Self.isStale(snapshot, days: staleDays, now) }
    return true
  }

  private static func waits(_ standing: AttemptState.Standing) -> Bool {
    switch standing {
    case .waiting: true
    case .open, .disabled: false
    }
  }

  /// A sealed secret is as long as the secret with a nonce and a tag, so that it stays sealed.
  private static func isWeak(_ factor: Factor) -> Bool {
    switch factor.kind {
    case .totp(_, let sealedSecret):
      factor.origin == .imported
        && sealedSecret.count < shortestSecret + AES256GCM.nonceLength + AES256GCM.tagLength
    }
  }

  /// Whether neither a code was accepted nor a factor enrolled for so many days. What lies in the
  /// future, for a clock ran ahead, is recent.
  private static func isStale(_ snapshot: FactorSnapshot, days: Int64, _ now: Int64) -> Bool {
    let (limit, overflow) = days.multipliedReportingOverflow(by: secondsPerDay)
    let (start, isTooEarly) = now.subtractingReportingOverflow(limit)
    guard !overflow, !isTooEarly else { return false }
    return snapshot.record.factors.allSatisfy { factor in
      let mark = snapshot.attempts.watermarks.first { $0.factor == factor.id }
      let used = mark?.step.multipliedReportingOverflow(by: Int64(factor.parameters.period))
      if let used, used.overflow { return false }
      return max(used?.partialValue ?? .min, factor.enrolledAt) < start
    }
  }
}
