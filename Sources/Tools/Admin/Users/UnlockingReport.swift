import MFABase
import MFAStore
import MFAModel

/// The result of unlocking a user.
package struct UnlockingReport: Equatable {
  /// The user who was unlocked.
  package let user: UserName
  /// The effect of unlocking.
  let unlocking: UnlockEffect
  /// Whether the change is in the audit log.
  package let entered: Administration.AuditLogOutcome
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
      ("rememberedSignIns", .number(Int64(unlocking.rememberedCount))),
      ("checkpoint", JSON(entered.mark.map { AuditLogProblem.text($0) })),
      ("auditLogFailure", JSON(entered.problem?.sentence)),
    ])
  }
}
