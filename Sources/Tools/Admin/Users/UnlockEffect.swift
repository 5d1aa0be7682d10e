import MFABase
import MFAStore
import MFAModel

/// The effect of unlocking a user.
package struct UnlockEffect: Equatable {
  /// The throttling state of sign-ins before unlocking.
  package let standing: AttemptState.Standing
  /// The number of consecutive wrong codes that were cleared.
  package let failures: UInt32
  /// The throttling state, before unlocking, of attempts that the user's own programs, such as a
  /// screen locker, make without a password.
  let ownStanding: AttemptState.Standing
  /// The number of consecutive wrong codes in the user's own programs that were cleared.
  let ownFailures: UInt32
  /// The number of remembered sign-ins that were cleared.
  let rememberedCount: Int
  /// Factors whose last accepted code lies in the future, because the clock was ahead. They
  /// accept no code before that time, and unlocking does not change that.
  package let ahead: [Factor]
  /// The state to write, or nil if nothing changes.
  package let state: AttemptState?

  /// Computes the effect of unlocking at `now` (seconds since the epoch).
  init(
    _ record: FactorRecord, _ attempts: AttemptState, _ policy: ThrottlePolicy,
    adjacentIntervals: UInt8, now: Int64
  ) {
    standing = attempts.standing(policy, now: now)
    failures = attempts.failures
    ownStanding = attempts.standing(policy, now: now, counter: .ownProcess)
    ownFailures = attempts.ownProcessFailures.failures
    rememberedCount = attempts.remembered.entries.count
    let unlocked = attempts.unlocked(at: now)
    ahead = record.factors.filter { factor in
      let mark = attempts.watermarks.first { $0.factor == factor.id }
      let window = factor.parameters?.window(at: now, adjacentIntervals: adjacentIntervals)
      guard let mark, let window else { return false }
      return mark.step > window.upperBound
    }
    state = unlocked == attempts ? nil : unlocked
  }

  /// Whether codes were refused without being verified.
  var wasLocked: Bool { standing != .open || ownStanding != .open }

  /// The effect as text, such as `7 wrong codes, throttled 95 s: unlocked`.
  package var sentence: String {
    // A lock applies to both kinds of attempts, so mention it only once.
    let own = standing == .locked ? .open : ownStanding
    let found =
      Self.found(failures, "", standing)
      + Self.found(ownFailures, " in the user's own programs", own)
    let text = found.joined(separator: ", ")
    if wasLocked { return text + ": unlocked" + cleared + warning }
    return "was not locked" + (found.isEmpty ? "" : "; cleared: " + text) + cleared + warning
  }

  private var cleared: String {
    switch rememberedCount {
    case 0: ""
    case 1: "; cleared 1 remembered sign-in"
    case _: "; cleared \(rememberedCount) remembered sign-ins"
    }
  }

  private static func found(
    _ failures: UInt32, _ place: String, _ standing: AttemptState.Standing
  ) -> [String] {
    let codes =
      failures == 0 ? [] : ["\(failures) wrong \(failures == 1 ? "code" : "codes")\(place)"]
    switch standing {
    case .open: return codes
    case .throttled(let seconds): return codes + ["throttled \(seconds) s"]
    case .locked: return codes + ["locked"]
    }
  }

  private var warning: String {
    guard !ahead.isEmpty else { return "" }
    let names = ahead.map { "\(VisibleText($0.displayName))" }.joined(separator: ", ")
    return "; the last accepted code of \(names) lies in the future, and no code is accepted until"
      + " then: revoke the factor, and have the user enrol again"
  }
}

extension AttemptState.Standing {
  /// The throttling state as a word for programs, stable across versions.
  package var word: String {
    switch self {
    case .open: "open"
    case .throttled: "throttled"
    case .locked: "locked"
    }
  }

  /// The remaining wait in seconds, or 0 if the user is not throttled.
  package var waitSeconds: Int64 {
    switch self {
    case .throttled(let seconds): seconds
    case .open, .locked: 0
    }
  }
}
