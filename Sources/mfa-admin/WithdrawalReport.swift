import FactorStore
import Factors

/// What a withdrawal came to.
struct WithdrawalReport: Equatable {
  /// Whose grants they were.
  let user: UserName
  /// What was taken back, one at least.
  let grants: [Grant]
  /// The entry in the ledger.
  let mark: LedgerMark?

  /// For a person: `alice: withdrawn 0a1b2c3d`.
  var sentence: String {
    let ids = grants.map { VisibleText.escaping($0.id.hexadecimal) }
    return "\(VisibleText(user)): withdrawn \(ids.joined(separator: ", "))"
  }

  /// The same for programs. Names of members stay the same from version to version.
  var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string("withdrawn")),
      ("grants", .array(grants.map { .object($0.members) })),
      ("ledger", JSON(mark.map { LedgerTrouble.text($0) })),
    ])
  }
}
