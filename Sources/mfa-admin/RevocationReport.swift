import FactorStore
import Factors

/// What a revocation came to.
struct RevocationReport: Equatable {
  /// What was taken away.
  enum Taken: Equatable {
    /// One factor, how many are left, and from how many places codes were forgotten with it.
    case factor(Factor, left: Int, places: Int)
    /// Every factor there was, how many tickets and bypass codes, and from how many places codes were
    /// forgotten with them.
    case everything([Factor], grants: Int, places: Int)
    /// What was stored, without being read.
    case unread
  }

  /// Whose factors they were.
  let user: UserName
  /// What was taken away.
  let taken: Taken
  /// Whether the change is in the audit log.
  let entered: Administration.Entered

  /// For a person: `alice: revoked phone`.
  var sentence: String {
    let name = VisibleText(user)
    return switch taken {
    case .factor(let factor, left: 0, places: _):
      "\(name): revoked \(VisibleText(factor.displayName)); no factor is left"
    case .factor(let factor, left: _, places: _):
      "\(name): revoked \(VisibleText(factor.displayName))"
    case .everything([], grants: _, places: _), .unread:
      "\(name): removed what was stored; no factor is left"
    case .everything: "\(name): revoked every factor; no factor is left"
    }
  }

  /// The same for programs. Names of members stay the same from version to version.
  var json: JSON {
    let (factors, left, grants, places): ([Factor]?, Int, Int?, Int?) =
      switch taken {
      case .factor(let factor, let left, let places): ([factor], left, 0, places)
      case .everything(let factors, let grants, let places): (factors, 0, grants, places)
      case .unread: (nil, 0, nil, nil)
      }
    return .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(taken == .unread ? "discarded" : "revoked")),
      ("factors", factors.map { .array($0.map(\.naming)) } ?? .null),
      ("factorsLeft", .number(Int64(left))),
      ("grants", grants.map { .number(Int64($0)) } ?? .null),
      ("rememberedPlaces", places.map { .number(Int64($0)) } ?? .null),
      ("ledger", JSON(entered.mark.map { LedgerTrouble.text($0) })),
      ("ledgerFailure", JSON(entered.trouble?.sentence)),
    ])
  }
}
