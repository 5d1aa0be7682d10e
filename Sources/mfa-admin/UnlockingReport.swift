import FactorStore
import Factors

/// What unlocking a user came to.
struct UnlockingReport: Equatable {
  /// Who was unlocked.
  let user: UserName
  /// What was found and done.
  let unlocking: Unlocking
  /// Whether the change is in the audit log.
  let entered: Administration.Entered
  /// What was wrong with the user's files, and accepted.
  var accepted: Trouble?

  /// For a person: `alice: 7 wrong codes, waiting 95 s: unlocked`.
  var sentence: String {
    let text = "\(VisibleText(user)): \(unlocking.sentence)"
    return accepted == nil ? text : text + "; accepted the files that are there"
  }

  /// The same for programs; `before` has the names that `show` has. Names of members stay the same
  /// from version to version.
  var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(unlocking.wasLocked || accepted != nil ? "unlocked" : "not-locked")),
      ("acceptedRestored", .bool(accepted != nil)),
      (
        "before",
        .object([
          ("state", .string(unlocking.standing.word)),
          ("waitSeconds", .number(unlocking.standing.waitSeconds)),
          ("wrongCodes", .number(Int64(unlocking.failures))),
          ("wrongCodesInOwnPrograms", .number(Int64(unlocking.ownFailures))),
        ])
      ),
      ("factorsAhead", .array(unlocking.ahead.map(\.naming))),
      ("ledger", JSON(entered.mark.map { LedgerTrouble.text($0) })),
      ("ledgerFailure", JSON(entered.trouble?.sentence)),
    ])
  }
}
