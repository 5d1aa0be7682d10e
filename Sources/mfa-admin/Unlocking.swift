import FactorStore
import Factors
import OneTimePassword

/// What unlocking a user comes to.
struct Unlocking: Equatable {
  /// How things stood before.
  let standing: AttemptState.Standing
  /// How many wrong codes in a row were forgotten.
  let failures: UInt32
  /// Factors whose last accepted code was one of the future: the clock had run ahead.
  let setBack: [Factor]
  /// The state to be written; nil when nothing changes.
  let state: AttemptState?

  /// Decides on it: no failures are left, and no watermark later than the latest step that a code
  /// may belong to at `now` (seconds since the epoch).
  init(
    _ record: FactorRecord, _ attempts: AttemptState, _ policy: ThrottlePolicy,
    adjacentIntervals: UInt8, now: Int64
  ) {
    standing = attempts.standing(policy, now: now)
    failures = attempts.failures
    let latest = record.factors.compactMap { factor in
      factor.parameters.window(at: now, adjacentIntervals: adjacentIntervals)
        .map { AttemptState.Match(factor: factor.id, step: $0.upperBound) }
    }
    let unlocked = attempts.unlocked(latestSteps: latest)
    setBack = record.factors.filter { factor in
      attempts.watermarks.first { $0.factor == factor.id }
        != unlocked.watermarks.first { $0.factor == factor.id }
    }
    state = unlocked == attempts ? nil : unlocked
  }

  /// What was found and done, for a person: `7 wrong codes, waiting 95 s: unlocked`.
  var sentence: String {
    var found: [String] = []
    if failures > 0 { found.append("\(failures) wrong \(failures == 1 ? "code" : "codes")") }
    switch standing {
    case .open: break
    case .waiting(let seconds): found.append("waiting \(seconds) s")
    case .disabled: found.append("disabled")
    }
    if !setBack.isEmpty {
      let names = setBack.map { "\(VisibleText($0.displayName))" }.joined(separator: ", ")
      found.append("a code of the future (\(names))")
    }
    guard !found.isEmpty else { return "was not locked" }
    switch standing {
    case .open:
      return "was not locked; forgotten: " + found.joined(separator: ", ")
    case .waiting, .disabled: return found.joined(separator: ", ") + ": unlocked"
    }
  }
}
