import FactorStore
import Factors
import OneTimePassword

/// What unlocking a user comes to.
struct Unlocking: Equatable {
  /// How things stood before.
  let standing: AttemptState.Standing
  /// How many wrong codes in a row were forgotten.
  let failures: UInt32
  /// The same of attempts that programs of the user's made without a password, such as a screen locker.
  let ownStanding: AttemptState.Standing
  let ownFailures: UInt32
  /// Factors whose last accepted code is one of the future: the clock had run ahead. They accept
  /// nothing before that time has come, and unlocking does not change that.
  let ahead: [Factor]
  /// The state to be written; nil when nothing changes.
  let state: AttemptState?

  /// Decides on it at `now` (seconds since the epoch).
  init(
    _ record: FactorRecord, _ attempts: AttemptState, _ policy: ThrottlePolicy,
    adjacentIntervals: UInt8, now: Int64
  ) {
    standing = attempts.standing(policy, now: now)
    failures = attempts.failures
    ownStanding = attempts.standing(policy, now: now, counter: .ownCheck)
    ownFailures = attempts.ownChecks.failures
    let unlocked = attempts.unlocked()
    ahead = record.factors.filter { factor in
      let mark = attempts.watermarks.first { $0.factor == factor.id }
      let window = factor.parameters.window(at: now, adjacentIntervals: adjacentIntervals)
      guard let mark, let window else { return false }
      return mark.step > window.upperBound
    }
    state = unlocked == attempts ? nil : unlocked
  }

  /// Whether codes were not looked at before.
  var wasLocked: Bool { standing != .open || ownStanding != .open }

  /// What was found and done, for a person: `7 wrong codes, waiting 95 s: unlocked`.
  var sentence: String {
    // What locks the factors is said once.
    let own = standing == .disabled ? .open : ownStanding
    let found =
      Self.found(failures, "", standing)
      + Self.found(ownFailures, " in the user's own programs", own)
    let text = found.joined(separator: ", ")
    if wasLocked { return text + ": unlocked" + warning }
    return "was not locked" + (found.isEmpty ? "" : "; forgotten: " + text) + warning
  }

  private static func found(
    _ failures: UInt32, _ place: String, _ standing: AttemptState.Standing
  ) -> [String] {
    let codes =
      failures == 0 ? [] : ["\(failures) wrong \(failures == 1 ? "code" : "codes")\(place)"]
    switch standing {
    case .open: return codes
    case .waiting(let seconds): return codes + ["waiting \(seconds) s"]
    case .disabled: return codes + ["disabled"]
    }
  }

  private var warning: String {
    guard !ahead.isEmpty else { return "" }
    let names = ahead.map { "\(VisibleText($0.displayName))" }.joined(separator: ", ")
    return "; the last code of \(names) was one of the future, and none is accepted before then:"
      + " revoke it, and have it enrolled anew"
  }
}

extension AttemptState.Standing {
  /// The standing in a word that stays the same from version to version.
  var word: String {
    switch self {
    case .open: "ok"
    case .waiting: "waiting"
    case .disabled: "disabled"
    }
  }

  /// How long nothing is looked at, in seconds; 0 where that is not for a time.
  var waitSeconds: Int64 {
    switch self {
    case .waiting(let seconds): seconds
    case .open, .disabled: 0
    }
  }
}
