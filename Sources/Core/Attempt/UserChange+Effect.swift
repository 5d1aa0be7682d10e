import MFABase
import MFAModel
import MFAStore
import MFAWire

extension UserChange {
  /// What a change did, as far as its report shows it.
  package enum Effect: Sendable {
    case unlocked(Unlocking)
    /// Remembered sign-ins were cleared; the number can be 0.
    case forgotten(remembered: Int)
    case revoked(Removal)
    case granted(NewGrant)
    /// These grants were withdrawn, at least one. Their digests are zeros.
    case withdrawn([Grant])
  }

  /// The effect of unlocking a user.
  package struct Unlocking: Equatable, Sendable {
    /// The throttling state of sign-ins before unlocking.
    package var standing: AttemptState.Standing
    /// The number of consecutive wrong codes that were cleared.
    package var failures: UInt32
    /// The throttling state, before unlocking, of attempts that the user's own programs, such as a screen locker, make
    /// without a password.
    package var ownStanding: AttemptState.Standing
    /// The number of consecutive wrong codes in the user's own programs that were cleared.
    package var ownFailures: UInt32
    /// The throttling state, before unlocking, of attempts in daemons that do not act as root.
    package var daemonStanding: AttemptState.Standing
    /// The number of consecutive wrong codes in daemons that were cleared.
    package var daemonFailures: UInt32
    /// The number of remembered sign-ins that were cleared.
    package var remembered: Int
    /// Factors whose last accepted code lies in the future, because the clock was ahead. They accept no code before that
    /// time, and unlocking does not change that.
    package var ahead: [FactorSummary]

    /// Creates an effect.
    package init(
      standing: AttemptState.Standing, failures: UInt32, ownStanding: AttemptState.Standing,
      ownFailures: UInt32, daemonStanding: AttemptState.Standing = .open,
      daemonFailures: UInt32 = 0,
      remembered: Int, ahead: [FactorSummary]
    ) {
      self.standing = standing
      self.failures = failures
      self.ownStanding = ownStanding
      self.ownFailures = ownFailures
      self.daemonStanding = daemonStanding
      self.daemonFailures = daemonFailures
      self.remembered = remembered
      self.ahead = ahead
    }

    /// Computes the effect of unlocking at `now`, in seconds since the epoch.
    package init(
      _ record: FactorRecord, _ attempts: AttemptState, _ throttle: ThrottlePolicy,
      adjacentIntervals: UInt8, now: Int64
    ) {
      let ahead = record.factors.filter { factor in
        guard let step = attempts.watermark(of: factor.id),
          let window = factor.parameters?.window(at: now, adjacentIntervals: adjacentIntervals)
        else { return false }
        return step > window.upperBound
      }
      self.init(
        standing: attempts.standing(throttle, now: now), failures: attempts.failures,
        ownStanding: attempts.standing(throttle, now: now, counter: .ownProcess),
        ownFailures: attempts.ownProcessFailures.failures,
        daemonStanding: attempts.standing(throttle, now: now, counter: .daemon),
        daemonFailures: attempts.daemonFailures.failures,
        remembered: attempts.remembered.entries.count, ahead: ahead.map { FactorSummary($0) })
    }
  }

  /// The effect of a revocation.
  package struct Removal: Equatable, Sendable {
    /// The factors that were removed.
    package var factors: [FactorSummary]
    /// The number of remaining factors.
    package var factorsLeft: Int
    /// The number of tickets and bypass codes that were removed.
    package var grants: Int
    /// The number of remembered sign-ins that were cleared.
    package var remembered: Int
    /// Whether everything was to be removed, and not one factor.
    package var isOfEverything: Bool

    /// Creates an effect.
    package init(
      factors: [FactorSummary], factorsLeft: Int, grants: Int, remembered: Int, isOfEverything: Bool
    ) {
      self.factors = factors
      self.factorsLeft = factorsLeft
      self.grants = grants
      self.remembered = remembered
      self.isOfEverything = isOfEverything
    }
  }

  /// A grant that was created.
  package struct NewGrant: Sendable {
    /// The grant, whose digest is zeros.
    package var grant: Grant
    /// The code, which is stored nowhere.
    package var code: GrantCode
    /// The throttling state of sign-ins. While codes are refused, so is the code of the grant.
    package var standing: AttemptState.Standing
    /// Whether the user has a factor.
    package var isEnrolled: Bool

    /// Creates an effect.
    package init(
      grant: Grant, code: GrantCode, standing: AttemptState.Standing, isEnrolled: Bool
    ) {
      self.grant = grant
      self.code = code
      self.standing = standing
      self.isEnrolled = isEnrolled
    }
  }
}

/// The code of a new grant. Copies of a value share the bytes, which are wiped when the last one ends.
package final class GrantCode: Sendable {
  /// The code.
  package let value: RecoveryCode

  /// Takes over a code.
  package init(_ value: consuming RecoveryCode) { self.value = value }
}

/// Whether a change was entered in the audit log.
package enum AuditLogOutcome: Equatable, Sendable {
  /// The change was entered with this checkpoint, which is nil if nothing was changed.
  case entered(AuditLogCheckpoint?)
  /// The change was not entered, because the log cannot be used for this reason.
  case unrecorded(FactorStoreError)

  /// The checkpoint of the entry.
  package var mark: AuditLogCheckpoint? {
    switch self {
    case .entered(let mark): mark
    case .unrecorded: nil
    }
  }
}

extension AttemptState.Standing {
  /// The throttling state as a word for programs, stable across versions.
  package var name: StaticString {
    switch self {
    case .open: "open"
    case .throttled: "throttled"
    case .locked: "locked"
    }
  }
}
