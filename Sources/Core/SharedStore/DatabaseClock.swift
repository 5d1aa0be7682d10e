import MFASystem

/// The clock of the database of a realm, as it was read last, with which a verifier limits its own clock.
///
/// The fence of a new epoch refuses the codes that could have been accepted before a failover (see `RealmState.fence`).
/// It is computed by the clocks of the verifier that makes the first request and of the new primary. A verifier whose
/// clock is ahead of theirs would accept codes of time steps beyond the fence.
///
/// MUST 1: no time that is used for a decision is later than the database's by more than `tolerance`.
/// (`SharedFactorStoreTests.verifierAhead`, `DatabaseClockTests.limit`)
public struct DatabaseClock: Sendable {
  /// By how many seconds the clock of a verifier may be ahead.
  public static let tolerance: Int64 = 5
  /// By how many seconds it may be ahead before the verifier denies all requests.
  public static let greatestDifference: Int64 = 60
  /// By how many seconds the clocks of two servers of a database may differ.
  static let difference: Int64 = 5
  /// How many seconds later than the present time the fence is.
  static let fenceMargin: Int64 = tolerance + difference

  /// The time of the database, in seconds since the epoch.
  private let time: Int64
  /// When that time arrived, in seconds since the verifier's machine was started.
  private let readAt: Int64

  /// Uses the time of a snapshot that has just arrived. Returns nil if the engine has no clock.
  init?(_ time: Int64, at sinceBoot: Int64) {
    guard time > 0 else { return nil }
    self.time = time
    readAt = sinceBoot
  }

  /// Returns by how many seconds a clock is ahead of the database's; less than 0 if it is behind.
  public static func ahead(_ now: Int64, of time: Int64) -> Int64 {
    let (seconds, overflow) = now.subtractingReportingOverflow(time)
    return overflow ? (now > time ? .max : .min) : seconds
  }

  /// Returns what a difference between the clock of a verifier and that of the database means, or nil if it is
  /// tolerated. It is more than 0 if the verifier's clock is ahead.
  static func finding(_ seconds: Int64) -> String? {
    let clock = "the clock of this verifier is \(seconds.magnitude) s"
    let remedy = "set both: timedatectl set-ntp true"
    return switch seconds {
    case ..<(-tolerance):
      "\(clock) behind that of the database, so codes can be rejected; \(remedy)"
    case ...tolerance: nil
    case ...greatestDifference:
      "\(clock) ahead of that of the database, whose time it uses; \(remedy)"
    default: "\(clock) ahead of that of the database, so it denies all sign-ins; \(remedy)"
    }
  }

  /// Returns a time of the verifier's clock, or the latest one that may be used, if that is earlier.
  func limited(_ now: Int64, at sinceBoot: Int64) -> Int64 {
    let (passed, isWrong) = sinceBoot.subtractingReportingOverflow(readAt)
    let (present, isLate) = time.addingReportingOverflow(isWrong ? 0 : max(passed, 0))
    let (latest, isTooLate) = present.addingReportingOverflow(Self.tolerance)
    return isLate || isTooLate ? now : min(now, latest)
  }
}
