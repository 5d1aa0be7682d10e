import FactorStore
import Factors

/// What unlocking a user came to.
struct UnlockingReport: Equatable {
  /// Who was unlocked.
  let user: UserName
  /// What was found and done.
  let unlocking: Unlocking
  /// The entry in the ledger; nil where nothing was changed.
  let mark: LedgerMark?

  /// For a person: `alice: 7 wrong codes, waiting 95 s: unlocked`.
  var sentence: String { "\(VisibleText(user)): \(unlocking.sentence)" }

  /// The same for programs; `before` has the names that `show` has. Names of members stay the same
  /// from version to version.
  var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(unlocking.wasLocked ? "unlocked" : "not-locked")),
      (
        "before",
        .object([
          ("state", .string(unlocking.standing.word)),
          ("waitSeconds", .number(unlocking.standing.waitSeconds)),
          ("wrongCodes", .number(Int64(unlocking.failures))),
        ])
      ),
      ("factorsAhead", .array(unlocking.ahead.map(\.naming))),
      ("ledger", JSON(mark.map { LedgerTrouble.text($0) })),
    ])
  }
}
