import MFABase

/// The clock of the database of a realm, as it was read last, with which a verifier limits its own clock.
///
/// The fence of a new epoch refuses the codes that could have been accepted before a failover (see `RealmState.fence`).
/// It is computed by the clocks of the verifier that makes the first request and of the new primary. A verifier whose
/// clock is ahead of theirs would accept codes of time steps beyond the fence.
///
/// MUST 1: no time that is used for a decision is later than the database's by more than `tolerance`.
/// (`SharedFactorStoreTests.verifierAhead`, `DatabaseClockTests.limit`)
package struct DatabaseClock: Sendable {
  /// By how many seconds the clock of a verifier may be ahead.
  package static let tolerance: Int64 = 5
  /// By how many seconds it may be ahead before the verifier denies all requests.
  package static let greatestDifference: Int64 = 60
  /// How many seconds later than the present time the fence is: the clocks of two servers of a database may differ by
  /// as much as those of a verifier and the database.
  static let fenceMargin: Int64 = 2 * tolerance

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

  /// The difference between the clock of a verifier and that of the database.
  package struct Difference: Sendable {
    /// What a verifier does with a difference.
    package enum Effect: Sendable { case tolerated, mayReject, limits, denies }

    /// By how many seconds the verifier's clock is ahead; less than 0 if it is behind.
    let seconds: Int64

    /// Compares the time by a verifier's clock with that by the database's. Returns nil if the engine has no clock.
    package init?(of now: Int64, from time: Int64) {
      guard time > 0 else { return nil }
      let (seconds, overflow) = now.subtractingReportingOverflow(time)
      self.seconds = overflow ? .min : seconds
    }

    /// What the verifier does.
    package var effect: Effect {
      switch seconds {
      case ..<(-tolerance): .mayReject
      case ...tolerance: .tolerated
      case ...greatestDifference: .limits
      default: .denies
      }
    }

    /// A sentence about the difference; nil if it is tolerated.
    var finding: String? {
      let clock = "the clock of this verifier is \(seconds.magnitude) s"
      let remedy = "set both clocks: timedatectl set-ntp true"
      return switch effect {
      case .tolerated: nil
      case .mayReject: "\(clock) behind the database's clock, so codes can be rejected; \(remedy)"
      case .limits: "\(clock) ahead of the database's clock, which is used instead; \(remedy)"
      case .denies: "\(clock) ahead of the database's clock, so all sign-ins are denied; \(remedy)"
      }
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
