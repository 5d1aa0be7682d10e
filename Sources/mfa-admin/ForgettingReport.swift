import FactorStore
import Factors

/// What forgetting a user's remembered codes came to.
struct ForgettingReport: Equatable {
  /// Whose codes they were.
  let user: UserName
  /// From how many places codes were remembered.
  let places: Int
  /// The entry in the ledger; nil where nothing was changed.
  let mark: LedgerMark?

  /// For a person: `alice: forgot the codes from 2 places`.
  var sentence: String {
    let name = VisibleText(user)
    return switch places {
    case 0: "\(name): no code was remembered"
    case 1: "\(name): forgot the codes from 1 place"
    case _: "\(name): forgot the codes from \(places) places"
    }
  }

  /// The same for programs. Names of members stay the same from version to version.
  var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(places > 0 ? "forgotten" : "nothing-remembered")),
      ("rememberedPlaces", .number(Int64(places))),
      ("ledger", JSON(mark.map { LedgerTrouble.text($0) })),
    ])
  }
}
