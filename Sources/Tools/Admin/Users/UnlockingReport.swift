import MFAAttempt
import MFABase
import MFAModel

/// The result of unlocking a user.
package struct UnlockingReport: Equatable {
  /// The user who was unlocked.
  package let user: UserName
  /// The effect of unlocking.
  let unlocking: UserChange.Unlocking
  /// Whether the change is in the audit log.
  package let entered: AuditLogOutcome
  /// The problem with the user's files that was accepted, or nil.
  package var accepted: RecordProblem?

  /// The result as text, such as `alice: 7 wrong codes, throttled 95 s: unlocked`.
  package var sentence: String {
    let text = "\(VisibleText(user)): \(unlocking.sentence)"
    return accepted == nil ? text : text + "; accepted the restored files"
  }

  /// The result as JSON; `before` uses the member names of `show`. Member names are stable across
  /// versions.
  package var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(unlocking.wasLocked || accepted != nil ? "unlocked" : "not-locked")),
      ("acceptedRestored", .bool(accepted != nil)),
      (
        "before",
        .object([
          ("standing", .string(unlocking.standing.word)),
          ("waitSeconds", .number(unlocking.standing.waitSeconds)),
          ("wrongCodes", .number(Int64(unlocking.failures))),
          ("wrongCodesInOwnPrograms", .number(Int64(unlocking.ownFailures))),
        ])
      ),
      ("factorsAhead", .array(unlocking.ahead.map(\.naming))),
      ("rememberedSignIns", .number(Int64(unlocking.remembered))),
      ("checkpoint", JSON(entered.mark.map { AuditLogProblem.text($0) })),
      ("auditLogFailure", JSON(entered.problem?.sentence)),
    ])
  }
}

extension UserChange.Unlocking {
  /// Whether codes were refused without being verified.
  var wasLocked: Bool { standing != .open || ownStanding != .open }

  /// The effect as text, such as `7 wrong codes, throttled 95 s: unlocked`.
  var sentence: String {
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
    switch remembered {
    case 0: ""
    case 1: "; cleared 1 remembered sign-in"
    case _: "; cleared \(remembered) remembered sign-ins"
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
  package var word: String { "\(name)" }

  /// The remaining wait in seconds, or 0 if the user is not throttled.
  package var waitSeconds: Int64 {
    switch self {
    case .throttled(let seconds): seconds
    case .open, .locked: 0
    }
  }
}
